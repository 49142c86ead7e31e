// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exponential

import (
	"cmp"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Sign is that of F on an interval: 1, −1, or 0 where it is not known.
type Sign int

// A number is an enclosure of a real number: an interval, and one of no width a point.
type number[N any] interface {
	Lower() N
	Upper() N
	Abs() N
	IsFinite() bool
}

// An arithmetic has numbers.
type arithmetic[N any] interface {
	Rat(x *big.Rat) N
	Add(x, y N) N
	Sub(x, y N) N
	Mul(x, y N) N
	Div(x, y N) N
	Scale(x N, k int) N // x·2^k
	Exp(x N) N
	Log(x N) N
	Mid(x N) N // a point near the middle
	int(n int64) N
	union(x, y N) N
	max(x, y N) N
	sign(x N) Sign
	compare(x, y N) int // of points
	bits() int
}

// intervals are those of a precision.
type intervals struct{ interval.Prec }

func (intervals) int(n int64) interval.Interval                  { return interval.Int(n) }
func (intervals) union(x, y interval.Interval) interval.Interval { return interval.Union(x, y) }
func (intervals) max(x, y interval.Interval) interval.Interval   { return interval.Max(x, y) }
func (intervals) compare(x, y interval.Interval) int             { return x.Lo().Cmp(y.Lo()) }
func (a intervals) bits() int                                    { return int(a.Prec) }

func (a intervals) sign(x interval.Interval) Sign {
	switch {
	case x.Positive() == interval.True:
		return 1
	case x.Negative() == interval.True:
		return -1
	}
	return 0
}

// doubles are intervals of float64.
type doubles struct{}

func (doubles) Rat(x *big.Rat) double.Interval             { return double.Of(interval.Prec(64).Rat(x)) }
func (doubles) int(n int64) double.Interval                { return double.Int(n) }
func (doubles) Add(x, y double.Interval) double.Interval   { return x.Add(y) }
func (doubles) Sub(x, y double.Interval) double.Interval   { return x.Sub(y) }
func (doubles) Mul(x, y double.Interval) double.Interval   { return x.Mul(y) }
func (doubles) Div(x, y double.Interval) double.Interval   { return x.Div(y) }
func (doubles) Exp(x double.Interval) double.Interval      { return x.Exp() }
func (doubles) Log(x double.Interval) double.Interval      { return x.Log() }
func (doubles) Mid(x double.Interval) double.Interval      { return double.Point(x.Mid()) }
func (doubles) union(x, y double.Interval) double.Interval { return double.Union(x, y) }
func (doubles) max(x, y double.Interval) double.Interval   { return double.Max(x, y) }
func (doubles) bits() int                                  { return 53 }
func (doubles) Scale(x double.Interval, k int) double.Interval {
	return x.Mul(double.Point(math.Ldexp(1, k)))
}

func (doubles) compare(x, y double.Interval) int {
	return cmp.Compare(x.Lo, y.Lo)
}

func (doubles) sign(x double.Interval) Sign {
	switch {
	case x.Lo > 0:
		return 1
	case x.Hi < 0:
		return -1
	}
	return 0
}
