// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"math"

	"dpverify/exact/double"
)

// A shape is the polynomial s^power·(s − y)^even, even an even number, and where it is compared with a line.
type shape struct {
	power, even int
	y, at       float64
}

// mean encloses E[s^power·(s − y)^even·(s^k − …)] in a cell: of the coefficients of a factor, constant first.
func (c cell) mean(f shape, factor ...double.Interval) double.Interval {
	sum := double.Point(0)
	y := double.Point(-f.y)
	for k := 0; k <= f.even; k++ {
		term := double.Int(binomial(f.even, k)).Mul(powered(y, f.even-k))
		of := double.Point(0)
		for d, a := range factor {
			of = of.Add(a.Mul(c.moments[f.power+k+d]))
		}
		sum = sum.Add(term.Mul(of))
	}
	return sum
}

// powered encloses x^n.
func powered(x double.Interval, n int) double.Interval {
	out := double.Point(1)
	for ; n > 0; n-- {
		out = out.Mul(x)
	}
	return out
}

// slope encloses the logarithmic derivative of the shape at its place.
func (f shape) slope() double.Interval {
	at, sum := double.Point(f.at), double.Point(0)
	if f.power > 0 {
		sum = double.Int(int64(f.power)).Div(at)
	}
	if f.even > 0 {
		sum = sum.Add(double.Int(int64(f.even)).Div(at.Sub(double.Point(f.y))))
	}
	return sum
}

// value encloses the shape at its place.
func (f shape) value() double.Interval {
	return powered(double.Point(f.at), f.power).Mul(powered(double.Point(f.at).Sub(double.Point(f.y)), f.even))
}

// callAbove bounds E(S − g)₊ in a cell from above by a shape h with y < at and g < at, 0 < at; +Inf if it does not.
//
// On s > max(y, 0), h is convex and rises. Its tangent at a = at has the slope h′, so that h/h′(a) ≥ s − a + h(a)/h′(a)
// ≥ s − g where h(a)/h′(a) ≥ a − g; and h ≥ 0 ≥ s − g where 0 ≤ s ≤ g. So y ≤ g is asked for.
func (c cell) callAbove(g float64, f shape) double.Interval {
	if !(f.y <= g && g < f.at && g >= 0) {
		return double.Point(math.Inf(1))
	}
	slope := f.slope()
	if !(double.Point(f.at).Sub(double.Point(g)).Mul(slope).Hi <= 1) {
		return double.Point(math.Inf(1))
	}
	return c.mean(f, double.Point(1)).AtLeastZero().Div(f.value().Mul(slope)).Upper()
}

// putAbove bounds E(g − S)₊ from above by (y − s)^even, at < g < y: it is convex and ≥ 0, and over its slope at a = at
// no less than its tangent a − s + (y − a)/even ≥ g − s where (y − a)/even ≥ g − a. For at = 0, g·((y − s)/y)^even ≥
// g − s·g·even/y ≥ g − s on s ≥ 0 where even·g ≤ y.
func (c cell) putAbove(g float64, f shape) double.Interval {
	if f.at == 0 && f.power == 0 && f.even > 0 && f.y > 0 && double.Point(g).Mul(double.Int(int64(f.even))).Hi <= f.y {
		return c.mean(f, double.Point(1)).AtLeastZero().Div(f.value()).Mul(double.Point(g)).Upper()
	}
	if !(f.power == 0 && f.even > 0 && f.at < f.y && f.at < g) {
		return double.Point(math.Inf(1))
	}
	slope := f.slope().Neg()
	if !(double.Point(g).Sub(double.Point(f.at)).Mul(slope).Hi <= 1) {
		return double.Point(math.Inf(1))
	}
	return c.mean(f, double.Point(1)).AtLeastZero().Div(f.value().Mul(slope)).Upper()
}

// callBelow bounds E(S − g)₊ from below by (s − g)·h(s)·(end − s)/M, y ≤ g < at < end, where M ≥ h(s)·(end − s) for g ≤
// s ≤ end: what is multiplied by s − g is in [0, 1] there, not negative below g, and not positive beyond end.
//
// log(h(s)·(end − s)) is concave for s > y, so that it is at most its tangent at a = at.
func (c cell) callBelow(g, end float64, f shape) double.Interval {
	if !(f.y <= g && g < f.at && f.at < end && g >= 0) {
		return double.Point(0)
	}
	e := double.Point(end)
	left := e.Sub(double.Point(f.at))
	slope := f.slope().Sub(double.Point(1).Div(left)).Abs()
	bound := f.value().Mul(left).Mul(slope.Mul(e.Sub(double.Point(g))).Exp()).Upper()
	x := double.Point(g)
	// (s − g)(end − s) = −g·end + (g + end)·s − s².
	sum := c.mean(f, x.Mul(e).Neg(), x.Add(e), double.Point(-1))
	return sum.AtLeastZero().Div(bound).Lower()
}

// putBelow bounds E(g − S)₊ from below by (g − s)·((y − s)/y)^even, g ≤ y: the second factor is in [0, 1] for 0 ≤ s ≤
// g, and not negative beyond.
func (c cell) putBelow(g float64, f shape) double.Interval {
	if !(f.power == 0 && f.y >= g && f.y > 0) {
		return double.Point(0)
	}
	return c.mean(f, double.Point(g), double.Point(-1)).AtLeastZero().Div(powered(double.Point(f.y), f.even)).Lower()
}
