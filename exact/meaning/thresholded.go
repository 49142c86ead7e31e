// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

const (
	// maxKeyCases bounds the keys whose cases are counted, each number a product of its own.
	maxKeyCases = 16
	// maxKeySigma bounds discrete Gaussian noise whose tail is summed.
	maxKeySigma = 1 << 14
)

// thresholdedMeaning: the profile of a record with k keys is the greatest of the profiles of i pairs of noise and k − i
// pairs of release, i = 0 … k.
//
// Proof. A key of the record is one that others have as well, or it is the record's own.
//
//   - Shared: the key exists in both data sets, and its counts differ by one. The pair is that of the noise, and the
//     threshold is a post-processing.
//   - Own: the key is released with the record only. The pair is a KeyRelease.
//
// Keys are independent, any number i of the k may be shared, and fewer keys are no worse.
//
// Attained: counts that are large enough do not feel the threshold, so that the noise is approached.
//
// Others of a sample are there or not by coins of their own, which hide a count as well: of a Poisson sample only keys
// of the record's own are below. They need nobody else.
//
// Where there are many keys, each is a choice, bounded from above by the pair with the greater profile. Where a record
// moves no count, shared keys say nothing. The others are still there or not.
func (r *resolver) thresholdedMeaning(e mechanism.ThresholdedNoise, path string) (meaning, error) {
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
	case mechanism.ReplaceOne:
		return r.undefined(e, path, "which keys a record shares with the one that replaces it is not said: it is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	var noise pair.Pair
	switch n := e.Event.(type) {
	case mechanism.Gaussian:
		noise = pair.Gaussian{Mu2: new(big.Rat).Inv(n.Variance())}
	case mechanism.Laplace:
		noise = pair.Laplace{Shift: new(big.Rat).Inv(n.NoiseMultiplier)}
	case mechanism.DiscreteLaplace:
		if n.Sensitivity > 0 {
			noise = pair.DiscreteLaplace{A: n.NoiseParameter, Sensitivity: n.Sensitivity}
		}
	case mechanism.DiscreteGaussian:
		s := new(big.Int).Quo(n.Sensitivity.Num(), n.Sensitivity.Denom())
		if n.Sigma2().Cmp(big.NewRat(maxKeySigma*maxKeySigma, 1)) > 0 {
			name, value, most := "event.sigma", n.Sigma, maxKeySigma
			if n.Variance != nil {
				name, value, most = "event.variance", n.Variance, maxKeySigma*maxKeySigma
			}
			return meaning{}, &mechanism.ParamError{Path: shown(path), Class: e.ClassName(), Field: name,
				Value: value.RatString(), Want: fmt.Sprintf("at most %d", most)}
		}
		if s.Sign() > 0 {
			noise = pair.DiscreteGaussian{Sigma2: n.Sigma2(), Sensitivity: s.Int64()}
		}
	default:
		return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
	}
	shown := pair.KeyRelease{Noise: e.Event, Threshold: e.Threshold}
	if noise == nil {
		return exactly(pair.Copies(shown, e.Keys)), nil
	}
	attains := func(m meaning) (meaning, error) {
		if r.apart {
			m.evidence = evidence{bounded, []pair.Product{pair.Copies(shown, e.Keys)}}
		}
		return m, nil
	}
	if e.Keys > maxKeyCases {
		return attains(exactly(pair.Copies(noise, 1), pair.Copies(shown, 1)).times(e.Keys))
	}
	var of []pair.Product
	for i := int64(0); i <= e.Keys; i++ {
		var p pair.Product
		if i > 0 {
			p = append(p, pair.Term{Pair: noise, Count: i})
		}
		if i < e.Keys {
			p = append(p, pair.Term{Pair: shown, Count: e.Keys - i})
		}
		of = append(of, p)
	}
	return attains(exactly(of...))
}
