// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

const (
	// maxKeyCases bounds the keys whose cases are counted, each number a product of its own.
	maxKeyCases = 16
	// maxKeySigma bounds discrete Gaussian noise whose tail is summed.
	maxKeySigma = 1 << 14
)

// thresholdedMeaning: a key of the record is one that others have as well, or not. In the first case it exists in
// both data sets and its counts differ by one: the noise, and the threshold is a post-processing which counts that
// are large enough do not feel, so that the noise is approached. In the second it is released
// with the record only: a KeyRelease. Keys are independent, and of k keys any number i may be of the first kind; fewer
// keys are no worse. So the profile is the greatest of the profiles of i pairs of noise and k − i of release, exactly. For
// many keys each is a choice: above by the pair of the greater profile.
func (r *resolver) thresholdedMeaning(e mechanism.ThresholdedNoise, path string) (meaning, error) {
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
	case mechanism.ReplaceOne:
		return r.undefined(e, path, "which keys a record shares with the one that replaces it is not said: it is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	var noise Pair
	switch n := e.Event.(type) {
	case mechanism.Gaussian:
		mu := new(big.Rat).Inv(n.NoiseMultiplier)
		noise = Gaussian{Mu2: mu.Mul(mu, mu)}
	case mechanism.Laplace:
		noise = Laplace{Shift: new(big.Rat).Inv(n.NoiseMultiplier)}
	case mechanism.DiscreteLaplace:
		if n.Sensitivity == 0 {
			return neutral(), nil
		}
		noise = DiscreteLaplace{n.NoiseParameter, n.Sensitivity}
	case mechanism.DiscreteGaussian:
		s := new(big.Int).Quo(n.Sensitivity.Num(), n.Sensitivity.Denom())
		if s.Sign() == 0 {
			return neutral(), nil
		}
		if n.Sigma.Cmp(big.NewRat(maxKeySigma, 1)) > 0 {
			return meaning{}, &mechanism.ParamError{Path: shown(path), Class: e.ClassName(), Field: "event.sigma", Value: n.Sigma.RatString(),
				Want: fmt.Sprintf("at most %d", maxKeySigma)}
		}
		noise = DiscreteGaussian{new(big.Rat).Mul(n.Sigma, n.Sigma), s.Int64()}
	default:
		return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
	}
	shown := KeyRelease{Noise: e.Event, Threshold: e.Threshold}
	if e.Keys > maxKeyCases {
		return exactly(Product{{noise, 1}}, Product{{shown, 1}}).times(e.Keys), nil
	}
	var of []Product
	for i := int64(0); i <= e.Keys; i++ {
		var p Product
		if i > 0 {
			p = append(p, Term{noise, i})
		}
		if i < e.Keys {
			p = append(p, Term{shown, e.Keys - i})
		}
		of = append(of, p)
	}
	return exactly(of...), nil
}
