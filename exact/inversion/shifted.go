// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A shifted bounds |ψ(t)| of a mixture of which all means of A are ≥ 0 and all of B are ≤ 0, or the other way round, by
// moving the line of integration. Faster than any power of t, it is what a few copies are inverted by.
//
// Lemma. Let 0 < b < π/max |m_i|, and z = x − iη with 0 ≤ η ≤ b if the means of A are ≥ 0, z = x + iη if they are ≤ 0. All terms of A(z) have
// arguments in (−π, 0], and the ones of B(z) in [0, π). So neither has a zero, nor a value below 0, and the integrand of M(−λ + it), with the principal
// powers of both, is analytic there; it falls like φ as |Re z| → ∞. So for t ≥ 0, with η = b, θ_A = |arg A(z)| and θ_B = |arg B(z)|,
//
//	|M(−λ + it)| ≤ ∫ φ(x)·e^{b²/2}·|A(z)|^{1+λ}·|B(z)|^{−λ}·e^{−t(θ_A + θ_B)} dx,
//
// as |A^{−it}| = e^{t·arg A} and |B^{it}| = e^{−t·arg B}. |A(z)| ≤ A(x), and |B(z)| ≥ cos(β/2)·B(x) for β = b·max |m_i| over the means of B, by the
// projection onto the bisector of the angle β that holds all terms. Of A as of B, θ ≥ sin θ = |Im|/|·|, and θ ≥ π/2 where the real part
// is ≤ 0. Cells, and what is outside of them, are as in newQuadrature, where θ ≥ 0. Where no mean is below 0, |B(z)|/B(x) ≥ B_b(x)/B(x) is a weighted mean
// of cos m_i·b with weights b_i, which falls with x: so the one at the left end bounds all beyond.
//
// Where both have a mean 0 and others, θ_A + θ_B is bounded away from 0, and |M| falls exponentially.
type shifted []shift

// A shift is the bound for one b: Σ weight·e^{−t·turn} over cells.
type shift struct{ weights, turns []double.Interval }

// apart reports whether the lemma is about m, and if so whether it is the means of A that are ≥ 0.
func (m *mixture) apart() (up, ok bool) {
	a, b := meanRange(m.roughA), meanRange(m.roughB)
	if a.Abs().Hi == 0 && b.Abs().Hi == 0 {
		return false, false
	}
	return a.Lo >= 0 && b.Hi <= 0, a.Lo >= 0 && b.Hi <= 0 || a.Hi <= 0 && b.Lo >= 0
}

// farthest is the largest |m_i| of the means of A and B.
func (m *mixture) farthest() double.Interval {
	return double.Max(meanRange(m.roughA).Abs(), meanRange(m.roughB).Abs())
}

// newShifted bounds |ψ| at λ for some b; scale encloses (e^peak/√(2π))/M(−λ).
func (m *mixture) newShifted(lambda *big.Rat, w window, scale double.Interval) shifted {
	if _, ok := m.apart(); !ok {
		return nil
	}
	s := m.newStrip(lambda, w)
	most := m.farthest().Hi
	var out shifted
	for i := 1; i < 16; i++ {
		b := math.Pi * float64(i) / 16 / most * (1 - 0x1p-40) // b·most < π
		if y, ok := s.shift(b, scale); ok {
			out = append(out, y)
		}
	}
	return out
}

func (s *strip) shift(b float64, scale double.Interval) (shift, bool) {
	at := double.Point(b)
	cosA, sinA := circle(s.roughA, at)
	cosB, sinB := circle(s.roughB, at)
	least := bisected(s.roughB, at)
	if !(least.Lo > 0 && at.Mul(s.farthest().Upper()).Hi < math.Pi) {
		return shift{}, false
	}
	factor := scale.Mul(at.Sqr().Half().Exp())
	var out shift
	add := func(c stripCell, width, modulusB, turn double.Interval, together bool) {
		y := c.log.Sub(s.lambda.Mul(modulusB.Log().Add(c.shift)))
		weight := factor.Mul(y.Exp()).Mul(width).Upper()
		if n := len(out.weights); together {
			out.weights[n-1] = out.weights[n-1].Add(weight).Upper()
			out.turns[n-1] = double.Min(out.turns[n-1], turn)
			return
		}
		out.weights, out.turns = append(out.weights, weight), append(out.turns, turn)
	}
	const cellsTogether = 4
	for i, c := range s.cells {
		_, turnA := argument(c.a, cosA, sinA)
		modulus, turnB := argument(c.b, cosB, sinB)
		modulusB := double.Max(modulus.Lower(), least.Mul(total(c.b)).Lower())
		add(c, double.Int(1).Div(double.Int(tableStep)), modulusB, turnA.Add(turnB).Lower(), i%cellsTogether > 0)
	}
	for i, c := range s.ends {
		modulusB := least.Mul(total(c.b))
		if i == 0 && s.rising() {
			modulusB = double.Max(modulusB.Lower(), dot(c.b, cosB).Lower())
		}
		add(c, double.Int(1).Div(c.beyond), modulusB, double.Interval{}, false)
	}
	return out, true
}

// bisected is a lower bound of |C(x ± ib)|/C(x), cos(β/2).
func bisected(cs []roughComponent, b double.Interval) double.Interval {
	cos, _ := b.Mul(meanRange(cs).Abs().Upper()).Half().Cis()
	return cos.Lower()
}

// argument encloses the modulus of the sum of terms with given cosines and sines ≥ 0, and bounds its argument from below, if
// it is below π.
func argument(terms, cos, sin []double.Interval) (modulus, least double.Interval) {
	re, im := dot(terms, cos), dot(terms, sin)
	modulus = re.Sqr().Add(im.Sqr()).Sqrt()
	if re.Hi <= 0 {
		return modulus, double.Point(1.57)
	}
	return modulus, im.Lower().AtLeastZero().Div(modulus.Upper()).Lower().AtLeastZero()
}

// bound returns an upper bound of log|ψ(t)| for |t| ≥ a: each term falls with t. Any b bounds; the best one
// grows with a, and is looked for by halving.
func (ss shifted) bound(a float64) float64 {
	if len(ss) == 0 {
		return 0
	}
	lo, hi := 0, len(ss)-1
	at, next := ss[lo].bound(a), 0.0
	best := min(0, at)
	for lo < hi {
		mid := (lo + hi) / 2
		at, next = ss[mid].bound(a), ss[mid+1].bound(a)
		best = min(best, at, next)
		if at < next {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return best
}

func (s shift) bound(a float64) float64 {
	var sum double.Interval
	for i, w := range s.weights {
		sum = sum.Add(w.Mul(double.Point(a).Mul(s.turns[i]).Neg().Exp()))
	}
	return sum.Upper().Log().Hi
}
