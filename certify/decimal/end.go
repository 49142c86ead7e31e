// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package decimal

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"dpverify/exact"
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
