// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Rounding says how a derived number became the claimed one.
type Rounding string

// The roundings. One to nearest says in which direction it went: downwards, the claim
// is less than what was derived.
const (
	NotRounded  Rounding = "exact"
	NearestUp   Rounding = "nearest, up"
	NearestDown Rounding = "nearest, down"
	Upwards     Rounding = "up"
	Downwards   Rounding = "down"
)

// Reproduces answers whether the claimed number, written with some digits, is x rounded
// to that many: to nearest, ties either way, or else up or down, if they have a digit in
// common. A fraction has no digits and must be x itself.
func Reproduces(x exact.Enclosure, claimed *big.Rat, written string) (interval.Truth, Rounding) {
	place, ok := number.LastPlace(written)
	if !ok {
		switch {
		case x.Value != nil && x.Value.Cmp(claimed) == 0:
			return interval.True, NotRounded
		case x.Value != nil || !x.ContainsRat(claimed):
			return interval.False, ""
		}
		return interval.Unknown, ""
	}
	ulp := number.PowerOfTen(place)
	half := new(big.Rat).Mul(ulp, big.NewRat(1, 2))
	// within answers claimed + a ≤ x ≤ claimed + b, for the possible values of x; an end that
	// is a whole unit away rounds to another number and is left out.
	within := func(a, b *big.Rat) interval.Truth {
		lo, hi := new(big.Rat).Add(claimed, a), new(big.Rat).Add(claimed, b)
		above, below := x.LessRat(lo).Not(), x.LessEqRat(hi)
		if cmpAbs(a, ulp) == 0 {
			above = x.LessEqRat(lo).Not()
		}
		if cmpAbs(b, ulp) == 0 {
			below = x.LessRat(hi)
		}
		return min(above, below)
	}
	minus := func(r *big.Rat) *big.Rat { return new(big.Rat).Neg(r) }
	zero := new(big.Rat)
	// Every number below 1 is 1 rounded up to no decimals: up and down count where a digit
	// agrees.
	digit := interval.Unknown
	switch least, most := AgreeingDigits(x.Interval, claimed, written); {
	case least > 0:
		digit = interval.True
	case most == 0:
		digit = interval.False
	}
	answer := interval.False
	for _, c := range []struct {
		rounding Rounding
		from, to *big.Rat
	}{
		{NotRounded, zero, zero},
		{NearestUp, minus(half), zero},
		{NearestDown, zero, half},
		{Upwards, minus(ulp), zero},
		{Downwards, zero, ulp},
	} {
		t := within(c.from, c.to)
		if c.rounding == Upwards || c.rounding == Downwards {
			t = min(t, digit)
		}
		if t == interval.True {
			return t, c.rounding
		}
		answer = max(answer, t)
	}
	return answer, ""
}

func cmpAbs(a, b *big.Rat) int {
	return new(big.Rat).Abs(a).Cmp(new(big.Rat).Abs(b))
}

// AgreeingDigits counts the significant digits of the claimed number to which it agrees
// with x: the largest n such that they differ by at most half a unit of its n-th digit,
// for all values of x, and for some. All digits of a fraction, and of 0, are none.
func AgreeingDigits(x interval.Interval, claimed *big.Rat, written string) (least, most int) {
	place, ok := number.LastPlace(written)
	if !ok || claimed.Sign() == 0 {
		return 0, 0
	}
	p := Bits * 2
	gap := p.Sub(x, p.Rat(claimed)).Abs()
	top := place // of the first digit
	for abs := new(big.Rat).Abs(claimed); abs.Cmp(number.PowerOfTen(top+1)) >= 0; {
		top++
	}
	for q := top; q >= place; q-- {
		t := gap.LessEqRat(new(big.Rat).Mul(number.PowerOfTen(q), big.NewRat(1, 2)))
		if t == interval.True {
			least++
		}
		if t != interval.False {
			most++
		}
	}
	return least, most
}
