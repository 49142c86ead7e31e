// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// A convex function of u is enclosed at knots.
//
// Between two of them it is below the chord of their upper ends, and above every line that
// leaves through them: for u_j < u_i < u the slope from i to u is at least that from j to i,
// which is at least (lo_i − hi_j)/(u_i − u_j); on the other side in the same way.
type convex struct {
	knots []knot
	outer []knot // upper bounds elsewhere; their lower ends mean nothing
	left  []interval.Interval
	right []interval.Interval
}

// A knot encloses a function at u.
type knot struct{ u, y interval.Interval }

func (c *convex) add(u, y interval.Interval) { c.knots = append(c.knots, knot{u, y}) }

// neighbours is how many knots on each side of one its slopes go by: those that are far away say little.
const neighbours = 8

// prepare finds the steepest slopes that are certain to the right of every knot, and the
// flattest to the left.
func (c *convex) prepare() {
	for i, k := range c.knots {
		least, most := interval.Entire(), interval.Entire()
		near := c.knots[max(0, i-neighbours):min(len(c.knots), i+neighbours+1)]
		for _, j := range slices.Concat(near, c.outer) {
			d := bits.Sub(k.u, j.u)
			rise := bits.Sub(interval.Point(k.y.Lo()), interval.Point(j.y.Hi()))
			if j.y.Hi().IsInf() || k.y.Lo().IsInf() {
				continue
			}
			switch {
			case d.Positive() == interval.True:
				least = interval.Max(least, interval.Point(bits.Div(rise, d).Lo()))
			case d.Negative() == interval.True:
				most = interval.Min(most, interval.Point(bits.Div(rise, d).Hi()))
			}
		}
		c.left, c.right = append(c.left, most), append(c.right, least)
	}
}

// at encloses the function between knots i and i+1.
func (c *convex) at(i int, u interval.Interval) interval.Interval {
	a, b := c.knots[i], c.knots[i+1]
	from, to := bits.Sub(u, a.u).AtLeastZero(), bits.Sub(b.u, u).AtLeastZero()
	y := interval.Entire()
	if r := c.right[i]; !r.Lo().IsInf() {
		y = meet(y, upwards(bits.Add(interval.Point(a.y.Lo()), bits.Mul(interval.Point(r.Lo()), from))))
	}
	if l := c.left[i+1]; !l.Hi().IsInf() {
		y = meet(y, upwards(bits.Sub(interval.Point(b.y.Lo()), bits.Mul(interval.Point(l.Hi()), to))))
	}
	if a.y.Hi().IsInf() || b.y.Hi().IsInf() {
		return y
	}
	t := interval.Clamp(bits.Div(from, bits.Sub(b.u, a.u)), 0, 1)
	ya, yb := interval.Point(a.y.Hi()), interval.Point(b.y.Hi())
	chord := bits.Add(ya, bits.Mul(t, bits.Sub(yb, ya)))
	return meet(y, interval.Bounds(interval.Entire().Lo(), chord.Hi()))
}

// upwards is everything from the lower end of x on.
func upwards(x interval.Interval) interval.Interval {
	return interval.Bounds(x.Lo(), interval.Entire().Hi())
}

// bits is the precision of bounds between points.
const bits = interval.Prec(80)

// float is a number as a point.
func float(x float64) interval.Interval { return interval.Point(big.NewFloat(x)) }

func floor(x *big.Rat) *big.Float { return bits.Rat(x).Lo() }
func ceil(x *big.Rat) *big.Float  { return bits.Rat(x).Hi() }

// meet intersects two enclosures of one number.
func meet(x, y interval.Interval) interval.Interval {
	z, ok := interval.Intersect(x, y)
	if !ok {
		panic("figure: internal error: the points of a curve contradict its shape")
	}
	return z
}
