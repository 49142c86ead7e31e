// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/interval"

// An Arithmetic has enclosures R of real numbers, so that one formula serves words and intervals of any precision.
type Arithmetic[R any] interface {
	Add(x, y R) R
	Sub(x, y R) R
	Mul(x, y R) R
	Sqr(x R) R
	Div(x, y R) R
	Scale(x R, k int) R // x·2^k
	Exp(x R) R
	SinCos(x R) (sin, cos R)
	Times(x R, n int64) R
	Neg(x R) R
	Of(x interval.Interval) R
	Interval(x R) interval.Interval
	// Words encloses x in three words, if it encloses less than everything there.
	Words(x R) Real
}

// InWords is the arithmetic of three words.
type InWords struct{ Three }

// Neg is −x.
func (InWords) Neg(x Real) Real { return x.Neg() }

// Of encloses x.
func (InWords) Of(x interval.Interval) Real { return FromInterval(x) }

// Interval is x as an interval.
func (InWords) Interval(x Real) interval.Interval { return x.Interval() }

// Words is x.
func (InWords) Words(x Real) Real { return x }

// InBits is the arithmetic of a precision.
type InBits struct{ interval.Prec }

// Times is n·x.
func (w InBits) Times(x interval.Interval, n int64) interval.Interval {
	return w.Mul(x, interval.Int(n))
}

// Neg is −x.
func (InBits) Neg(x interval.Interval) interval.Interval { return x.Neg() }

// Of is x.
func (InBits) Of(x interval.Interval) interval.Interval { return x }

// Interval is x.
func (InBits) Interval(x interval.Interval) interval.Interval { return x }

// Words encloses everything.
func (InBits) Words(interval.Interval) Real { return Unknown() }
