// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package number reads and writes numbers as people do, exactly: decimals, fractions and
// powers of ten become rationals, and a rational has a text that means it. It also knows the
// domains of parameters, and rounding to binary64.
package number

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpverify/internal/show"
)

// A Error says why a text is not a number of this package.
type Error struct {
	Value string // the text, abbreviated if long
	Want  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("number = %s, want %s", e.Value, e.Want)
}

// Wanted returns what an *Error wants. Of a text that is no number at all it returns otherwise,
// unless that is empty: the caller may know more about the number that belongs there.
// Any other error is the caller's mistake.
func Wanted(err error, otherwise string) string {
	var e *Error
	if !errors.As(err, &e) {
		panic("number: internal error: a number failed with another error: " + err.Error())
	}
	if e.Want == noNumber && otherwise != "" {
		return otherwise
	}
	return e.Want
}

// Parse returns the rational that s spells, exactly:
//
//	number   = [ "+" | "-" ] decimal [ "/" decimal ]
//	decimal  = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//
// so 256/60000, 1e-5, .5 and 5. are numbers, while spaces, underscores,
// hexadecimal, inf and nan are not. A text longer than MaxLen, an exponent
// beyond ±MaxExponent and a zero denominator are errors, and they are found
// before any big number is built.
//
// The error is a *Error. Format writes every number that
// Parse returns so that Parse reads it back: a text that combines
// an extreme exponent with thousands of digits in a way that has no such
// spelling is an error too.
func Parse(s string) (*big.Rat, error) {
	l, want := scan(s)
	if want != "" {
		return nil, &Error{show.Value(s), want}
	}
	r := l.value()
	// Format needs at most 20 characters more than the shortest text of r,
	// unless powers of five or ten have to be written out; the powers of a short text
	// stay far below MaxLen.
	if len(s) > MaxLen/10 && len(Format(r)) > MaxLen {
		return nil, &Error{show.Value(s), fmt.Sprintf("a number that can be written with %d characters", MaxLen)}
	}
	return r, nil
}

// noNumber is what scan wants of a text that is no number at all.
const noNumber = "a number"

// A literal is a scanned number that has not been built yet.
type literal struct {
	negative bool
	num, den decimal
}

// A decimal is digits · 10^exp.
type decimal struct {
	digits string
	exp    int
}

// scan splits s into its parts and checks every limit. It returns what
// was wanted instead if s breaks one.
func scan(s string) (l literal, want string) {
	if len(s) > MaxLen {
		return l, fmt.Sprintf("at most %d characters", MaxLen)
	}
	rest := s
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		l.negative = rest[0] == '-'
		rest = rest[1:]
	}
	num, den, fraction := strings.Cut(rest, "/")
	if l.num, want = scanDecimal(num); want != "" {
		return l, want
	}
	if !fraction {
		l.den = decimal{digits: "1"}
		return l, ""
	}
	if l.den, want = scanDecimal(den); want != "" {
		return l, want
	}
	if l.den.isZero() {
		return l, "a denominator other than 0"
	}
	return l, ""
}

func scanDecimal(s string) (d decimal, want string) {
	mantissa, exponent := s, ""
	hasExponent := false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = s[:i], s[i+1:], true
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	d.digits = whole + frac
	if d.digits == "" || !isDigits(d.digits) {
		return d, noNumber
	}
	if hasExponent {
		negative := strings.HasPrefix(exponent, "-")
		if negative || strings.HasPrefix(exponent, "+") {
			exponent = exponent[1:]
		}
		if exponent == "" || !isDigits(exponent) {
			return d, noNumber
		}
		for i := 0; i < len(exponent); i++ {
			// d.exp ≤ MaxExponent before the step, so it cannot overflow.
			if d.exp = 10*d.exp + int(exponent[i]-'0'); d.exp > MaxExponent {
				return d, fmt.Sprintf("an exponent of at most %d in absolute value", MaxExponent)
			}
		}
		if negative {
			d.exp = -d.exp
		}
	}
	d.exp -= len(frac)
	return d, ""
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func (d decimal) isZero() bool { return strings.Trim(d.digits, "0") == "" }

// Size is the number of decimal digits that building the number of a text can take; 0 if
// it has none.
func Size(s string) int {
	l, want := scan(s)
	if want != "" {
		return 0
	}
	return l.size()
}

// size is the number of decimal digits that building the literal can take.
func (l literal) size() int {
	if l.num.isZero() {
		return 1
	}
	return len(l.num.digits) + len(l.den.digits) + abs(l.num.exp-l.den.exp)
}

// value builds the number. The exponents are combined first, so that only one
// power of ten is built and the greatest common divisor is taken against a
// mantissa, never of two huge numbers.
func (l literal) value() *big.Rat {
	if l.num.isZero() {
		return new(big.Rat)
	}
	num, den := l.num.mantissa(), l.den.mantissa()
	if exp := l.num.exp - l.den.exp; exp >= 0 {
		num.Mul(num, pow(10, exp))
	} else {
		den.Mul(den, pow(10, -exp))
	}
	if l.negative {
		num.Neg(num)
	}
	return new(big.Rat).SetFrac(num, den)
}

func (d decimal) mantissa() *big.Int {
	m, ok := new(big.Int).SetString(d.digits, 10)
	if !ok {
		panic("number: internal error: scanned digits are no integer")
	}
	return m
}

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

// Binary64 returns the exact value of the float64 that is nearest to r, ties to
// even: the number that a library working in float64 had when it was given r.
// A value that rounds to infinity is a *Error.
func Binary64(r *big.Rat) (*big.Rat, error) {
	if r == nil {
		return nil, &Error{Format(r), noNumber}
	}
	f, _ := r.Float64()
	if math.IsInf(f, 0) {
		return nil, &Error{show.Cut(Format(r)), "a number in the range of binary64"}
	}
	return new(big.Rat).SetFloat64(f), nil
}

// ParseFormat reads the name of a number format and reports whether it is binary64.
func ParseFormat(s string) (binary64 bool, err error) {
	switch s {
	case "binary64":
		return true, nil
	case "decimal":
		return false, nil
	}
	return false, fmt.Errorf("number_format = %s, want binary64 or decimal", show.Value(s))
}

// Float64 is the nearest float64, infinite beyond the greatest one.
func Float64(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
