// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"math/big"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A course says how values go along a scale.
type course int

const (
	falling course = iota
	rising
)

// A scale lists the values of a parameter that a calibration tries, from the most
// private one, index 0, on: integers, or all numbers of so many significant digits
// between two powers of ten.
type scale struct {
	size   int64
	digits int // 0 for integers
	first  int // decimal exponent at the private end
	usual  int // one that is usual
	course course
	end    string // what its last value is
}

// The ends of scales: the last value that there is, or that is tried.
const (
	lastProbability = "no probability is larger"
	lastSample      = "no sample is larger than source_dataset_size"
	lastCount       = "no larger count can be asked"
	lastTried       = "the search ends here, and values beyond may do, too"
)

// scaleOf returns the scale of a field of a mapping. See Template.monotone for where privacy is provably monotone along
// it.
func scaleOf(field string, of *document.Node, digits int) (scale, bool) {
	decades := func(first, n, usual int, course course, end string) scale {
		return scale{size: int64(n) * perDecade(digits), digits: digits, first: first, usual: usual, course: course, end: end}
	}
	switch field {
	// from 10^7 down to 10^−5
	case "noise_multiplier", "standard_deviation", "sigma", "scale", "noise_variance", "variance":
		return decades(7, 12, 0, falling, lastTried), true
	case "noise_parameter":
		// from 1 down to 10^−9
		if class := of.Get("class_name"); class != nil && class.Text == (mechanism.RandomizedResponse{}).ClassName() {
			return decades(0, 9, -1, falling, lastTried), true
		}
		return decades(-7, 12, 0, rising, lastTried), true // the inverse of a scale
	case "sampling_probability": // from 10^−9 up to 1
		s := decades(-9, 9, -2, rising, lastProbability)
		s.size++
		return s, true
	case "epsilon", "rho": // from 10^−9 up to 10^6
		return decades(-9, 15, 0, rising, lastTried), true
	case "count":
		return scale{size: mechanism.MaxCount, course: rising, end: lastCount}, true
	case "sample_size":
		return scale{size: sourceSize(of), course: rising, end: lastSample}, true
	}
	return scale{}, false
}

// sourceSize returns the size of the dataset that is sampled. What is wrong with it is for the
// decoder to say.
func sourceSize(of *document.Node) int64 {
	if n := of.Get("source_dataset_size"); n != nil {
		if x, err := number.Parse(n.Text); err == nil && x.IsInt() && x.Num().IsInt64() {
			return min(max(x.Num().Int64(), 1), mechanism.MaxCount)
		}
	}
	return mechanism.MaxCount
}

// perDecade is how many numbers of so many digits a decade has.
func perDecade(digits int) int64 { return 9 * tenTo(digits-1) }

// usualSteps is a number of steps that is usual in training. A few steps take longer to account for than many.
const usualSteps = 1 << 10

// start is the index where a search begins: estimates are fast for usual values. Integers begin with the first, but the
// steps of a training.
func (s scale) start(training bool) int64 {
	switch {
	case s.digits == 0 && training:
		return min(usualSteps, s.size) - 1
	case s.digits == 0:
		return 0
	}
	return int64(max(s.usual-s.first, s.first-s.usual)) * perDecade(s.digits)
}

// stride is how far values are apart that are tried before those between: the better part of a decade, or one. Little
// noise, as a decade below the usual one, takes long.
func (s scale) stride() int64 {
	if s.digits == 0 {
		return 1
	}
	return max(perDecade(s.digits)*3/5, 1)
}

// scanned is how far apart values are that a scan tries: a seventh of them.
const scanned = 7

// after returns the index that a scan tries after i: of a value about a seventh of it larger or smaller, or of the next
// power of ten.
func (s scale) after(i int64) int64 {
	if s.digits == 0 {
		return i + max((i+1)/scanned, 1)
	}
	n, least := perDecade(s.digits), tenTo(s.digits-1)
	place := i % n
	mantissa := least + place
	if s.course == falling {
		if i == 0 {
			return 1
		}
		place = (i - 1) % n
		mantissa = least + n - 1 - place
	}
	return i + min(max(mantissa/scanned, 1), n-place)
}

func tenTo(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// at returns the value at an index.
func (s scale) at(i int64) *big.Rat {
	if s.digits == 0 {
		return big.NewRat(i+1, 1)
	}
	n := perDecade(s.digits)
	exponent, mantissa := int64(s.first)+i/n, tenTo(s.digits-1)+i%n
	if s.course == falling && i > 0 { // the numbers below 10^first
		exponent, mantissa = int64(s.first)-1-(i-1)/n, tenTo(s.digits)-1-(i-1)%n
	}
	x := new(big.Rat).SetInt64(mantissa)
	return x.Mul(x, number.PowerOfTen(int(exponent)-s.digits+1))
}

// format spells a value with all its digits: 3.730, not 3.73.
func (s scale) format(x *big.Rat) string {
	text := number.Format(x)
	if s.digits == 0 || strings.ContainsAny(text, "e/") {
		return text
	}
	significant := len(strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "0"))
	if missing := s.digits - significant; missing > 0 {
		if !strings.Contains(text, ".") {
			text += "."
		}
		text += strings.Repeat("0", missing)
	}
	return text
}
