// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/quadrature"
)

// ratio returns M(−λ + ijh)/M(−λ), j = 0 … far. It reports false where that takes too many products.
func (m *mixture) ratio(c parameters, h double.Interval) (r tried[quadrature.Ratio]) {
	q, ok := m.fineRule(c.lambda, h.Mul(double.Int(int64(c.far))).Hi)
	if !ok || c.far > maxDoubleProducts/len(q.Weights) {
		return r
	}
	r.value, r.ok = q.Ratio(h, c.far)
	return r
}

const (
	tableStep = likely.TableStep
	tableSize = likely.TableSize
)

// point returns the number of row i.
func point(i int) float64 { return likely.Point(i) }

// exponents encloses log p_i + m_i·x − m_i²/2.
func exponents(cs []doubleComponent, x double.Interval) []double.Interval {
	out := make([]double.Interval, len(cs))
	for i, c := range cs {
		out[i] = c.logProb.Add(c.mean.Mul(x.Sub(c.mean.Half())))
	}
	return out
}

// isStandard reports whether components are N(0, 1): there is one, of probability 1.
func isStandard(cs []doubleComponent) bool {
	return len(cs) == 1 && cs[0].mean.Lo == 0 && cs[0].mean.Hi == 0
}

// logsAt encloses log A and log B at x.
func (m *mixture) logsAt(x double.Interval) (la, lb double.Interval) {
	return logSum(m.doubleA, x), logSum(m.doubleB, x)
}

// logSum encloses log Σ p_i·e^{m_i·x − m_i²/2}: near 0 by Σ p_i·(e^{m_i·x − m_i²/2} − 1), as the p_i add up to 1.
func logSum(cs []doubleComponent, x double.Interval) double.Interval {
	if isStandard(cs) {
		return double.Interval{}
	}
	var rest double.Interval
	for _, c := range cs {
		if c.mean.Lo == 0 && c.mean.Hi == 0 {
			continue
		}
		e := c.mean.Mul(x.Sub(c.mean.Half()))
		if e.Hi > 700 {
			return double.LogSum(exponents(cs, x))
		}
		rest = rest.Add(c.prob.Mul(e.Exp().Sub(double.Int(1))))
	}
	if rest.Lo <= -0.5 {
		return double.LogSum(exponents(cs, x))
	}
	return rest.Log1p()
}

// logWeightAt encloses log(√(2π)·φ·A^{1+λ}·B^{−λ}·g) at x, from log A and log B.
func (m *mixture) logWeightAt(lambda, x, la, lb double.Interval) double.Interval {
	return double.Int(1).Add(lambda).Mul(la).Sub(lambda.Mul(lb)).Sub(x.Sqr().Half()).Sub(m.thinning.Exponent(x))
}

// meanRange returns the range of the means.
func meanRange(cs []doubleComponent) double.Interval {
	r := cs[0].mean
	for _, c := range cs[1:] {
		r = double.Union(r, c.mean)
	}
	return r
}

// reach bounds the slope of log(A^{1+λ}·B^{−λ}) by right from above and by −left from below:
// A′/A is a weighted mean of A's m_i, and B′/B is one of B's.
func (m *mixture) reach(lambda double.Interval) (left, right float64) {
	slope := double.Int(1).Add(lambda).Mul(meanRange(m.doubleA)).Sub(lambda.Mul(meanRange(m.doubleB)))
	return max(0, -slope.Lo), max(0, slope.Hi)
}

// leftReach is the left of reach for all x ≤ x₀.
//
// Where no mean of B is below 0, B′/B rises with x from the least mean on.
// So the slope is at least (1+λ)·min m_i − λ·(B′/B)(x₀).
// The same holds with B_b of newQuadrature in the place of B: in its terms the cosines fall with the mean,
// so that B_b′/B_b ≤ B′/B (Chebyshev's inequality for sums).
//
// Rare samples need it: their λ is in the millions, and on the left only the term of B with mean 0 is felt.
func (m *mixture) leftReach(lambda, x0 double.Interval) float64 {
	mean, _ := moments(m.doubleB, x0, x0)
	fall := m.thinning.Fall(x0)
	return double.Max(fall, fall.Half()).Add(double.Point(m.leftReachBy(lambda, mean))).Hi
}

// rightReach is the right of reach for all x ≥ x₁, see thinning.
func (m *mixture) rightReach(lambda, x1 double.Interval) float64 {
	_, right := m.reach(lambda)
	fall := m.thinning.Fall(x1)
	return double.Point(right).Sub(double.Min(fall, fall.Half())).Hi
}

// leftReachBy is leftReach by B′/B at x₀.
func (m *mixture) leftReachBy(lambda, mean double.Interval) float64 {
	left, _ := m.reach(lambda)
	if left == 0 || meanRange(m.doubleB).Lo < 0 {
		return left
	}
	slope := double.Int(1).Add(lambda).Mul(meanRange(m.doubleA).Lower()).Sub(lambda.Mul(mean.Upper()))
	return min(left, max(0, -slope.Lo))
}

// A window is the rows from first to last, between which the weight at λ is, and which are beyond reach. Almost all of
// it is between the rows from and to. The greatest value of log(√(2π)·f) is near peak.
type window struct {
	first, last int
	from, to    int
	peak        float64
}

// nodes is about the number of nodes of a rule.
func (w window) nodes(step float64) float64 { return (point(w.last) - point(w.first)) / step }

// window returns rows outside of which the weight at λ is below 2^−bits of its peak, about.
// It reports false if the table is too short.
// Its ends are outside of reach for certain: x_first < −left of leftReach, and x_last > right.
//
// The peak is between −left and right: the slope of log f is −x plus a number between −left and right.
func (m *mixture) window(lambda *big.Rat, bits int) (window, bool) {
	return m.windowBeyond(lambda, bits, 0)
}

// windowBeyond is window with so many nats more on the right, for bounds that grow there.
func (m *mixture) windowBeyond(lambda *big.Rat, bits int, nats float64) (window, bool) {
	l := double.Of(coarse.Rat(lambda))
	w, _, ok := m.windowAt(l.Mid(), bits, nats)
	first, last := double.Point(point(w.first)), double.Point(point(w.last))
	return w, ok && -first.Lo > m.leftReach(l, first) && last.Lo > m.rightReach(l, last)
}

// moments encloses the mean and the variance of the means, with weights between those at the two ends of a cell. The
// variance of two is p·q·(m₂ − m₁)², and their odds p : q are monotone in x.
func moments(cs []doubleComponent, x0, x1 double.Interval) (mean, variance double.Interval) {
	switch len(cs) {
	case 1:
		return cs[0].mean, variance
	case 2: // each share rises or falls with x
		p0, q0 := shares(cs, x0)
		p1, q1 := shares(cs, x1)
		at := func(p, q double.Interval) double.Interval { return p.Mul(cs[0].mean).Add(q.Mul(cs[1].mean)) }
		apart := cs[1].mean.Sub(cs[0].mean)
		return double.Union(at(p0, q0), at(p1, q1)), apart.Sqr().Mul(double.Union(p0, p1).Mul(double.Union(q0, q1)))
	}
	e0, e1 := exponents(cs, x0), exponents(cs, x1)
	shift := double.Greatest(e0, e1)
	w0, w1 := double.Exps(e0, shift), double.Exps(e1, shift)
	at := func(w []double.Interval) double.Interval {
		var s double.Interval
		for i, c := range cs {
			s = s.Add(w[i].Mul(c.mean))
		}
		return s.Div(double.Sum(w))
	}
	mean = double.Union(at(w0), at(w1))
	for i, c := range cs {
		w0[i] = double.Union(w0[i], w1[i])
		variance = variance.Add(w0[i].Mul(c.mean.Sub(mean).Sqr()))
	}
	return mean, variance.Div(double.Sum(w0))
}

// shares encloses the weights at x of two components, which add up to 1.
func shares(cs []doubleComponent, x double.Interval) (first, second double.Interval) {
	at := func(c doubleComponent) double.Interval { return c.logProb.Add(c.mean.Mul(x.Sub(c.mean.Half()))) }
	one, odds := double.Int(1), at(cs[0]).Sub(at(cs[1])).Exp()
	second = one.Div(one.Add(odds)).AtLeastZero()
	if second.Hi <= 0.5 { // odds may be without end
		return one.Sub(second), second
	}
	return double.Min(one, odds.Mul(second)).AtLeastZero(), second
}
