// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Curve is g with c and κ, and b.
type Curve struct{ Center, Scale, Width float64 }

// at encloses X at u on the line whose cosine is cos.
func (c Curve) at(u float64, cos double.Interval) double.Interval {
	y := double.Point(u).Sub(double.Point(u).Neg().Exp().Mul(cos))
	return double.Point(c.Center).Add(double.Point(c.Scale).Mul(y))
}

// left returns a u at which X ≤ x for certain, and nearly x, on the line whose cosine is cos.
func (c Curve) left(x float64, cos double.Interval) float64 {
	u := solve(x, c.Center, c.Scale, cos.Mid())
	for by := 0x1p-40; !(c.at(u, cos).Hi <= x) && by < 0x1p60; by *= 2 { // beyond, all bounds are infinite
		u -= by
	}
	return u
}

// Nodes returns the indices of the node at or left of one x and of the node at or right of another, next to them.
// A step has few bits.
func (c Curve) Nodes(from, to, step float64) (first, last int64) {
	one := double.Int(1)
	first = int64(math.Floor(solve(from, c.Center, c.Scale, 1) / step))
	for !(c.at(float64(float64(first)*step), one).Hi <= from) {
		first--
	}
	last = int64(math.Ceil(solve(to, c.Center, c.Scale, 1) / step))
	for !(c.at(float64(float64(last)*step), one).Lo >= to) {
		last++
	}
	return first, last
}

// A Walk encloses g(kη) and g′(kη).
type Walk struct {
	p     interval.Prec
	c     Curve
	step  interval.Interval
	small []interval.Interval // e^{−jη}
	large interval.Interval   // e^{−kη} at a multiple of their number
	block int64
	known bool
}

// Walk returns a walk at a precision.
func (c Curve) Walk(p interval.Prec, step float64) *Walk {
	const together = 64
	w := &Walk{p: p, c: c, step: double.Point(step).Exact()}
	for j := range together {
		w.small = append(w.small, p.Exp(p.Mul(interval.Int(int64(-j)), w.step)))
	}
	return w
}

// At encloses g(kη) and g′(kη).
func (w *Walk) At(k int64) (x, slope interval.Interval) {
	p, together := w.p, int64(len(w.small))
	j := (k%together + together) % together
	if block := (k - j) / together; !w.known || block != w.block {
		w.block, w.known = block, true
		w.large = p.Exp(p.Mul(interval.Int(j-k), w.step))
	}
	e, scale := p.Mul(w.large, w.small[j]), double.Point(w.c.Scale).Exact()
	x = p.Add(double.Point(w.c.Center).Exact(), p.Mul(scale, p.Sub(p.Mul(interval.Int(k), w.step), e)))
	return x, p.Mul(scale, p.Add(interval.Int(1), e))
}
