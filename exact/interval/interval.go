// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package interval provides enclosures [lo, hi] of real numbers in arbitrary
// precision.
//
// # Inclusion principle
//
// Every function returns an enclosure that contains f(t) for every t of its
// argument enclosures (for every t at which f is defined). Numerical
// difficulty shows as a wide enclosure, at worst [−∞, +∞], never as an error
// and never as a wrong number. The tests and the callers of this package rely
// on nothing else; width is a matter of quality, not of correctness.
//
// # Precision
//
// Precision is carried by the operation, not by the operand:
//
//	p := interval.Prec(128)
//	y := p.Exp(p.Sub(a, b))
//
// Endpoints of a result of p have mantissas of at most p bits. Intervals are
// immutable; every method may be called from several goroutines at once.
//
// # Range
//
// The binary exponents of finite nonzero endpoints lie in [−MaxExp, MaxExp].
// A lower endpoint beyond that range is rounded down (to 0, to the largest
// finite number or to −∞), an upper endpoint up, so no operation can be made
// to allocate memory in proportion to an exponent.
package interval

import (
	"fmt"
	"math/big"
)

// An Interval is a nonempty closed set of reals {t : lo ≤ t ≤ hi}. An endpoint
// may be infinite; it then bounds, and is not itself a member.
//
// The zero value is the point 0.
type Interval struct {
	lo, hi *big.Float // nil means 0; never modified after construction; lo ≤ hi
}

func (x Interval) l() *big.Float {
	if x.lo == nil {
		return zeroFloat
	}
	return x.lo
}

func (x Interval) h() *big.Float {
	if x.hi == nil {
		return zeroFloat
	}
	return x.hi
}

// Lo returns a copy of the lower endpoint.
func (x Interval) Lo() *big.Float { return new(big.Float).Copy(x.l()) }

// Hi returns a copy of the upper endpoint.
func (x Interval) Hi() *big.Float { return new(big.Float).Copy(x.h()) }

// Entire returns [−∞, +∞], which encloses everything.
func Entire() Interval {
	return Interval{down.infinity(), up.infinity()}
}

// PosInf returns the point +∞ of the extended reals.
func PosInf() Interval { return Entire().Upper() }

// NegInf returns the point −∞ of the extended reals.
func NegInf() Interval { return Entire().Lower() }

// Int returns the point n.
func Int(n int64) Interval {
	if n == 0 {
		return Interval{}
	}
	f := new(big.Float).SetInt64(n)
	return Interval{f, f}
}

// Bounds returns [lo, hi], exactly. It panics unless lo ≤ hi.
func Bounds(lo, hi *big.Float) Interval {
	if lo.Cmp(hi) > 0 {
		panic("interval: internal error: Bounds with lo > hi")
	}
	return Interval{clip(down, new(big.Float).Copy(lo)), clip(up, new(big.Float).Copy(hi))}
}

// Point returns the point f, exactly when f is zero or its exponent is in
// range, and the tightest enclosure otherwise.
func Point(f *big.Float) Interval { return Bounds(f, f) }

// IsPoint reports whether x is a single number.
func (x Interval) IsPoint() bool { return !x.l().IsInf() && x.l().Cmp(x.h()) == 0 }

// IsZero reports whether x is the point 0.
func (x Interval) IsZero() bool { return x.l().Sign() == 0 && x.h().Sign() == 0 }

// IsFinite reports whether both endpoints are finite.
func (x Interval) IsFinite() bool { return !x.l().IsInf() && !x.h().IsInf() }

func (p Prec) check() {
	if p < MinPrec || p > MaxPrec {
		panic(fmt.Sprintf("interval: internal error: precision %d outside [%d, %d]", uint(p), MinPrec, MaxPrec))
	}
}

// Lower returns the lower endpoint as a point.
func (x Interval) Lower() Interval { return Interval{x.lo, x.lo} }

// Upper returns the upper endpoint as a point.
func (x Interval) Upper() Interval { return Interval{x.hi, x.hi} }
