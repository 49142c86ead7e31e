// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"dpverify/exact"
	"dpverify/internal/show"
	"dpverify/number"
)

// An endpoint is a printed end of an enclosure: m·10^e, or ±∞. Enclosures reach further than
// numbers do, down to 10^−600,000,000.
type endpoint struct {
	infinite int // the sign of ±∞, else 0
	m        *big.Rat
	e        int64
}

// maxEndpoint bounds the exponents of endpoints.
const maxEndpoint = 10_000_000_000

// parseEndpoint reads a number, "inf" or "-inf".
func parseEndpoint(s string) (endpoint, error) {
	switch s {
	case "inf":
		return endpoint{infinite: +1}, nil
	case "-inf":
		return endpoint{infinite: -1}, nil
	}
	m, err := number.Parse(s)
	if err == nil {
		return endpoint{m: m}, nil
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, err2 := strconv.ParseInt(exponent, 10, 64)
	if m, err1 := number.Parse(mantissa); err1 == nil && err2 == nil && -maxEndpoint <= e && e <= maxEndpoint && !strings.Contains(s, "/") {
		return endpoint{m: m, e: e}, nil
	}
	return endpoint{}, fmt.Errorf("%s, want a number or inf: %w", show.Value(s), err)
}

// cmp compares two ends.
func (a endpoint) cmp(b endpoint) int {
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

// compareDecimal compares an end that this program has printed with r.
func compareDecimal(s string, r *big.Rat) int {
	x, err := parseEndpoint(s)
	if err != nil {
		panic(fmt.Sprintf("certify: internal error: %v", err))
	}
	return x.cmp(endpoint{m: r})
}

// ends are both ends of bounds.
type ends struct{ lo, hi endpoint }

func (b Bounds) ends() (ends, error) {
	lo, err := parseEndpoint(b.Lo)
	if err != nil {
		return ends{}, fmt.Errorf("lo = %w", err)
	}
	hi, err := parseEndpoint(b.Hi)
	if err != nil {
		return ends{}, fmt.Errorf("hi = %w", err)
	}
	return ends{lo, hi}, nil
}

// contain reports whether all of y lies between the ends.
func (x ends) contain(y ends) bool { return x.lo.cmp(y.lo) <= 0 && y.hi.cmp(x.hi) <= 0 }

// meet reports whether an enclosure has a number between the ends; it may say so where it
// has one within a part in 10^40 of them.
func (x ends) meet(y exact.Enclosure) bool {
	printed := Bounds{}
	printed.Lo, printed.Hi = y.Decimal(40)
	z, err := printed.ends()
	if err != nil {
		panic(fmt.Sprintf("certify: internal error: %v", err))
	}
	return z.lo.cmp(x.hi) <= 0 && x.lo.cmp(z.hi) <= 0
}
