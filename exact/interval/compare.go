// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// A Truth is the answer to a question about enclosed numbers: it holds for all
// of their possible values, for none, or the enclosures do not decide it.
type Truth int8

// The three answers.
const (
	False Truth = iota - 1
	Unknown
	True
)

func (t Truth) String() string {
	switch t {
	case False:
		return "false"
	case True:
		return "true"
	}
	return "unknown"
}

// Not negates an answer; Unknown stays Unknown.
func (t Truth) Not() Truth { return -t }

// Less answers x < y.
func (x Interval) Less(y Interval) Truth {
	switch {
	case x.h().Cmp(y.l()) < 0:
		return True
	case x.l().Cmp(y.h()) >= 0:
		return False
	}
	return Unknown
}

// LessEq answers x ≤ y.
func (x Interval) LessEq(y Interval) Truth { return y.Less(x).Not() }

// LessEqRat answers x ≤ r.
func (x Interval) LessEqRat(r *big.Rat) Truth { return x.cmpBelow(r, 1) }

// LessRat answers x < r.
func (x Interval) LessRat(r *big.Rat) Truth { return x.cmpBelow(r, 0) }

// cmpBelow answers whether x.Cmp(r) < bound.
func (x Interval) cmpBelow(r *big.Rat, bound int) Truth {
	switch {
	case cmpRat(x.h(), r) < bound:
		return True
	case cmpRat(x.l(), r) >= bound:
		return False
	}
	return Unknown
}

// Positive answers x > 0.
func (x Interval) Positive() Truth { return Interval{}.Less(x) }

// Negative answers x < 0.
func (x Interval) Negative() Truth { return x.Less(Interval{}) }
