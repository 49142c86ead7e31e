// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
)

// A table is what parameters are chosen by: about log A and log B at the points i/tableStep,
// |i| ≤ tableSize.
type table struct {
	la, lb [2*tableSize + 1]float64
	slopes func() []double.Interval // B′/B
}

const (
	tableStep = 8
	tableSize = 128 * tableStep
)

// point returns the number of row i.
func point(i int) float64 { return float64(i-tableSize) / tableStep }

func (m *mixture) newTable() *table {
	t := new(table)
	for i := range t.la {
		la, lb := m.logsAt(double.Point(point(i)))
		t.la[i], t.lb[i] = la.Mid(), lb.Mid()
	}
	t.slopes = sync.OnceValue(func() []double.Interval {
		out := make([]double.Interval, len(t.lb))
		for i := range out {
			x := double.Point(point(i))
			out[i], _ = moments(m.roughB, x, x)
		}
		return out
	})
	return t
}

// exponents encloses log p_i + m_i·x − m_i²/2.
func exponents(cs []roughComponent, x double.Interval) []double.Interval {
	out := make([]double.Interval, len(cs))
	for i, c := range cs {
		out[i] = c.logProb.Add(c.mean.Mul(x.Sub(c.mean.Half())))
	}
	return out
}

// greatest returns a number that no exponent exceeds by much.
func greatest(es ...[]double.Interval) float64 {
	top := math.Inf(-1)
	for _, e := range es {
		for _, x := range e {
			top = max(top, x.Hi)
		}
	}
	return top
}

// scaled encloses e^(e_i − shift).
func scaled(e []double.Interval, shift float64) []double.Interval {
	out := make([]double.Interval, len(e))
	for i, x := range e {
		out[i] = x.Sub(double.Point(shift)).Exp()
	}
	return out
}

// logSum encloses log Σ e^(e_i).
func logSum(e []double.Interval) double.Interval {
	shift := greatest(e)
	return total(scaled(e, shift)).Log().Add(double.Point(shift))
}

func total(xs []double.Interval) double.Interval {
	var s double.Interval
	for _, x := range xs {
		s = s.Add(x)
	}
	return s
}

func dot(a, b []double.Interval) double.Interval {
	var s double.Interval
	for i := range a {
		s = s.Add(a[i].Mul(b[i]))
	}
	return s
}

func unions(a, b []double.Interval) []double.Interval {
	out := make([]double.Interval, len(a))
	for i := range a {
		out[i] = double.Union(a[i], b[i])
	}
	return out
}

// logsAt encloses log A and log B at x.
func (m *mixture) logsAt(x double.Interval) (la, lb double.Interval) {
	return logSum(exponents(m.roughA, x)), logSum(exponents(m.roughB, x))
}

// logWeightAt encloses log(√(2π)·φ·A^{1+λ}·B^{−λ}) at x, from log A and log B.
func logWeightAt(lambda, x, la, lb double.Interval) double.Interval {
	return double.Int(1).Add(lambda).Mul(la).Sub(lambda.Mul(lb)).Sub(x.Sqr().Half())
}

// meanRange returns the range of the means.
func meanRange(cs []roughComponent) double.Interval {
	r := cs[0].mean
	for _, c := range cs[1:] {
		r = double.Union(r, c.mean)
	}
	return r
}

// reach bounds the slope of log(A^{1+λ}·B^{−λ}): it is at most right and at least −left,
// as A′/A is a weighted mean of the m_i, and B′/B one of B's.
func (m *mixture) reach(lambda double.Interval) (left, right float64) {
	slope := double.Int(1).Add(lambda).Mul(meanRange(m.roughA)).Sub(lambda.Mul(meanRange(m.roughB)))
	return max(0, -slope.Lo), max(0, slope.Hi)
}

// leftReach is the left of reach for all x ≤ x₀: where no mean of B is below 0, B′/B rises with x from the least mean on, so that the slope is at
// least (1+λ)·min m_i − λ·(B′/B)(x₀). The same holds with B_b of newQuadrature in the place of B, in whose terms the cosines fall with
// the mean, so that B_b′/B_b ≤ B′/B (Chebyshev's inequality for sums).
//
// Samples that are rare need it: λ is then in the millions, and next to no term of B is felt on the left.
func (m *mixture) leftReach(lambda, x0 double.Interval) float64 {
	mean, _ := moments(m.roughB, x0, x0)
	return m.leftReachBy(lambda, mean)
}

// leftReachBy is leftReach by B′/B at x₀.
func (m *mixture) leftReachBy(lambda, mean double.Interval) float64 {
	left, _ := m.reach(lambda)
	if left == 0 || meanRange(m.roughB).Lo < 0 {
		return left
	}
	slope := double.Int(1).Add(lambda).Mul(meanRange(m.roughA).Lower()).Sub(lambda.Mul(mean.Upper()))
	return min(left, max(0, -slope.Lo))
}

// A window is the rows from first to last, between which the weight at λ is; log √(2π)·f is about
// peak at its greatest.
type window struct {
	first, last int
	peak        float64
}

// window returns the rows outside of which the weight at λ is below 2^−bits of its peak,
// about. It reports false if the table is too short. Of the ends, −left of leftReach and right of
// reach are outside for certain: x_first < −left and x_last > right.
//
// The peak is between −left and right, because the logarithm's slope is −x and between
// −left and right.
func (m *mixture) window(lambda *big.Rat, bits int) (window, bool) {
	return m.windowBeyond(lambda, bits, 0)
}

// windowBeyond is window with so many nats more on the right, for bounds that grow there.
func (m *mixture) windowBeyond(lambda *big.Rat, bits int, nats float64) (window, bool) {
	l := double.Of(coarse.Rat(lambda))
	_, right := m.reach(l)
	w, ok := m.windowAt(l.Mid(), bits, nats)
	return w, ok && -point(w.first) > m.leftReach(l, double.Point(point(w.first))) && point(w.last) > right
}

func (m *mixture) windowAt(lambda float64, bits int, nats float64) (window, bool) {
	t := m.table()
	left, right := m.reach(double.Point(lambda))
	const far = 8 // from where on it is worth knowing better
	within := func(i int) bool {
		x := -point(i)
		return x <= left+1 && (left < far || x <= m.leftReachBy(double.Point(lambda), t.slopes()[i])+1)
	}
	weight := func(k int) float64 {
		x := point(k)
		return (1+lambda)*t.la[k] - lambda*t.lb[k] - x*x/2
	}
	i, j := tableSize, tableSize
	peak := weight(i)
	for ; i >= 0 && within(i); i-- {
		peak = max(peak, weight(i))
	}
	for ; j < len(t.la) && point(j) <= right+1; j++ {
		peak = max(peak, weight(j))
	}
	low := peak - float64(bits)*math.Ln2
	for i >= 0 && !(weight(i) < low) {
		i--
	}
	for j < len(t.la) && !(weight(j) < low-nats) {
		j++
	}
	return window{i, j, peak}, i >= 0 && j < len(t.la) && isNumber(peak)
}

// steepWindow is window for bounds that count what is outside by the worst of everything beyond, which may be e^nats larger: where λ is so
// large that A^{1+λ}·B^{−λ} falls like e^{−e^x} on the right, a few rows more make up for that, and elsewhere for nothing.
func (m *mixture) steepWindow(lambda *big.Rat, bits int, nats float64) (window, bool) {
	const steep = 64
	if left, _ := m.reach(double.Of(coarse.Rat(lambda))); left > steep && meanRange(m.roughB).Lo >= 0 && isNumber(nats) {
		if w, ok := m.windowBeyond(lambda, bits, nats); ok {
			return w, true
		}
	}
	return m.window(lambda, bits)
}

// logMoment is the trapezoidal sum over the table. Where a step says little, the logarithm is small, and counts many times: so all of the
// sum is taken that float64 holds.
func (m *mixture) logMoment(lambda float64) float64 {
	w, ok := m.windowAt(lambda, 56, 0)
	if !ok {
		return math.NaN()
	}
	t := m.table()
	sum := 0.0
	for k := w.first; k <= w.last; k++ {
		x := point(k)
		if y := (1+lambda)*t.la[k] - lambda*t.lb[k] - x*x/2 - w.peak; y > -40 {
			sum += double.Exp64(y)
		}
	}
	return w.peak + double.Log64(sum/(tableStep*2.5066282746310002)) // √(2π)
}
