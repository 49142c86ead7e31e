// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import "math/big"

// A Domain is a set of real parameters.
type Domain struct {
	Want     string // as an error says it, after "want" or "want a number"; empty for all numbers
	Contains func(*big.Rat) bool
}

// The domains of parameters.
var (
	Any         = Domain{"", func(*big.Rat) bool { return true }}
	Positive    = Domain{"> 0", func(r *big.Rat) bool { return r.Sign() > 0 }}
	NonNegative = Domain{">= 0", func(r *big.Rat) bool { return r.Sign() >= 0 }}
	Probability = Domain{"in [0, 1]", func(r *big.Rat) bool { return r.Sign() >= 0 && r.Cmp(one) <= 0 }}
	UpToHalf    = Domain{"in (0, 1/2]", func(r *big.Rat) bool { return r.Sign() > 0 && r.Cmp(half) <= 0 }}
	AboveOne    = Domain{"> 1", func(r *big.Rat) bool { return r.Cmp(one) > 0 }}

	one, half = big.NewRat(1, 1), big.NewRat(1, 2)
)

// String says what is wanted where there is no number at all.
func (d Domain) String() string {
	if d.Want == "" {
		return noNumber
	}
	return noNumber + " " + d.Want
}

// Integer returns x if it is an integer of [lo, hi].
func Integer(x *big.Rat, lo, hi int64) (int64, bool) {
	if !x.IsInt() || !x.Num().IsInt64() {
		return 0, false
	}
	i := x.Num().Int64()
	return i, lo <= i && i <= hi
}
