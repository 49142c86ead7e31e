// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math/big"

	"dpverify/exact/interval"
)

// group encloses a number that δ(ε) of no noise with a density on the range is below, whatever its shape and however
// many releases there are; false of samples, of which nothing is said here.
//
// Between two answers that are k·s ≥ 2r apart lie k neighbours, and no output is one of both, but for a point, to which
// a density gives the probability 0; noise with atoms at both ends of the range has it for both, where k·s = 2r. With
// M₀ … M_k their releases, M₀(A) = 1 and M_k(A) = 0 for the outputs A of M₀, and M_i(A) ≤ e^ε·M_{i+1}(A) + δ give 1 ≤
// δ·(1 + e^ε + … + e^((k−1)ε)).
func (w *Wish) group() (interval.Interval, bool) {
	if w.Rate.Cmp(one) < 0 {
		return interval.Interval{}, false
	}
	const p = interval.Prec(64)
	ratio := new(big.Rat).Quo(w.Radius, w.Sensitivity)
	ratio.Add(ratio, ratio)
	k := new(big.Int).Add(ratio.Num(), new(big.Int).Sub(ratio.Denom(), big.NewInt(1)))
	k.Quo(k, ratio.Denom()) // ⌈2r/s⌉
	if w.Epsilon.Sign() == 0 {
		return p.Rat(new(big.Rat).SetFrac(big.NewInt(1), k)), true
	}
	all := p.Expm1(p.Rat(new(big.Rat).Mul(w.Epsilon, new(big.Rat).SetInt(k))))
	return p.Div(p.Expm1(p.Rat(w.Epsilon)), all), true
}
