// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A table is what parameters are chosen by: about log A and log B at the points i/tableStep,
// |i| ≤ tableSize.
type table struct{ la, lb [2*tableSize + 1]float64 }

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

// A window is the rows from first to last, between which the weight at λ is; log √(2π)·f is about
// peak at its greatest.
type window struct {
	first, last int
	peak        float64
}

// window returns the rows outside of which the weight at λ is below 2^−bits of its peak,
// about. It reports false if the table is too short. Of the ends, −left and right of
// reach are outside for certain: x_first < −left and x_last > right.
//
// The peak is between −left and right, because the logarithm's slope is −x and between
// −left and right.
func (m *mixture) window(lambda *big.Rat, bits int) (window, bool) {
	l := double.Of(coarse.Rat(lambda))
	left, right := m.reach(l)
	w, ok := m.windowAt(l.Mid(), left, right, bits)
	return w, ok && -point(w.first) > left && point(w.last) > right
}

func (m *mixture) windowAt(lambda, left, right float64, bits int) (window, bool) {
	t := m.table()
	weight := func(k int) float64 {
		x := point(k)
		return (1+lambda)*t.la[k] - lambda*t.lb[k] - x*x/2
	}
	i, j := tableSize, tableSize
	peak := weight(i)
	for ; i >= 0 && -point(i) <= left+1; i-- {
		peak = max(peak, weight(i))
	}
	for ; j < len(t.la) && point(j) <= right+1; j++ {
		peak = max(peak, weight(j))
	}
	low := peak - float64(bits)*math.Ln2
	for i >= 0 && !(weight(i) < low) {
		i--
	}
	for j < len(t.la) && !(weight(j) < low) {
		j++
	}
	return window{i, j, peak}, i >= 0 && j < len(t.la) && isNumber(peak)
}

// logMoment is the trapezoidal sum over the table. Where a step says little, the logarithm is small, and counts many times: so all of the
// sum is taken that float64 holds.
func (m *mixture) logMoment(lambda float64) float64 {
	left, right := m.reach(double.Point(lambda))
	w, ok := m.windowAt(lambda, left, right, 56)
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
