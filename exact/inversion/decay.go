// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A cell is an interval of x, with bounds for the tilted density f(x)/M(−λ), f = φ·A^{1+λ}·B^{−λ}, and for the loss L.
type cell struct {
	mass      double.Interval // bounds of the mass
	loss      double.Interval
	jump      float64 // bound of |f/(M·L′)|; +∞ where L′ may vanish
	variation float64 // bound of ∫|(f/L′)′| dx/M
}

// decay bounds |ψ(t)|, ψ(t) = M(−λ + it)/M(−λ) = E[e^{−itL}] under the tilted density, in two ways,
// and in a third way, see shiftedBound.
//
// Pairs. With an independent copy L* of L, |ψ(t)|² = E cos(t(L − L*)). As 1 − cos u ≥ 0,
//
//	1 − |ψ(t)|² ≥ Σ m_i·m_j·min{1 − cos(t·d) : d ∈ L(cell i) − L(cell j)}
//
// over any pairs of cells, with lower bounds m_i of their masses.
// For |u| ≤ π, 1 − cos u rises with |u| and is at least max(2u²/π², u²/2 − u⁴/24). Other pairs are left out.
//
// Integration by parts. On an interval [x₀, x₁] on which L′ ≠ 0, with G = f/(M·L′),
//
//	∫ f/M·e^{−itL} dx = ∫ G·L′·e^{−itL} dx = (i/t)·{[G·e^{−itL}] − ∫ G′·e^{−itL} dx}.
//
// So |ψ(t)| ≤ (mass elsewhere) + (|G(x₀)| + |G(x₁)| + ∫|G′|)/|t|, added up over such intervals.
// Any cells may be elsewhere. Next to the bulk of the mass L′ is small and G is large,
// and for each t there is a best cut:
//
//	    count by their mass               cut          taken by parts
//	├──────┼──────┼──────┼──────┼──────┼───┃──┼──────┼──────┼──────┼──────┤   cells of x
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
	norm := m.moment(doublePrec, lambda)
	cells, outside, ok := m.cells(lambda, norm)
	if !ok {
		return constant
	}
	pairs, cuts := newPairs(groups(cells)), byParts(cells, outside)
	var shifted shiftedBound
	const bits = 100
	if w, ok := m.widerWindow(lambda, bits, bisectorLoss*float64Of(lambda)); ok {
		shifted = m.newShiftedBound(lambda, w, double.Of(coarse.Div(scaleOf(w.peak), norm)))
	}
	var mu sync.Mutex
	last, bound := -1.0, 0.0 // of the last question
	return func(a, b float64) float64 {
		y := min(pairs.bound(a, b), cuts.bound(a))
		mu.Lock()
		defer mu.Unlock()
		if last != a {
			last, bound = a, shifted.bound(a)
		}
		return min(y, bound)
	}
}

// cellsPerRow is how many cells there are between two rows of the table.
const cellsPerRow = 2

// cells returns the cells between the rows of the table, and a bound of the mass outside.
func (m *mixture) cells(lambda *big.Rat, norm interval.Interval) (cells []cell, outside double.Interval, ok bool) {
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
	density := func(x double.Interval) double.Interval { // f(x)/M
		la, lb := m.logsAt(x)
		return unit.Mul(m.logWeightAt(l, x, la, lb).Sub(double.Point(w.peak)).Exp())
	}
	const n = tableStep * cellsPerRow
	border := func(i int) double.Interval { return double.Point(point(w.first) + float64(i)/n) } // exact
	for i := range (w.last - w.first) * cellsPerRow {
		cells = append(cells, m.newCell(l, border(i), border(i+1), density))
	}
	r0, r1 := double.Point(point(w.first)), double.Point(point(w.last))
	onLeft := density(r0).Div(r0.Neg().Sub(double.Point(m.leftReach(l, r0))))
	outside = onLeft.Add(density(r1).Div(r1.Sub(double.Point(m.rightReach(l, r1)))))
	return cells, outside.Upper(), true
}

// newCell bounds the quantities of a cell.
func (m *mixture) newCell(lambda, x0, x1 double.Interval, density func(double.Interval) double.Interval) cell {
	middle, width := x0.Add(x1).Half().Mid(), x1.Sub(x0)
	mid := double.Point(middle)
	radius := double.Max(x1.Sub(mid), mid.Sub(x0)).Upper()
	meanA, varA := moments(m.doubleA, x0, x1)
	meanB, varB := moments(m.doubleB, x0, x1)
	slope := double.Int(1).Add(lambda).Mul(meanA).Sub(lambda.Mul(meanB)).Sub(double.Union(x0, x1))
	slope = slope.Sub(double.Union(m.fall(x0), m.fall(x1)))
	lossSlope := meanA.Sub(meanB)
	grow := radius.Mul(slope.Abs().Upper()).Exp()
	at := density(mid)
	highest := at.Mul(grow).Upper()
	c := cell{mass: double.Union(width.Mul(at.Div(grow)).AtLeastZero(), width.Mul(highest)), jump: math.Inf(1)}
	spread := radius.Mul(lossSlope.Abs().Upper())
	la, lb := m.logsAt(mid)
	c.loss = la.Sub(lb).Add(double.Union(spread.Neg(), spread))
	if low := lossSlope.Abs().Lower(); low.Lo > 0 {
		jump := highest.Div(low)
		c.jump = jump.Hi
		c.variation = width.Mul(jump).Mul(slope.Sub(varA.Sub(varB).Div(lossSlope)).Abs()).Hi
	}
	return c
}

// moments encloses the mean and the variance of the means, with weights between those at the two ends of a cell.
func moments(cs []doubleComponent, x0, x1 double.Interval) (mean, variance double.Interval) {
	if len(cs) == 1 {
		return cs[0].mean, variance
	}
	e0, e1 := exponents(cs, x0), exponents(cs, x1)
	shift := greatest(e0, e1)
	w0, w1 := scaled(e0, shift), scaled(e1, shift)
	at := func(w []double.Interval) double.Interval {
		var s double.Interval
		for i, c := range cs {
			s = s.Add(w[i].Mul(c.mean))
		}
		return s.Div(total(w))
	}
	mean = double.Union(at(w0), at(w1))
	w := unions(w0, w1)
	for i, c := range cs {
		variance = variance.Add(w[i].Mul(c.mean.Sub(mean).Sqr()))
	}
	return mean, variance.Div(total(w))
}

// A pairSum bounds 1 − |ψ|² from below by pairs of groups of cells.
type pairSum []pairTerm

// A pairTerm is a pair of groups.
type pairTerm struct {
	weight float64 // 2·m_i·m_j, from below
	square float64 // d², from below
	gap    float64 // d, from above
}

// A group is a range of the loss, with a mass. At least the lower end of the mass is on the range.
type group struct{ mass, loss double.Interval }

// groups joins adjacent cells by twos.
func groups(cells []cell) []group {
	var out []group
	for i := 0; i+1 < len(cells); i += 2 {
		out = append(out, group{cells[i].mass.Add(cells[i+1].mass), double.Union(cells[i].loss, cells[i+1].loss)})
	}
	return out
}

// newPairs takes the groups that hold more than 2^−9 of the mass each, and no others. No two groups share mass.
func newPairs(all []group) pairSum {
	var groups []group
	for _, g := range all {
		if g.mass.Lo > 0x1p-9 {
			groups = append(groups, g)
		}
	}
	var out pairSum
	for i, g := range groups {
		for _, h := range groups[:i] {
			d := g.loss.Sub(h.loss).Abs()
			if d.Lo > 0 {
				weight := double.Int(2).Mul(g.mass.Lower()).Mul(h.mass.Lower())
				out = append(out, pairTerm{weight.Lo, d.Lower().Sqr().Lo, d.Hi})
			}
		}
	}
	return out
}

// bound returns an upper bound of log|ψ(t)| for |t| ∈ [a, b].
//
// Rounding. Every term is ≥ 0 and is made of fewer than 12 operations with a relative error of v = 2^−53 each.
// The difference 1/2 − u²/24 is at least 0.08 where |u| ≤ π, so it multiplies errors by at most 12.
// The sum of N such terms is off by less than (N + 200)·v of itself, which the factor 1 − (N + 200)·2v covers.
func (ps pairSum) bound(a, b float64) float64 {
	const (
		limit = math.Pi * (1 - 0x1p-40)
		chord = 2 / (math.Pi * math.Pi) * (1 - 0x1p-40) // < 2/π²
	)
	sum, a2 := 0.0, float64(a*a)
	for _, t := range ps {
		if !(t.gap*b <= limit) {
			continue
		}
		u2 := float64(a2 * t.square)
		sum += float64(t.weight * float64(u2*max(chord, 0.5-float64(u2/24))))
	}
	sum = float64(sum * (1 - float64(len(ps)+200)*0x1p-52))
	return min(0, double.Int(1).Sub(double.Point(sum)).AtLeastZero().Log().Half().Hi)
}

// Cuts bound |ψ(t)|, each of them by elsewhere + variation/|t|.
type cuts []part

// A part is a bound elsewhere + variation/|t|.
type part struct{ elsewhere, variation float64 }

// bound returns an upper bound of log|ψ(t)| for |t| ≥ a > 0: the least one.
// Its two operations are each off by a factor of 1 + 2^−53.
func (cs cuts) bound(a float64) float64 {
	best := 1.0
	for _, c := range cs {
		best = min(best, c.elsewhere+c.variation/a)
	}
	return min(0, double.Point(best).Mul(double.Point(1+0x1p-50)).Log().Hi)
}

// byParts returns two bounds for each cut: one takes the cells on the right of it by parts, one the cells on the left.
// Other cells, and those on which L′ may vanish, count by their mass.
func byParts(cells []cell, outside double.Interval) cuts {
	backwards := make([]cell, len(cells))
	for i, c := range cells {
		backwards[len(cells)-1-i] = c
	}
	return append(partsBefore(cells, outside), partsBefore(backwards, outside)...)
}

// partsBefore takes the first cells by parts: for each number of them, there is a bound.
func partsBefore(cells []cell, outside double.Interval) cuts {
	after := make([]double.Interval, len(cells)+1) // the mass of the cells from i on, and outside
	after[len(cells)] = outside.Upper()
	for i := len(cells) - 1; i >= 0; i-- {
		after[i] = after[i+1].Add(cells[i].mass.Upper())
	}
	var out cuts
	var skipped, variation double.Interval // of the cells so far, without the jump at the end of a run
	running := false
	for i, c := range cells {
		switch {
		case math.IsInf(c.jump, 1):
			skipped = skipped.Add(c.mass.Upper())
			if running {
				variation = variation.Add(double.Point(cells[i-1].jump))
			}
			running = false
			continue
		case !running:
			variation = variation.Add(double.Point(c.jump))
			running = true
		}
		variation = variation.Add(double.Point(c.variation))
		out = append(out, part{after[i+1].Add(skipped).Hi, variation.Add(double.Point(c.jump)).Hi})
	}
	return out
}
