// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// rat reads a number of this package's tables.
func rat(s string) *big.Rat {
	x, err := number.Parse(s)
	if err != nil {
		panic("reproduce: internal error: " + err.Error())
	}
	return x
}

// spaced returns n numbers, evenly from one to another.
func spaced(from, to string, n int64) []*big.Rat {
	a, b := rat(from), rat(to)
	step := new(big.Rat).Quo(b.Sub(b, a), new(big.Rat).SetInt64(n-1))
	var out []*big.Rat
	for i := range n {
		x := new(big.Rat).SetInt64(i)
		out = append(out, x.Add(x.Mul(x, step), a))
	}
	return out
}

// counts returns numbers.
func counts(ks ...int64) []*big.Rat {
	var out []*big.Rat
	for _, k := range ks {
		out = append(out, new(big.Rat).SetInt64(k))
	}
	return out
}

// times composes an event with itself.
func times(k int64, e mechanism.Event) mechanism.Event {
	return mechanism.SelfComposed{Event: e, Count: k}
}

func gaussian(sigma string) mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: rat(sigma)}
}

func laplace(scale string) mechanism.Event {
	return mechanism.Laplace{NoiseMultiplier: rat(scale)}
}

func guarantee(epsilon, delta string) mechanism.Event {
	return mechanism.EpsilonDelta{Epsilon: rat(epsilon), Delta: rat(delta)}
}

func sampled(rate string, e mechanism.Event) mechanism.Event {
	return mechanism.PoissonSampled{SamplingProbability: rat(rate), Event: e}
}
