// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"math/big"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// Member says that a number lies between lo and hi, for people.
func Member(lo, hi string) string {
	if lo == hi {
		return "= " + Readable(lo)
	}
	return "∈ [" + Readable(lo) + ", " + Readable(hi) + "]"
}

// Readable is number.Readable.
func Readable(s string) string { return number.Readable(s) }

// Short writes a number: exactly if that is short.
func Short(x *big.Rat) string {
	const digits = 12
	if s := number.Format(x); len(s) <= digits+8 && !strings.Contains(s, "/") {
		return s
	}
	lo, _ := interval.Prec(64).Rat(x).Decimal(digits)
	return "about " + lo
}

// Between says where a number is.
func Between(lo, hi string) string {
	if lo == hi {
		return Readable(lo)
	}
	return "between " + Readable(lo) + " and " + Readable(hi)
}

// Range is one number where both ends are the same.
func Range(lo, hi string) string {
	if lo == hi {
		return Readable(lo)
	}
	return "[" + Readable(lo) + ", " + Readable(hi) + "]"
}

// About writes an enclosure in a few digits: one number that is near all of it
// where it is narrow, both ends where it is not.
func About(x interval.Interval) string {
	const p = interval.Prec(64)
	lo, hi := x.Decimal(3)
	switch {
	case lo == hi:
		return Readable(lo)
	case lo == "0":
		return "at most " + Readable(hi)
	}
	// hi − lo ≤ hi/1000
	width := p.Sub(interval.Point(x.Hi()), interval.Point(x.Lo()))
	if p.Mul(width, interval.Int(1000)).LessEq(interval.Point(x.Hi())) == interval.True {
		return "≈ " + Readable(nearest(p.Mid(x), 3))
	}
	return Readable(lo) + " to " + Readable(hi)
}

// nearest returns the decimal of n significant digits that is nearest to the
// point x.
func nearest(x interval.Interval, n int) string {
	lo, hi := x.Decimal(n)
	l, err1 := number.Parse(lo)
	h, err2 := number.Parse(hi)
	if err1 != nil || err2 != nil {
		return lo // an exponent beyond those that are numbers here
	}
	mid := new(big.Rat).Add(l, h)
	if x.LessEqRat(mid.Mul(mid, big.NewRat(1, 2))) == interval.True {
		return lo
	}
	return hi
}

// Percent writes the lower end of a share for people.
func Percent(x interval.Interval) string {
	const p = interval.Prec(64)
	lo := interval.Point(x.Lo())
	if lo.LessEqRat(big.NewRat(1, 1000)) == interval.True {
		text, _ := lo.Decimal(3)
		return Readable(text)
	}
	text, _ := p.Mul(lo, interval.Int(100)).Decimal(3)
	return text + " %"
}
