// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Settings affect width and cost, not soundness.
type Settings struct {
	Points int  // about how many points a grid of ratios has, to one step,
	Fine   int  // and how often the spacing of a lattice is halved, to several
	Prec   uint // fraction bits of masses
	Cut    int  // tails of about 2^−Cut may be cut off
	Scale  int  // −log2 of the δ of interest, 0 if none is known
}

// A chain adds up blocks of steps.
type chain struct {
	ctx     context.Context
	steps   int64
	points  int
	unit    *big.Rat          // of places
	inUnit  float64           // how many units there are to 1, a power of two
	levels  []level           // how often ratios are large
	below   []level           // and small
	cut     int               // what is beyond the top is to have a mass of about 2^−cut
	spread1 float64           // about how far ratios are from 1
	ratios  []double.Interval // of the base, in units, if they are few
	small   float64           // masses that may be left out
}

// newChain chooses the grids: whatever they are, the bounds hold.
func newChain(ctx context.Context, b *base, steps int64, set Settings) *chain {
	c := &chain{ctx: ctx, steps: steps, points: max(set.Points, 8), cut: set.Cut}
	c.levels, c.below = b.levels(set.Cut), b.below(set.Cut)
	p, q := b.above(96, big.NewRat(1, 1))
	c.spread1 = min(max(2*double.Of(interval.Prec(96).Sub(p, q)).Mid(), 0x1p-20), 1)
	// Sums of two blocks are below 2^52 units.
	scale := 50 - math.Ilogb(c.top(steps))
	c.unit = interval.Pow2(-scale)
	c.inUnit = math.Ldexp(1, scale)
	for _, o := range b.outcomes {
		if len(b.outcomes) <= 16 && !o.Q.IsZero() {
			c.ratios = append(c.ratios, double.Of(interval.Prec(96).Div(interval.Prec(96).Div(o.P, o.Q),
				interval.Prec(96).Rat(c.unit))))
		}
	}
	c.small = math.Ldexp(1, max(-set.Cut-bits.Len64(uint64(steps))-12, -400))
	return c
}

// top is the last place of the grid of m steps: 3m, and as many ratios of a level as leave 2^−cut. There are j or more
// of them with a probability of at most C(m, j)·q^j ≤ (emq/j)^j.
func (c *chain) top(m int64) float64 {
	most, n := 0.0, float64(m)
	for _, l := range c.levels {
		j, to := 1.0, n
		for j < to {
			if mid := math.Floor((j + to) / 2); mid*math.Log2(mid/(math.E*n*l.mass)) < float64(c.cut) {
				j = mid + 1
			} else {
				to = mid
			}
		}
		most = max(most, j*l.end)
	}
	return most + 3*n
}

// bottom is a sum of m steps below which there is less than 2^−cut: none of the ratios may be above it.
func (c *chain) bottom(m int64) float64 {
	for _, l := range c.below {
		if float64(m)*math.Log2(l.mass) < -float64(c.cut) {
			return l.end
		}
	}
	return 0x1p-40
}

// grid returns the places of a grid for the sum of m steps, in units: from 0 to the top, m + c·sinh u for even u, from
// the first of them down to the bottom half as dense by their logarithm as at the top, and all sums of m ratios of the
// base, if they are few.
func (c *chain) grid(m int64) []float64 {
	mean, n := float64(m), c.points
	width := 1.5 * c.spread1 * math.Sqrt(mean)
	from, to := math.Asinh(-mean/width), math.Asinh((c.top(m)-mean)/width)
	out := make([]float64, 1, n)
	for i := 1; i < n; i++ {
		x := math.Floor((mean + width*math.Sinh(from+(to-from)*float64(i)/float64(n-1))) * c.inUnit)
		if x > out[len(out)-1] {
			out = append(out, x)
		}
	}
	bottom, ratio := c.bottom(m)*c.inUnit, 1+2*(to-from)/float64(n-1)
	for x := out[1] / ratio; x > bottom; x /= ratio {
		out = append(out, math.Floor(x))
	}
	out = append(out, c.sums(m)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// sums returns the places next to the sums of m ratios of the base, nil if there are too many.
func (c *chain) sums(m int64) []float64 {
	d := int64(len(c.ratios))
	if d == 0 || m > int64(c.points) || new(big.Int).Binomial(m+d-1, d-1).Cmp(big.NewInt(int64(c.points)/2)) > 0 {
		return nil
	}
	var out []float64
	top := c.top(m) * c.inUnit
	var walk func(i int, left int64, sum double.Interval)
	walk = func(i int, left int64, sum double.Interval) {
		if i < len(c.ratios)-1 {
			for n := range left + 1 {
				walk(i+1, left-n, sum.Add(double.Int(n).Mul(c.ratios[i])))
			}
			return
		}
		sum = sum.Add(double.Int(left).Mul(c.ratios[i]))
		if lo, hi := math.Floor(sum.Lo), math.Ceil(sum.Hi); 0 < lo && hi < top {
			out = append(out, lo, hi)
		}
	}
	walk(0, m, double.Interval{})
	return out
}

// ulp bounds the relative error of an operation of float64.
const ulp = 0x1p-53

// leafRows is how many rows are added up one after the other; their sums are added in pairs.
const leafRows = 16

// stretch is how many products of a row are added up one after the other; their sums are added up next.
const stretch = 32

// A table adds up the products of rows and columns in cells, two numbers each.
type table struct {
	x, y []float64
	run  int // the most stretches that were added up before they came into a cell
}

// rows fills a table by halves: a number in a cell has gone through at most stretch + 2 + run + leafRows + log₂(rows)
// additions.
func (c *chain) rows(from, to, cells int, fill func(t *table, i int)) *table {
	if to-from <= leafRows {
		t := &table{x: make([]float64, cells), y: make([]float64, cells), run: 1}
		for i := from; i < to && c.ctx.Err() == nil; i++ {
			fill(t, i)
		}
		return t
	}
	mid := (from + to) / 2
	t, u := c.rows(from, mid, cells, fill), c.rows(mid, to, cells, fill)
	for j := range t.x {
		t.x[j] += u.x[j]
		t.y[j] += u.y[j]
	}
	t.run = max(t.run, u.run)
	return t
}

// additions bounds how many additions a number in a table has gone through.
func (t *table) additions(rows int) float64 {
	return float64(stretch + 4 + t.run + leafRows + bits.Len(uint(rows)))
}

// factor is e^{±slack}.
func factor(slack float64) double.Interval {
	return double.Interval{Lo: -slack, Hi: slack}.Exp()
}
