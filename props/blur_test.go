// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
)

// A blur is an outcome whose masses are known between rationals: what remains of
// e^ε in a model.
type blur struct{ plo, phi, qlo, qhi *big.Rat }

// A blurred is a pair of distributions on finitely many such outcomes.
type blurred []blur

func (m model) blurred() blurred {
	p, q := m.p(), m.q()
	out := make(blurred, len(p))
	for i := range p {
		out[i] = blur{p[i], p[i], q[i], q[i]}
	}
	return out
}

func (b blurred) reverse() blurred {
	out := make(blurred, len(b))
	for i, o := range b {
		out[i] = blur{o.qlo, o.qhi, o.plo, o.phi}
	}
	return out
}

// timesBlurred is the product pair.
func timesBlurred(a, b blurred) blurred {
	out := make(blurred, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, blur{
				roundDown(mul(x.plo, y.plo)), roundUp(mul(x.phi, y.phi)),
				roundDown(mul(x.qlo, y.qlo)), roundUp(mul(x.qhi, y.qhi)),
			})
		}
	}
	return out
}

// equalBlurred is a pair of equal distributions: the neutral factor.
var equalBlurred = blurred{{one, one, one, one}}

// mixBlurred is (1 − rate)·(rest, rest) + rate·b on disjoint outcomes.
func mixBlurred(rate *big.Rat, b blurred) blurred {
	keep := sub(one, rate)
	out := blurred{{keep, keep, keep, keep}}
	for _, o := range b {
		out = append(out, blur{mul(rate, o.plo), mul(rate, o.phi), mul(rate, o.qlo), mul(rate, o.qhi)})
	}
	return out
}

// sampleBlurred is ((1−γ)Q + γP, Q).
func sampleBlurred(rate *big.Rat, b blurred) blurred {
	keep := sub(one, rate)
	out := make(blurred, len(b))
	for i, o := range b {
		out[i] = blur{
			roundDown(add(mul(keep, o.qlo), mul(rate, o.plo))), roundUp(add(mul(keep, o.qhi), mul(rate, o.phi))), o.qlo, o.qhi,
		}
	}
	return out
}

// deltaAt encloses H_α(P‖Q) = Σ (p − αq)₊ for alo ≤ α ≤ ahi.
func (b blurred) deltaAt(alo, ahi *big.Rat) (lo, hi *big.Rat) {
	lo, hi = new(big.Rat), new(big.Rat)
	for _, o := range b {
		if d := sub(o.plo, mul(ahi, o.qhi)); d.Sign() > 0 {
			lo = roundDown(add(lo, d))
		}
		if d := sub(o.phi, mul(alo, o.qlo)); d.Sign() > 0 {
			hi = roundUp(add(hi, d))
		}
	}
	return lo, minRat(hi, one)
}

// delta encloses δ(ε) for a rational ε.
func (b blurred) delta(eps *big.Rat) (lo, hi *big.Rat) {
	alo, ahi := expRat(eps)
	return b.deltaAt(alo, ahi)
}

// responseModel is approximate randomized response, from its definition.
func responseModel(eps, delta *big.Rat) blurred {
	elo, ehi := expRat(eps)
	keep := sub(one, delta)
	// (1 − δ)/(1 + e^ε) and e^ε times that, which is (1 − δ)/(1 + e^−ε)
	llo, lhi := roundDown(quo(keep, add(one, ehi))), roundUp(quo(keep, add(one, elo)))
	hlo, hhi := roundDown(quo(mul(keep, elo), add(one, elo))), roundUp(quo(mul(keep, ehi), add(one, ehi)))
	return blurred{{delta, delta, zero, zero}, {zero, zero, delta, delta}, {hlo, hhi, llo, lhi}, {llo, lhi, hlo, hhi}}
}

// discreteLaplaceModel is noise of mass ∝ e^(−a|x|) against itself shifted by s, on the
// outcomes x ≤ 0, 1, …, s − 1, x ≥ s: outside, ratios are constant.
func discreteLaplaceModel(a *big.Rat, s int64) blurred {
	// With r = e^−a: P(x) = r^|x|·(1−r)/(1+r), and P(X ≥ x) = r^x/(1+r) for x ≥ 0.
	mass := func(x int64) (lo, hi *big.Rat) { // P(X = x), x ≥ 0
		rlo, rhi := expRat(neg(a))
		xlo, xhi := expRat(mul(neg(a), ratInt(x)))
		return roundDown(quo(mul(xlo, sub(one, rhi)), add(one, rhi))), roundUp(quo(mul(xhi, sub(one, rlo)), add(one, rlo)))
	}
	tail := func(x int64) (lo, hi *big.Rat) { // P(X ≥ x), x ≥ 0
		rlo, rhi := expRat(neg(a))
		xlo, xhi := expRat(mul(neg(a), ratInt(x)))
		return roundDown(quo(xlo, add(one, rhi))), roundUp(quo(xhi, add(one, rlo)))
	}
	var out blurred
	for x := int64(0); x <= s; x++ {
		f, g := mass, mass
		u, v := x, s-x
		if x == 0 || x == s {
			f, g = tail, tail // P(X ≤ 0) = P(X ≥ 0) by symmetry, and Q mirrors P
		}
		var o blur
		o.plo, o.phi = f(u)
		o.qlo, o.qhi = g(v)
		out = append(out, o)
	}
	return out
}

// power is k copies.
func (b blurred) power(k int) blurred {
	out := equalBlurred
	for range k {
		out = timesBlurred(out, b)
	}
	return out
}
