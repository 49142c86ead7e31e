// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"math/big"
	"strconv"
	"strings"
)

// QuotedDigits are the significant digits of a number that is quoted.
const QuotedDigits = 5

// Decimals is a number that is known by decimals on both sides of it, with as many digits as are wanted.
type Decimals interface {
	Decimal(digits int) (lo, hi string)
}

// QuoteAbove is the number to quote of what is at most so much: rounded up to QuotedDigits.
func QuoteAbove(x Decimals) string {
	_, hi := x.Decimal(QuotedDigits)
	return Readable(hi)
}

// QuoteBelow is the number to quote of what is at least so much: rounded down to QuotedDigits.
func QuoteBelow(x Decimals) string {
	lo, _ := x.Decimal(QuotedDigits)
	return Readable(lo)
}

// Readable writes a decimal that begins with many zeros in scientific notation.
func Readable(s string) string {
	sign, rest := "", s
	if strings.HasPrefix(s, "-") {
		sign, rest = "-", s[1:]
	}
	digits, ok := strings.CutPrefix(rest, "0.000")
	if !ok {
		return s
	}
	trimmed := strings.TrimLeft(digits, "0")
	exp := -4 - (len(digits) - len(trimmed))
	if trimmed == "" || strings.ContainsAny(trimmed, "e") {
		return s
	}
	if len(trimmed) > 1 {
		trimmed = trimmed[:1] + "." + trimmed[1:]
	}
	return sign + trimmed + "e" + strconv.Itoa(exp)
}

// In says how a number is written: Decimals after the point, or else so many significant Digits; or, with neither, as
// it is quoted.
type In struct{ Places, Digits int }

// WrittenIn is how a number is written that was read from a text: one with an exponent, or that begins with zeros after
// the point, by its significant digits, any other one by its decimals. Of a fraction it reports false.
func WrittenIn(text string) (digits In, ok bool) {
	place, ok := LastPlace(text)
	if !ok {
		return In{}, false
	}
	mantissa, _, scientific := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "e")
	significant := strings.TrimLeft(strings.ReplaceAll(strings.TrimLeft(mantissa, "+-"), ".", ""), "0")
	if scientific || strings.HasPrefix(strings.TrimLeft(mantissa, "+-0"), ".0") {
		return In{Digits: max(len(significant), 1)}, true
	}
	return In{Places: -place}, true
}

// RoundUp returns the least number that is written so and is not below x, as a text.
func (d In) RoundUp(x *big.Rat) string {
	unit := d.Unit(x)
	n := new(big.Rat).Quo(x, unit)
	up := new(big.Int).Neg(n.Num())
	up.Neg(up.Div(up, n.Denom())) // Euclidean, and the denominator is positive: ⌈n⌉
	y := unit.Mul(unit, new(big.Rat).SetInt(up))
	if d.Digits > 0 {
		return Readable(Format(y))
	}
	return y.FloatString(max(d.Places, 0))
}

// Unit is the distance of two numbers that are written so, near x.
func (d In) Unit(x *big.Rat) *big.Rat {
	if d.Digits > 0 && x.Sign() > 0 {
		return PowerOfTen(Magnitude(x) - d.Digits + 1)
	}
	return PowerOfTen(-d.Places)
}

// Magnitude returns the exponent of the first digit of x > 0.
func Magnitude(x *big.Rat) int {
	// x is between 2^(b−1) and 2^(b+1), so the search from there is short.
	b := x.Num().BitLen() - x.Denom().BitLen()
	k := b * 3 / 10
	for PowerOfTen(k).Cmp(x) > 0 {
		k--
	}
	for PowerOfTen(k+1).Cmp(x) <= 0 {
		k++
	}
	return k
}

// String says how, for people: "two decimals", "one digit".
func (d In) String() string {
	n, unit := d.Places, "decimal"
	if d.Digits > 0 {
		n, unit = d.Digits, "digit"
	}
	words := [...]string{"no", "one", "two", "three", "four", "five", "six"}
	text := strconv.Itoa(n)
	if n < len(words) {
		text = words[max(n, 0)]
	}
	if n != 1 {
		unit += "s"
	}
	return text + " " + unit
}

// LastPlace returns the exponent of the last digit of a decimal: −2 for 7.10, 3 for 12e3. It
// reports false for a fraction.
func LastPlace(written string) (int, bool) {
	mantissa, exp, scientific := strings.Cut(strings.ToLower(strings.TrimSpace(written)), "e")
	if strings.Contains(written, "/") {
		return 0, false
	}
	place := 0
	if _, after, ok := strings.Cut(mantissa, "."); ok {
		place = -len(after)
	}
	if scientific {
		e, err := Parse(exp)
		if err != nil || !e.IsInt() || !e.Num().IsInt64() {
			return 0, false
		}
		place += int(e.Num().Int64())
	}
	return place, true
}
