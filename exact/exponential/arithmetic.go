// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exponential

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Sign is that of F on an interval: 1, −1, or 0 where it is not known.
type Sign int

// An arithmetic has enclosures of real numbers: N is an interval, and one of no width a point.
type arithmetic[N any] interface {
	rat(x *big.Rat) N
	int(n int64) N
	add(x, y N) N
	sub(x, y N) N
	mul(x, y N) N
	div(x, y N) N
	scale(x N, k int) N // x·2^k
	exp(x N) N
	log(x N) N
	mid(x N) N // a point near the middle
	lower(x N) N
	upper(x N) N
	union(x, y N) N
	max(x, y N) N
	abs(x N) N
	sign(x N) Sign
	finite(x N) bool
	compare(x, y N) int // of points
	bits() int
}

// intervals are those of a precision.
type intervals struct{ w interval.Prec }

func (a intervals) rat(x *big.Rat) interval.Interval                   { return a.w.Rat(x) }
func (a intervals) int(n int64) interval.Interval                      { return interval.Int(n) }
func (a intervals) add(x, y interval.Interval) interval.Interval       { return a.w.Add(x, y) }
func (a intervals) sub(x, y interval.Interval) interval.Interval       { return a.w.Sub(x, y) }
func (a intervals) mul(x, y interval.Interval) interval.Interval       { return a.w.Mul(x, y) }
func (a intervals) div(x, y interval.Interval) interval.Interval       { return a.w.Div(x, y) }
func (a intervals) scale(x interval.Interval, k int) interval.Interval { return a.w.Scale(x, k) }
func (a intervals) exp(x interval.Interval) interval.Interval          { return a.w.Exp(x) }
func (a intervals) log(x interval.Interval) interval.Interval          { return a.w.Log(x) }
func (a intervals) mid(x interval.Interval) interval.Interval          { return a.w.Mid(x) }
func (a intervals) lower(x interval.Interval) interval.Interval        { return x.Lower() }
func (a intervals) upper(x interval.Interval) interval.Interval        { return x.Upper() }
func (a intervals) union(x, y interval.Interval) interval.Interval     { return interval.Union(x, y) }
func (a intervals) max(x, y interval.Interval) interval.Interval       { return interval.Max(x, y) }
func (a intervals) abs(x interval.Interval) interval.Interval          { return x.Abs() }
func (a intervals) finite(x interval.Interval) bool                    { return x.IsFinite() }
func (a intervals) compare(x, y interval.Interval) int                 { return x.Lo().Cmp(y.Lo()) }
func (a intervals) bits() int                                          { return int(a.w) }

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

func (doubles) rat(x *big.Rat) double.Interval             { return double.Of(interval.Prec(64).Rat(x)) }
func (doubles) int(n int64) double.Interval                { return double.Int(n) }
func (doubles) add(x, y double.Interval) double.Interval   { return x.Add(y) }
func (doubles) sub(x, y double.Interval) double.Interval   { return x.Sub(y) }
func (doubles) mul(x, y double.Interval) double.Interval   { return x.Mul(y) }
func (doubles) div(x, y double.Interval) double.Interval   { return x.Div(y) }
func (doubles) exp(x double.Interval) double.Interval      { return x.Exp() }
func (doubles) log(x double.Interval) double.Interval      { return x.Log() }
func (doubles) mid(x double.Interval) double.Interval      { return double.Point(x.Mid()) }
func (doubles) lower(x double.Interval) double.Interval    { return x.Lower() }
func (doubles) upper(x double.Interval) double.Interval    { return x.Upper() }
func (doubles) union(x, y double.Interval) double.Interval { return double.Union(x, y) }
func (doubles) max(x, y double.Interval) double.Interval   { return double.Max(x, y) }
func (doubles) abs(x double.Interval) double.Interval      { return x.Abs() }
func (doubles) finite(x double.Interval) bool              { return x.IsFinite() }
func (doubles) bits() int                                  { return 53 }
func (doubles) scale(x double.Interval, k int) double.Interval {
	return x.Mul(double.Point(math.Ldexp(1, k)))
}

func (doubles) compare(x, y double.Interval) int {
	switch {
	case x.Lo < y.Lo:
		return -1
	case x.Lo > y.Lo:
		return 1
	}
	return 0
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
