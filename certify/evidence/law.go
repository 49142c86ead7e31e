// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"dpverify/certify/evidence/statement"
	"dpverify/exact/least"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A law is the distribution of the privacy loss of one copy under P, in float64. It chooses
// grids; nothing rests on it.
type law struct {
	part      *statement.Part
	direction mechanism.Direction
	x, m      []float64 // losses and masses of a finite pair
	ordered   []point   // the same by losses, if they are many
	far       int64     // the index of an infinite loss on the lower side; 0: four times the largest finite one

	// δ(ε) depends on what losses add up to ε: those under the law with the weights e^(λ·loss), whose mean they have.
	lambda, logM float64 // λ, and the logarithm of the mean of e^(λ·loss)
}

// weight is how much mass of c copies counts for δ, by its index on a grid.
func (l law) weight(c int64, step float64) func(index int64) float64 {
	return func(i int64) float64 { return math.Exp(l.lambda*step*float64(i) - float64(c)*l.logM) }
}

func newLaw(p *statement.Part, d mechanism.Direction) law {
	l := law{part: p, direction: d}
	listed, ok := p.Pair.(statement.Listed)
	if !ok {
		return l
	}
	for _, o := range listed.Outcomes(d) {
		a, b := statement.Float64(o.P), statement.Float64(o.Q)
		switch {
		case a <= 0:
			continue
		case b <= 0:
			l.x = append(l.x, math.Inf(1))
		default:
			l.x = append(l.x, statement.LogOf(o.P)-statement.LogOf(o.Q))
		}
		l.m = append(l.m, a)
	}
	_, isDiscrete := p.Pair.(*statement.DiscreteGaussian)
	if _, isSampled := p.Pair.(statement.SampledDiscrete); isDiscrete || isSampled {
		for i, x := range l.x {
			l.ordered = append(l.ordered, point{x: x, above: l.m[i]})
		}
		slices.SortFunc(l.ordered, func(p, q point) int { return cmp.Compare(p.x, q.x) })
		below := 0.0
		for i := range l.ordered {
			below += l.ordered[i].above
			l.ordered[i].below = below
		}
		for i := len(l.ordered) - 2; i >= 0; i-- {
			l.ordered[i].above += l.ordered[i+1].above
		}
	}
	return l
}

// A point is a loss, with the mass from it on, and up to it.
type point struct{ x, above, below float64 }

// above is P(L > x) and below P(L ≤ x).
func (l law) above(x float64) float64 { return l.tail(x, top) }
func (l law) below(x float64) float64 { return l.tail(x, bottom) }

// An end of the losses.
type end int

const (
	bottom end = iota
	top
)

func (l law) tail(x float64, e end) float64 {
	if l.ordered != nil {
		i := sort.Search(len(l.ordered), func(i int) bool { return l.ordered[i].x > x })
		switch {
		case e == top && i < len(l.ordered):
			return l.ordered[i].above
		case e == bottom && i > 0:
			return l.ordered[i-1].below
		}
		return 0
	}
	switch p := l.part.Pair.(type) {
	case statement.Density:
		return l.densityTail(p, x, e)
	case statement.Truncated:
		full := number.Float64(p.Full)
		return (1-full)*l.densityTail(p.Near, x, e) + full*l.densityTail(p.Far, x, e)
	default:
		sum := 0.0
		for i, y := range l.x {
			if (y > x) == (e == top) {
				sum += l.m[i]
			}
		}
		return sum
	}
}

// densityTail is the tail of the losses of a pair of densities.
func (l law) densityTail(density statement.Density, x float64, e end) float64 {
	side := statement.OfP
	if l.direction == mechanism.Add { // L = −loss, under Q
		x, side = -x, statement.OfQ
	}
	if t := density.Outcome(x); (e == top) == (side == statement.OfP) {
		return statement.SF(density, t, side)
	} else {
		return statement.CDF(density, t, side)
	}
}

// mass is P(x < L ≤ y).
func (l law) mass(x, y float64) float64 {
	if u := l.above(x); u < 0.5 {
		return u - l.above(y)
	}
	return l.below(y) - l.below(x)
}

// quantile is about the least x ≥ 0, or at the bottom the greatest x ≤ 0, beyond which there is at most
// a mass of p.
func (l law) quantile(p float64, e end) float64 {
	ok := func(x float64) bool {
		if e == bottom {
			return l.below(-x) <= p
		}
		return l.above(x) <= p
	}
	y := 1e-9
	for !ok(y) && y < 1e5 {
		y *= 2
	}
	_, y = least.Halved(y/2, y, 30, func(x float64) bool { return !ok(x) })
	if e == bottom {
		return -y
	}
	return y
}

// finite are losses and masses, but for infinite losses and tails: those of cells, if there is a density.
func (l law) finite(tail float64) (xs, ms []float64) {
	if _, ok := l.part.Pair.(statement.Listed); ok {
		for i, x := range l.x {
			if !math.IsInf(x, 0) {
				xs, ms = append(xs, x), append(ms, l.m[i])
			}
		}
		return xs, ms
	}
	lo, hi := l.quantile(tail, bottom), l.quantile(tail, top)
	const n = 4000
	for k := range n {
		x, y := lo+(hi-lo)*float64(k)/n, lo+(hi-lo)*float64(k+1)/n
		xs, ms = append(xs, (x+y)/2), append(ms, l.mass(x, y))
	}
	return xs, ms
}
