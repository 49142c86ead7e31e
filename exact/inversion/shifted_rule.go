// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A shiftedPlan says how a trapezoidal rule is laid out for M(−λ + it) of a mixture on one side, along a shifted line,
// see shiftedBound. It is good for all t ≥ 0 at once, where the real line needs nodes in proportion to t.
//
//	Im z = 0    ─────────────────────────   N(0) bounds the integrand for every t ≥ 0
//	Im z = y    ──•──•──•──•──•──•──•──•─   nodes of the rule
//	Im z = 2y   ─────────────────────────   N(2b), for every t ≥ 0
//
// Lemma. Let 2b·max |m_i| < π over the means of A and B.
// Let y be −b where shiftedBound moves down, and b where it moves up.
// Let N(0) and N(2b) be the bounds of shiftedBound, without the factor that falls with t, of the integrals of
// |integrand| over Im z = 0 and Im z = 2y. A rule of step η on Im z = y is off by at most
//
//	(N(0) + N(2b))/(e^{2πb/η} − 1)  for every t ≥ 0.
//
// Proof. At x + iy the integrand is f = φ·A^{1+λ}·B^{−λ}·(A/B)^{−it}, with the principal powers.
// By shiftedBound it is analytic where 0 ≤ |Im z| ≤ 2b on that side, and there
//
//	|f(z)| ≤ φ(x)·e^{|Im z|²/2}·|A(z)|^{1+λ}·|B(z)|^{−λ}·e^{−t(|arg A(z)| + |arg B(z)|)}.
//
// The rest are the residues of newQuadrature, about the line in the middle.
//
// Cut. The nodes begin and end outside of the window.
// So terms beyond them add at most the bound of shiftedBound for the integral over Im z = y beyond the window.
type shiftedPlan struct {
	window
	b, step float64
	err     interval.Interval
}

// planShifted returns a rule with an error of about 2^−p of M(−λ), with as few nodes as possible.
func (m *mixture) planShifted(p interval.Prec, lambda *big.Rat) (shiftedPlan, bool) {
	if _, ok := m.apart(); !ok {
		return shiftedPlan{}, false
	}
	w, ok := m.widerWindow(lambda, int(p)+16, bisectorLoss*double.Near(lambda))
	if !ok {
		return shiftedPlan{}, false
	}
	s := m.newStrip(lambda, w)
	unit := double.Int(1)
	real, ok := s.shift(0, unit)
	if !ok {
		return shiftedPlan{}, false
	}
	farthest := m.farthest().Hi
	base := double.Sum(real.weights)
	target := float64(p+8) * math.Ln2
	best := shiftedPlan{window: w}
	for i := 1; i < 16; i++ {
		b := math.Pi / 2 * float64(i) / 16 / farthest
		outer, ok := s.shift(2*b, unit)
		if !ok {
			continue
		}
		n := base.Add(double.Sum(outer.weights))
		step := roundDown(2 * math.Pi * b / (target + n.Div(base).Log().Hi))
		if !(step > best.step) {
			continue
		}
		middle, ok := s.shift(b, unit)
		if !ok {
			continue
		}
		ends := double.Sum(middle.weights[len(middle.weights)-len(s.ends):])
		fall := double.Int(2).Mul(double.Of(coarse.Pi())).Mul(double.Point(b)).Div(double.Point(step))
		rule := coarse.Div(n.Upper().Exact(), coarse.Expm1(fall.Lower().Exact()))
		best.b, best.step = b, step
		best.err = upper(coarse.Mul(coarse.Add(rule, ends.Upper().Exact()), scaleOf(w.peak)))
	}
	return best, best.step > 0
}

// nodes is about the number of nodes of the rule.
func (r shiftedPlan) nodes() float64 { return (point(r.last) - point(r.first)) / r.step }

// outermost returns the indices of the first and the last node, outside of the window.
func (r shiftedPlan) outermost() (first, last int64) {
	return int64(math.Ceil(point(r.first)/r.step)) - 1, int64(math.Ceil(point(r.last) / r.step))
}

// wordLine returns numbers within err of M(−λ + ijh), j = 0 … n: sums of a_k·e^{−jh(θ_k + iL_k)}, of nodes in words.
func (r shiftedPlan) wordLine(
	ctx context.Context, m *mixture, lambda *big.Rat, h fixed.Real, n int,
) (wordLine, bool, error) {
	y := fixed.FromInterval(double.Exactly(r.b))
	if up, _ := m.apart(); up {
		y = y.Neg()
	}
	l, eta := words.Rat(lambda), fixed.FromInterval(double.Exactly(r.step))
	scale := words.Div(eta, rootTwoPiWords())
	a, b := wordComponents(m.a), wordComponents(m.b)
	thinned := m.thinning.InWords()
	half := words.Scale(fixed.Int(1), -1)
	var weights []fixed.Complex
	var turns, angles []fixed.Real
	first, last := r.outermost()
	for i := first; i <= last; i++ {
		z := fixed.Complex{Re: words.Mul(fixed.Int(i), eta), Im: y}
		la, lb := logOfC(a, z), logOfC(b, z)
		power := words.SubC(words.ScaleC(words.Add(l, fixed.Int(1)), la), words.ScaleC(l, lb))
		power = words.SubC(words.SubC(power, words.ScaleC(half, words.SqrC(z))), thinned(z))
		weights = append(weights, words.ScaleC(scale, words.ExpC(power)))
		angles = append(angles, words.Mul(h, words.Sub(la.Re, lb.Re)))
		turns = append(turns, words.Mul(h, words.Add(la.Im.Abs(), lb.Im.Abs())))
	}
	values, ok, err := fixed.DampedWaves(ctx, weights, angles, turns, n)
	return wordLine{values, r.err}, ok && r.err.IsFinite(), err
}
