// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// maxWords is the precision up to which words serve: their errors are some 2^−175 for each of a few operations.
const maxWords = 160

// inDoubles is the arithmetic of binary64, rounded outward.
type inDoubles struct{}

// doubleBits are right of a sum of many nodes in binary64.
const doubleBits = 28

func (inDoubles) Add(x, y double.Interval) double.Interval { return x.Add(y) }
func (inDoubles) Sub(x, y double.Interval) double.Interval { return x.Sub(y) }
func (inDoubles) Mul(x, y double.Interval) double.Interval { return x.Mul(y) }
func (inDoubles) Sqr(x double.Interval) double.Interval    { return x.Sqr() }
func (inDoubles) Div(x, y double.Interval) double.Interval { return x.Div(y) }
func (inDoubles) Exp(x double.Interval) double.Interval    { return x.Exp() }
func (inDoubles) Neg(x double.Interval) double.Interval    { return x.Neg() }
func (inDoubles) Scale(x double.Interval, k int) double.Interval {
	return x.Mul(double.Point(math.Ldexp(1, k)))
}
func (inDoubles) SinCos(x double.Interval) (sin, cos double.Interval) {
	cos, sin = x.Cis()
	return sin, cos
}
func (inDoubles) Times(x double.Interval, n int64) double.Interval { return x.Mul(double.Int(n)) }
func (inDoubles) Of(x interval.Interval) double.Interval           { return double.Of(x) }
func (inDoubles) Interval(x double.Interval) interval.Interval     { return x.Exact() }

// Words encloses x by an integer of 60 bits. In units 2^exp, of which no member of x has more than 2^60, the lower end
// is off by less than 1 from n. The width is rounded by a relative 2^−53, which is made up for, and then by less than
// 1.
func (inDoubles) Words(x double.Interval) fixed.Real {
	largest, wide := max(math.Abs(x.Lo), math.Abs(x.Hi)), x.Hi-x.Lo
	if !(wide <= math.MaxFloat64) {
		return fixed.Unknown()
	}
	if largest == 0 {
		return fixed.Real{}
	}
	_, exp := math.Frexp(largest)
	exp -= 60
	n, err := int64(math.Ldexp(x.Lo, -exp)), uint64(math.Ldexp(wide, -exp)*(1+0x1p-50))
	return fixed.Around(n, err+2, exp)
}

// direct is the ρ from which the cosine series of φ is shorter than Poisson's.
const direct = 6

// A characteristic is φ_i^(m_i) at θ = 2πτ, 0 ≤ τ ≤ 1/2, times a constant. By Poisson's formula φ(θ) is
// e^(−θ²/2ρ)·η(θ)/η(0), with
//
//	η(θ) = 1 + Σ_{k≥1} (e^(−c_k(k − 2τ)) + e^(−c_k(k + 2τ))),   c_k = 2π²k/ρ,
//
// and otherwise κ(θ)/κ(0), κ(θ) = 1 + 2Σ_{k≥1} e^(−ρk²/2)·cos kθ. Terms from the first one below 2^−cut on are left
// out.
//
// Lemma. They come to less than 2^(2−cut) of the sum. Proof for η, ρ ≤ direct: the ratio of the first kind from k to
// k+1 is e^(−2π²(2k + 1 − 2τ)/ρ) ≤ e^(−4π²/6) < 1/2, and the second kind is less than the first: together less than 4
// times the first one that is left out, and η ≥ 1. Proof for κ, ρ > direct: the ratio is at most e^(−3ρ/2) < 1/2, so
// that they come to less than 2·2·2^−cut·(1/2) if the first one has 2e^(−ρk²/2) < 2^−cut; and κ ≥ 1 − 2e^(−3)/(1 −
// e^(−9)) > 1/2. ∎
type characteristic[R any] struct {
	count  int64
	rho    float64 // about ρ
	energy R       // 2π²m/ρ: times τ², it is mθ²/2ρ
	falls  []R     // c_k
	whole  []R     // k
	series []R     // 2e^(−ρk²/2), where the series is direct
	cut    float64 // in nats
}

// newCharacteristic prepares φ_i^(m_i) with terms down to 2^−cut.
func newCharacteristic[R any, A fixed.Arithmetic[R]](w A, p interval.Prec, r release, cut int) characteristic[R] {
	c := characteristic[R]{count: r.count, rho: r.rough, cut: float64(cut) * math.Ln2}
	if r.rho.Cmp(big.NewRat(direct, 1)) > 0 {
		for k := int64(1); ; k++ {
			term := p.Scale(p.Exp(p.Rat(new(big.Rat).Mul(r.rho, big.NewRat(-k*k, 2)))), 1)
			if term.LessRat(interval.Pow2(-cut)) == interval.True {
				return c
			}
			c.series = append(c.series, w.Of(term))
		}
	}
	one := p.Div(p.Scale(p.Sqr(p.Pi()), 1), p.Rat(r.rho)) // 2π²/ρ
	c.energy = w.Of(p.Mul(interval.Int(r.count), one))
	// The terms of k come to 2^−cut at θ = π if 2π²k(k−1)/ρ is that many nats.
	for k := int64(1); k == 1 || 2*math.Pi*math.Pi*float64(k*(k-1))/c.rho < c.cut*(1+0x1p-40); k++ {
		c.falls, c.whole = append(c.falls, w.Of(p.Mul(interval.Int(k), one))), append(c.whole, w.Of(interval.Int(k)))
	}
	return c
}

// at returns the exponent mθ²/2ρ, or 0, and η(θ) or κ(θ) at a share τ of a turn; plain says that it is 1 but for the
// terms left out. rough is about τ.
func (c *characteristic[R]) at(w fixed.Arithmetic[R], one, pi2, share R, rough float64) (exponent, factor R,
	plain bool) {
	factor = one
	if c.falls == nil {
		_, cos := w.SinCos(w.Mul(pi2, share))
		before, now := one, cos
		for i, s := range c.series {
			if i > 0 {
				before, now = now, w.Sub(w.Scale(w.Mul(cos, now), 1), before)
			}
			factor = w.Add(factor, w.Mul(s, now))
		}
		return w.Sub(one, one), factor, false
	}
	exponent, plain = w.Mul(c.energy, w.Sqr(share)), true
	twice := w.Scale(share, 1)
	for i, fall := range c.falls {
		k := float64(i + 1)
		if !c.counts(k, k-2*rough) {
			break // and all that follow
		}
		factor, plain = w.Add(factor, w.Exp(w.Neg(w.Mul(fall, w.Sub(c.whole[i], twice))))), false
		if c.counts(k, k+2*rough) {
			factor = w.Add(factor, w.Exp(w.Neg(w.Mul(fall, w.Add(c.whole[i], twice)))))
		}
	}
	return exponent, factor, plain
}

// counts reports whether e^(−c_k·m), m ≥ 0, may be as large as 2^−cut. In float64 c_k·m is off by a few units of 2^−53
// of c_k, and so is m: the slack is more than that.
func (c *characteristic[R]) counts(k, m float64) bool {
	fall := 2 * math.Pi * math.Pi / c.rho * k
	return fall*(m-0x1p-44) < c.cut*(1+0x1p-40)
}

// A smallSine computes sines of small angles to a relative accuracy, where those of SinCos are absolute.
type smallSine[R any] struct{ ratios []R }

// smallAngle is the share of a turn below which it does.
const smallAngle = 0x1p-16

// newSmallSine has the ratios −1/((2k)(2k+1)) of the series for as many terms as p bits take.
func newSmallSine[R any](w fixed.Arithmetic[R], p interval.Prec) (s smallSine[R]) {
	for k := int64(1); 2*13*k < int64(p)+26; k++ { // x² < 2^−26
		s.ratios = append(s.ratios, w.Of(p.Rat(big.NewRat(-1, 2*k*(2*k+1)))))
	}
	return s
}

// sinCos returns the sine and the cosine of x ≥ 0, which is about π·rough. For x < 2^−13 the sine is x·(1 − x²/6·(1 −
// x²/20·(…))), where each bracket is between 0 and 1: what follows the last one is put there.
func (s *smallSine[R]) sinCos(w fixed.Arithmetic[R], x R, rough float64) (sin, cos R) {
	sin, cos = w.SinCos(x)
	if rough > smallAngle {
		return sin, cos
	}
	square := w.Sqr(x)
	one := w.Of(interval.Int(1))
	y := w.Of(interval.Union(interval.Int(0), interval.Int(1)))
	for k := len(s.ratios) - 1; k >= 0; k-- {
		y = w.Add(one, w.Mul(w.Mul(s.ratios[k], square), y))
	}
	return w.Mul(x, y), cos
}

// newWeight returns a number below −4m·log φ_i(π), 0 if no better one is known.
func newWeight(r release) float64 {
	const p = interval.Prec(64)
	c := newCharacteristic(fixed.InBits{Prec: p}, p, r, 80)
	at := func(share *big.Rat, rough float64) (exponent, factor interval.Interval) {
		exponent, factor, _ = c.at(fixed.InBits{Prec: p}, interval.Int(1), p.Scale(p.Pi(), 1), p.Rat(share), rough)
		return exponent, factor
	}
	_, peak := at(new(big.Rat), 0)
	exponent, factor := at(big.NewRat(1, 2), 0.5)
	// The terms left out come to less than 2^−78 of either sum.
	ratio := p.Add(p.Div(factor, peak), p.Rat(interval.Pow2(-70)))
	power := p.Sub(exponent, p.Mul(interval.Int(r.count), p.Log(ratio)))
	return max(double.Of(p.Scale(power, 2)).Lo, 0)
}
