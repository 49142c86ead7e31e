// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package double encloses real numbers between two float64, without allocation, for bounds
// that need no more than 13 digits.
//
// IEEE 754 rounds +, −, ·, / and √ to the nearest float64, so that the true value lies between the
// two neighbours of the rounded one, also where it overflows or is subnormal: each operation
// goes on to the neighbour outwards. Exp, Log and Cis prove the bounds of their errors beside their
// code. Products that are added up are rounded first, by a conversion, on all machines: results
// do not depend on whether a machine fuses them.
package double

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
)

// An Interval is the set of reals between Lo ≤ Hi, which may be infinite. The zero value is
// the point 0. What cannot be enclosed, like 0·∞, is everything.
type Interval struct{ Lo, Hi float64 }

// Point is the interval of one float64.
func Point(x float64) Interval { return outward(x, x) }

// Rat is a number of binary64 as a fraction; nil if it is none.
func Rat(x float64) *big.Rat {
	r, _, ok := Point(x).Exact().Rationals()
	if !ok {
		return nil
	}
	return r
}

// Int encloses an integer: as a point if it has at most 53 bits.
func Int(n int64) Interval {
	x := Interval{float64(n), float64(n)}
	if n > 1<<53 || n < -1<<53 {
		return Interval{down(x.Lo), up(x.Hi)}
	}
	return x
}

// Entire has all reals.
func Entire() Interval { return Interval{math.Inf(-1), math.Inf(1)} }

// outward is [lo, hi]; everything if one of them is no number.
func outward(lo, hi float64) Interval {
	if !(lo <= hi) {
		return Entire()
	}
	return Interval{lo, hi}
}

// Of encloses x.
func Of(x interval.Interval) Interval {
	lo, below := x.Lo().Float64()
	hi, above := x.Hi().Float64()
	if below == big.Above {
		lo = down(lo)
	}
	if above == big.Below {
		hi = up(hi)
	}
	return outward(lo, hi)
}

// Near is a number near r: the middle of what encloses it.
func Near(r *big.Rat) float64 { return Of(interval.Prec(64).Rat(r)).Mid() }

// Exactly is the point x.
func Exactly(x float64) interval.Interval { return Point(x).Exact() }

// Exact is the same set.
func (x Interval) Exact() interval.Interval {
	return interval.Bounds(big.NewFloat(x.Lo), big.NewFloat(x.Hi))
}

// up returns the next float64 above x; of +∞ and of no number, the same.
func up(x float64) float64 {
	if x == 0 {
		return math.SmallestNonzeroFloat64
	}
	if !(x <= math.MaxFloat64) {
		return x
	}
	b := math.Float64bits(x) // of a modulus that grows, or falls where the sign is set
	return math.Float64frombits(b + 1 - b>>63<<1)
}

// down returns the next float64 below x.
func down(x float64) float64 { return -up(-x) }

// around is [down(lo), up(hi)] for lo ≤ hi, and everything if one of them is no number. Where neither is 0 or infinite,
// the bits of lo fall by 1, or rise where its sign is set, and those of hi the other way round.
func around(lo, hi float64) Interval {
	if lo >= -math.MaxFloat64 && lo <= hi && hi <= math.MaxFloat64 && lo != 0 && hi != 0 {
		a, b := math.Float64bits(lo), math.Float64bits(hi)
		return Interval{math.Float64frombits(a - 1 + a>>63<<1), math.Float64frombits(b + 1 - b>>63<<1)}
	}
	return outward(down(lo), up(hi))
}

// Neg is −x.
func (x Interval) Neg() Interval { return Interval{-x.Hi, -x.Lo} }

// Add encloses x + y.
func (x Interval) Add(y Interval) Interval { return around(x.Lo+y.Lo, x.Hi+y.Hi) }

// Sub encloses x − y.
func (x Interval) Sub(y Interval) Interval { return around(x.Lo-y.Hi, x.Hi-y.Lo) }

// Mul encloses x·y.
func (x Interval) Mul(y Interval) Interval {
	if x.Lo >= 0 {
		x, y = y, x
	}
	switch {
	case !(y.Lo >= 0):
		a, b, c, d := x.Lo*y.Lo, x.Lo*y.Hi, x.Hi*y.Lo, x.Hi*y.Hi
		return around(min(a, b, c, d), max(a, b, c, d))
	case x.Lo >= 0:
		return around(x.Lo*y.Lo, x.Hi*y.Hi).AtLeastZero()
	case x.Hi <= 0:
		return around(x.Lo*y.Hi, x.Hi*y.Lo)
	}
	return around(x.Lo*y.Hi, x.Hi*y.Hi)
}

// Div encloses x/y; everything if y may be 0.
func (x Interval) Div(y Interval) Interval {
	if y.Lo <= 0 && y.Hi >= 0 {
		return Entire()
	}
	if x.Lo >= 0 && y.Lo > 0 {
		return around(x.Lo/y.Hi, x.Hi/y.Lo)
	}
	a, b, c, d := x.Lo/y.Lo, x.Lo/y.Hi, x.Hi/y.Lo, x.Hi/y.Hi
	return around(min(a, b, c, d), max(a, b, c, d))
}

// Half encloses x/2.
func (x Interval) Half() Interval { return x.Mul(Interval{0.5, 0.5}) }

// Sqr encloses x².
func (x Interval) Sqr() Interval {
	a := x.Abs()
	return a.Mul(a)
}

// Sqrt encloses √x of the members of x that have one, for an x that has some.
func (x Interval) Sqrt() Interval {
	x = x.AtLeastZero()
	return outward(down(math.Sqrt(x.Lo)), up(math.Sqrt(x.Hi))).AtLeastZero()
}

// Abs is |x|.
func (x Interval) Abs() Interval {
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return x.Neg()
	}
	return Interval{0, max(-x.Lo, x.Hi)}
}

// AtLeastZero is x without its negative members, or 0 if it has no others: for enclosures of
// what is known to be ≥ 0.
func (x Interval) AtLeastZero() Interval { return Interval{max(x.Lo, 0), max(x.Hi, 0)} }

// Mid is a number between the ends, if they are finite: about the middle.
func (x Interval) Mid() float64 { return min(max(x.Lo/2+x.Hi/2, x.Lo), x.Hi) }

// Upper is the upper end.
func (x Interval) Upper() Interval { return Interval{x.Hi, x.Hi} }

// Lower is the lower end.
func (x Interval) Lower() Interval { return Interval{x.Lo, x.Lo} }

// Union is the least interval that has x and y in it.
func Union(x, y Interval) Interval { return Interval{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Min encloses the minimum of a member of x and one of y.
func Min(x, y Interval) Interval { return Interval{min(x.Lo, y.Lo), min(x.Hi, y.Hi)} }

// Max encloses the maximum.
func Max(x, y Interval) Interval { return Interval{max(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// IsFinite reports whether both ends are finite.
func (x Interval) IsFinite() bool { return !math.IsInf(x.Lo, 0) && !math.IsInf(x.Hi, 0) }
