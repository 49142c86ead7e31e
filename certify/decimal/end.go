// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package decimal prints the ends of enclosures so that they show how these compare with a number, and reads such ends
// again.
package decimal

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/show"
)

// An End is a printed end of an enclosure: m·10^e, or ±∞. Enclosures reach further than
// numbers do, down to 10^−600,000,000.
type End struct {
	infinite int // the sign of ±∞, else 0
	m        *big.Rat
	e        int64
}

// maxExponent bounds the exponents of ends.
const maxExponent = 10_000_000_000

// ParseEnd reads a number, "inf" or "-inf".
func ParseEnd(s string) (End, error) {
	switch s {
	case "inf":
		return End{infinite: +1}, nil
	case "-inf":
		return End{infinite: -1}, nil
	}
	m, err := number.Parse(s)
	if err == nil {
		return End{m: m}, nil
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, err2 := strconv.ParseInt(exponent, 10, 64)
	if m, err1 := number.Parse(mantissa); err1 == nil && err2 == nil && -maxExponent <= e && e <= maxExponent &&
		!strings.Contains(s, "/") {
		return End{m: m, e: e}, nil
	}
	return End{}, fmt.Errorf("%s, want a number or inf: %w", show.Value(s), err)
}

// Cmp compares two ends.
func (a End) Cmp(b End) int {
	if a.infinite != 0 || b.infinite != 0 {
		return cmp.Compare(a.infinite, b.infinite)
	}
	x, y := a.m, b.m
	if x.Sign() != y.Sign() || x.Sign() == 0 {
		return cmp.Compare(x.Sign(), y.Sign())
	}
	// Mantissas are within 10^±110,000: they have at most 10,000 digits and an exponent of at
	// most 100,000.
	const most = 1 << 18
	switch d := a.e - b.e; {
	case d > most:
		return x.Sign()
	case d < -most:
		return -x.Sign()
	default:
		return new(big.Rat).Mul(x, number.PowerOfTen(int(d))).Cmp(y)
	}
}

// Compare compares an end that this program has printed with r.
func Compare(s string, r *big.Rat) int {
	x, err := ParseEnd(s)
	if err != nil {
		panic(fmt.Sprintf("decimal: internal error: %v", err))
	}
	return x.Cmp(End{m: r})
}

// Ends are both ends of an enclosure.
type Ends struct{ Lo, Hi End }

// ParseEnds reads both ends.
func ParseEnds(lo, hi string) (Ends, error) {
	x, err := ParseEnd(lo)
	if err != nil {
		return Ends{}, fmt.Errorf("lo = %w", err)
	}
	y, err := ParseEnd(hi)
	if err != nil {
		return Ends{}, fmt.Errorf("hi = %w", err)
	}
	return Ends{x, y}, nil
}

// Contain reports whether all of y lies between the ends.
func (x Ends) Contain(y Ends) bool { return x.Lo.Cmp(y.Lo) <= 0 && y.Hi.Cmp(x.Hi) <= 0 }

// Meet reports whether an enclosure has a number between the ends; it may say so where it
// has one within a part in 10^40 of them.
func (x Ends) Meet(y exact.Enclosure) bool {
	z, err := ParseEnds(y.Decimal(40))
	if err != nil {
		panic(fmt.Sprintf("decimal: internal error: %v", err))
	}
	return z.Lo.Cmp(x.Hi) <= 0 && x.Lo.Cmp(z.Hi) <= 0
}

// Separating returns decimal strings lo ≤ e ≤ hi of at most n significant
// digits, or of as many more as it takes to show how e compares with r: where e ≤ r is
// certain, hi ≤ r, and where e > r is certain, lo > r. An end that is r itself, and no
// decimal, is rounded outwards: no digits are enough.
func Separating(e exact.Enclosure, r *big.Rat, n int) (lo, hi string) {
	lo, hi = e.Decimal(n)
	switch e.LessEqRat(r) {
	case interval.True:
		if Compare(hi, r) > 0 {
			hi = endWithin(e, r, hi)
		}
	case interval.False:
		if Compare(lo, r) <= 0 {
			lo = digitsOf(e.Lo(), lo, func(lo, _ string) (string, bool) { return lo, Compare(lo, r) > 0 })
		}
	}
	return lo, hi
}

// endWithin returns a decimal string for the upper end of an e ≤ r that is at most r; hi if there
// is none, as e reaches up to r.
func endWithin(e exact.Enclosure, r *big.Rat, hi string) string {
	if e.LessRat(r) == interval.True {
		return digitsOf(e.Hi(), hi, func(_, hi string) (string, bool) { return hi, Compare(hi, r) <= 0 })
	}
	if s := number.Format(r); !strings.Contains(s, "/") {
		return s
	}
	return hi
}

// digitsOf rounds one end of an enclosure to as few digits as enough says are enough; it returns
// old if none are. The enclosure itself may be too wide for any number of digits to be of use.
func digitsOf(end *big.Float, old string, enough func(lo, hi string) (string, bool)) string {
	const most = 10_000 // more than the digits of the highest effort
	for n := 2; n <= most; n += 1 + n/8 {
		lo, hi := interval.Point(end).Decimal(n)
		if s, ok := enough(lo, hi); ok {
			return s
		}
		if lo == hi {
			break
		}
	}
	return old
}
