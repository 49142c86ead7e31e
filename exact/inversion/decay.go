// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/inversion/remembered"
)

// decay bounds |ψ(t)|, ψ(t) = M(−λ + it)/M(−λ) = E[e^{−itL}] under the tilted density f(x)/M(−λ), f = φ·A^{1+λ}·B^{−λ},
// as package fall does, and in a third way, see shiftedBound. There G = f/(M·L′).
//
// Cells. Let S = (log f)′ = −x + (1+λ)A′/A − λB′/B + (log g)′, see thinning, and L′ = A′/A − B′/B.
// A′/A is the mean of the m_i with weights ∝ a_i. It rises with x, and its slope is the variance V_A.
// So L″ = V_A − V_B, and all of these are enclosed on a cell from its ends.
// On a cell of middle c and radius r, f lies between f(c)·e^{−r·sup|S|} and f(c)·e^{r·sup|S|},
// and L in L(c) ± r·sup|L′|.
// G′ is G·(S − L″/L′).
//
// Beyond the cells there is at most (f(x₁)/(x₁ − R))/M of the mass on the right, and the same on the left,
// see newQuadrature.
func (m *mixture) decay(lambda *big.Rat) decay {
	return m.decayBy(lambda, m.moment(doublePrec, lambda))
}

// decayBy is decay by M(−λ).
func (m *mixture) decayBy(lambda *big.Rat, norm interval.Interval) decay {
	quick := m.quickDecay(lambda, norm, cellsPerRow)
	var shifted shiftedBound
	const bits = 100
	if w, ok := m.widerWindow(lambda, bits, bisectorLoss*double.Near(lambda)); ok {
		shifted = m.newShiftedBound(lambda, w, double.Of(coarse.Div(scaleOf(w.peak), norm)))
	}
	var mu sync.Mutex
	last, bound := -1.0, 0.0 // of the last question
	return kept(func(a, b float64) float64 {
		y := quick(a, b)
		mu.Lock()
		defer mu.Unlock()
		if last != a {
			last, bound = a, shifted.bound(a)
		}
		return min(y, bound)
	})
}

// kept is d with a memory: a line asks for what its choice has asked for, and so do other counts.
func kept(d decay) decay {
	const most = 1 << 9
	of := remembered.Function(func(x [2]float64) float64 { return d(x[0], x[1]) }, most)
	return func(a, b float64) float64 { return of([2]float64{a, b}) }
}

// quickDecay is decayBy without the third bound, which takes most of the time, with so many cells between rows.
func (m *mixture) quickDecay(lambda *big.Rat, norm interval.Interval, cellsPerRow int) decay {
	cells, outside, ok := m.cells(lambda, norm, cellsPerRow)
	if !ok {
		return constant
	}
	pairs, cuts := fall.NewPairs(fall.Groups(cells)), fall.ByParts(cells, outside)
	return kept(func(a, b float64) float64 { return min(pairs.Bound(a, b), cuts.Bound(a)) })
}

// cellsPerRow is how many cells there are between two rows of the table, a power of two.
const cellsPerRow = 2

// cells returns the cells between the rows of the table, and a bound of the mass outside.
func (m *mixture) cells(
	lambda *big.Rat, norm interval.Interval, cellsPerRow int,
) (cells []fall.Cell, outside double.Interval, ok bool) {
	if norm.Positive() != interval.True || !norm.IsFinite() {
		return nil, outside, false
	}
	const bits = 60
	w, ok := m.window(lambda, bits)
	if !ok {
		return nil, outside, false
	}
	l := double.Of(coarse.Rat(lambda))
	unit := double.Of(coarse.Div(scaleOf(w.peak), norm))
	density := func(x double.Interval) (y, loss double.Interval) { // f(x)/M, and L(x)
		la, lb := m.logsAt(x)
		return unit.Mul(m.logWeightAt(l, x, la, lb).Sub(double.Point(w.peak)).Exp()), la.Sub(lb)
	}
	n := float64(tableStep * cellsPerRow)
	border := func(i int) double.Interval { return double.Point(point(w.first) + float64(i)/n) } // exact: n is 2^k
	cells = make([]fall.Cell, 0, (w.last-w.first)*cellsPerRow)
	for i := range cap(cells) {
		cells = append(cells, m.newCell(l, border(i), border(i+1), density))
	}
	r0, r1 := double.Point(point(w.first)), double.Point(point(w.last))
	first, _ := density(r0)
	last, _ := density(r1)
	onLeft := first.Div(r0.Neg().Sub(double.Point(m.leftReach(l, r0))))
	outside = onLeft.Add(last.Div(r1.Sub(double.Point(m.rightReach(l, r1)))))
	return cells, outside.Upper(), true
}

// newCell bounds the quantities of a cell.
func (m *mixture) newCell(
	lambda, x0, x1 double.Interval, density func(x double.Interval) (y, loss double.Interval),
) fall.Cell {
	middle, width := x0.Add(x1).Half().Mid(), x1.Sub(x0)
	mid := double.Point(middle)
	radius := double.Max(x1.Sub(mid), mid.Sub(x0)).Upper()
	meanA, varA := moments(m.doubleA, x0, x1)
	meanB, varB := moments(m.doubleB, x0, x1)
	slope := double.Int(1).Add(lambda).Mul(meanA).Sub(lambda.Mul(meanB)).Sub(double.Union(x0, x1))
	slope = slope.Sub(double.Union(m.thinning.Fall(x0), m.thinning.Fall(x1)))
	lossSlope := meanA.Sub(meanB)
	grow := radius.Mul(slope.Abs().Upper()).Exp()
	at, loss := density(mid)
	highest := at.Mul(grow).Upper()
	c := fall.Cell{Mass: double.Union(width.Mul(at.Div(grow)).AtLeastZero(), width.Mul(highest)), Jump: math.Inf(1)}
	spread := radius.Mul(lossSlope.Abs().Upper())
	c.Loss = loss.Add(double.Union(spread.Neg(), spread))
	if low := lossSlope.Abs().Lower(); low.Lo > 0 {
		jump := highest.Div(low)
		c.Jump = jump.Hi
		c.Variation = width.Mul(jump).Mul(slope.Sub(varA.Sub(varB).Div(lossSlope)).Abs()).Hi
	}
	return c
}
