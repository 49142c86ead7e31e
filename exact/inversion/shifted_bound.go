// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
)

// A shiftedBound bounds |ψ(t)| of a mixture by moving the line of integration.
// All means of A are ≥ 0 and all of B are ≤ 0, or the other way round.
// The bound falls faster than any power of t; a few copies are inverted by it.
//
//	Im z = 0    ─────────────────────────  |integrand| does not fall with t here,
//	                                       the integrand is analytic between,
//	Im z = −b   ─────────────────────────  and it is e^{−t(θ_A + θ_B)} times smaller here
//
// Lemma. Let 0 < b < π/max |m_i|, and z = x − ib if the means of A are ≥ 0, z = x + ib if they are ≤ 0.
// For t ≥ 0, with θ_A = |arg A(z)| and θ_B = |arg B(z)|,
//
//	|M(−λ + it)| ≤ ∫ φ(x)·e^{b²/2}·|A(z)|^{1+λ}·|B(z)|^{−λ}·e^{−t(θ_A + θ_B)} dx.
//
// Proof. Let the means of A be ≥ 0, and 0 ≤ η ≤ b. The other case is the conjugate.
// At x − iη, all terms of A have arguments in (−π, 0], and all terms of B have arguments in [0, π).
// So neither sum is 0 or negative.
// The integrand of M(−λ + it), with the principal powers of both, is analytic there, and falls like φ as |Re z| → ∞.
// On the line η = b, |A^{−it}| = e^{t·arg A} and |B^{it}| = e^{−t·arg B}.
//
// Moduli. |A(z)| ≤ A(x). With β = b·max |m_i| over the means of B, |B(z)| ≥ cos(β/2)·B(x):
// all terms lie in an angle β, and are projected onto its bisector.
// Arguments. For A and for B, θ ≥ sin θ = |Im|/|·|, and θ ≥ π/2 where the real part is ≤ 0.
//
// Cells, and the outside of them, are as in newQuadrature; outside, θ ≥ 0 is used.
// Where no mean is below 0, |B(z)|/B(x) ≥ B_b(x)/B(x), a mean of cos m_i·b with weights b_i, which falls with x.
// So its value at the left end bounds all beyond it.
//
// Where both have a mean 0 and others, θ_A + θ_B is bounded away from 0, and |M| falls exponentially.
type shiftedBound []func() shift

// A shift is the bound for one b: Σ weight·e^{−t·turn} over cells. Without cells it bounds nothing.
type shift struct{ weights, turns []double.Interval }

// apart reports whether the lemma is about m, and whether the means of A are the ones that are ≥ 0.
func (m *mixture) apart() (up, ok bool) {
	a, b := meanRange(m.doubleA), meanRange(m.doubleB)
	if a.Abs().Hi == 0 && b.Abs().Hi == 0 {
		return false, false
	}
	return a.Lo >= 0 && b.Hi <= 0, a.Lo >= 0 && b.Hi <= 0 || a.Hi <= 0 && b.Lo >= 0
}

// farthest is the largest |m_i| of the means of A and B, or more: on shifted lines it bounds turns of g, too.
func (m *mixture) farthest() double.Interval {
	return double.Max(double.Max(meanRange(m.doubleA).Abs(), meanRange(m.doubleB).Abs()),
		double.Point(m.thinning.Turning()))
}

// newShiftedBound bounds |ψ| at λ for some b. scale encloses (e^peak/√(2π))/M(−λ).
func (m *mixture) newShiftedBound(lambda *big.Rat, w window, scale double.Interval) shiftedBound {
	if _, ok := m.apart(); !ok {
		return nil
	}
	s := m.newStrip(lambda, w)
	farthest := m.farthest().Hi
	var out shiftedBound
	for i := 1; i < 16; i++ {
		b := math.Pi * float64(i) / 16 / farthest * (1 - 0x1p-40) // b·farthest < π
		out = append(out, sync.OnceValue(func() shift {
			y, _ := s.shift(b, scale)
			return y
		}))
	}
	return out
}

// shift is the bound for one b.
func (s *strip) shift(b float64, scale double.Interval) (shift, bool) {
	at := double.Point(b)
	cosA, sinA := circle(s.doubleA, at)
	cosB, sinB := circle(s.doubleB, at)
	share := bisected(s.doubleB, at)
	if !(share.Lo > 0 && at.Mul(s.farthest().Upper()).Hi < math.Pi) {
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
		modulusB := double.Max(modulus.Lower(), share.Mul(double.Sum(c.b)).Lower())
		add(c, double.Int(1).Div(double.Int(tableStep)), modulusB, turnA.Add(turnB).Lower(), i%cellsTogether > 0)
	}
	for i, c := range s.ends {
		modulusB := share.Mul(double.Sum(c.b))
		if i == 0 && s.turnsMoreOnRight() {
			modulusB = double.Max(modulusB.Lower(), double.Dot(c.b, cosB).Lower())
		}
		add(c, double.Int(1).Div(c.clearance), modulusB, double.Interval{}, false)
	}
	return out, true
}

// bisected is cos(β/2), a lower bound of |C(x ± ib)|/C(x).
func bisected(cs []doubleComponent, b double.Interval) double.Interval {
	cos, _ := b.Mul(meanRange(cs).Abs().Upper()).Half().Cis()
	return cos.Lower()
}

// argument encloses the modulus of the sum of terms with given cosines and sines ≥ 0.
// It bounds the argument of the sum from below, if that is below π.
func argument(terms, cos, sin []double.Interval) (modulus, least double.Interval) {
	re, im := double.Dot(terms, cos), double.Dot(terms, sin)
	modulus = re.Sqr().Add(im.Sqr()).Sqrt()
	if re.Hi <= 0 {
		return modulus, double.Point(1.57)
	}
	return modulus, im.Lower().AtLeastZero().Div(modulus.Upper()).Lower().AtLeastZero()
}

// bound returns an upper bound of log|ψ(t)| for |t| ≥ a: each term falls with t.
// Any b bounds. The best one grows with a, and is looked for by halving.
func (ss shiftedBound) bound(a float64) float64 {
	best := 0.0
	for lo, hi := 0, len(ss)-1; lo < hi; {
		mid := (lo + hi) / 2
		at, next := ss[mid]().bound(a), ss[mid+1]().bound(a)
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
	if len(s.weights) == 0 {
		return 0
	}
	var sum double.Interval
	for i, w := range s.weights {
		sum = sum.Add(w.Mul(double.Point(a).Mul(s.turns[i]).Neg().Exp()))
	}
	return sum.Upper().Log().Hi
}
