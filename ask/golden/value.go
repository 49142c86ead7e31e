// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"dpverify/ask"
	"dpverify/internal/number"
)

// leastDigits is how many digits are asked for at least: as many as "verify query" aims at.
const leastDigits = ask.DefaultDigits

// A value is a number from outside: |Text| ≤ |true| < |Text| + one unit of its last digit, or
// equality where Exact says so. It has a digit that is not 0, or is exact: "0" is what any number below 1 is cut to.
type value struct {
	Text  string
	Exact bool
}

// digits is how many significant digits an answer needs to be compared with all of the value:
// one more than it has, and two more where it is exact, as all that follow are 0.
func (v value) digits() int {
	mantissa, _, _ := strings.Cut(v.Text, "e")
	n := len(strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, mantissa), "0"))
	switch {
	case strings.Contains(v.Text, "/"), v.Text == "inf", v.Text == "-inf":
		return leastDigits
	case v.Exact:
		n++
	}
	return max(n+1, leastDigits)
}

// ends returns the ends of the range that a value stands for. The error says what is wanted.
func (v value) ends() (lo, hi string, err error) {
	if v.Text == "inf" || v.Text == "-inf" {
		return v.Text, v.Text, nil
	}
	x, err := number.Parse(v.Text)
	if err != nil {
		return "", "", errors.New(number.Wanted(err, "a number, inf or -inf"))
	}
	text := number.Format(x)
	if v.Exact {
		return text, text, nil
	}
	place, ok := number.LastPlace(v.Text)
	if !ok {
		return "", "", errors.New("a decimal, or exact: true, as a fraction has no last digit")
	}
	if x.Sign() == 0 {
		return "", "", errors.New("a digit that is not 0, as digits are cut off and every number below 10^" +
			strconv.Itoa(place) + " begins so; or exact: true")
	}
	end := number.PowerOfTen(place) // a unit of the last digit, away from 0
	if strings.HasPrefix(v.Text, "-") {
		end.Neg(end)
	}
	if end.Add(end, x); x.Cmp(end) > 0 {
		return number.Format(end), text, nil
	}
	return text, number.Format(end), nil
}

// meets reports whether some number of the range lies in [lo, hi].
func (v value) meets(lo, hi string) bool {
	from, to, err := v.ends()
	return err == nil && atMost(lo, to) && atMost(from, hi)
}

// rounds reports that the value does not meet [lo, hi], but would as a number that is rounded to its last digit.
func (v value) rounds(lo, hi string) bool {
	x, err := number.Parse(v.Text)
	place, ok := number.LastPlace(v.Text)
	if err != nil || !ok || v.Exact {
		return false
	}
	half := new(big.Rat).Mul(number.PowerOfTen(place), big.NewRat(1, 2))
	return atMost(lo, number.Format(new(big.Rat).Add(x, half))) && atMost(number.Format(half.Sub(x, half)), hi)
}

// atMost reports x ≤ y for decimals, which may be infinite.
func atMost(x, y string) bool {
	if x == "-inf" || y == "inf" || x == y {
		return true
	}
	a, err1 := number.Parse(x)
	b, err2 := number.Parse(y)
	return err1 == nil && err2 == nil && a.Cmp(b) <= 0
}
