// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package crosscheck compares implementations that share nothing but their
// mathematics: agreement between them is evidence, and disagreement is a bug in
// one of them, reported as a *Violation whose text reproduces it.
//
// It is the only package that imports both engines, and bigfloat:
//
//   - Compare sends a question through the exact engine and through package float, and
//     says whether the enclosure proves or refutes the float value's own error bound;
//     CompareDivergence does the same with Rényi divergences.
//   - Methods compares all methods of the exact engine with each other.
//   - Functions measures the functions of package math, on whose accuracy float rests.
//   - Elementary compares the elementary functions of package interval with
//     github.com/ALTree/bigfloat, which computes logarithms by the arithmetic-geometric
//     mean and exponentials by Newton's iteration. Its results are no bounds: it rounds to
//     nearest and is wrong in places, which elementary.go lists and keeps out of the
//     comparison.
//
// SelfTest runs a seeded sample of all of this, for `verify selftest`.
package crosscheck

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact/interval"
)

// A Report counts what was compared.
type Report struct {
	Checked map[string]int // by function
	// Skipped counts arguments at which the other implementation is known to be
	// wrong, by function.
	Skipped map[string]int
}

// total is the sum of counts.
func total[K comparable](counts ...map[K]int) (n int) {
	for _, c := range counts {
		for _, k := range c {
			n += k
		}
	}
	return n
}

// A Violation is a comparison that failed.
type Violation struct {
	Function  string
	Arguments []*big.Float
	Prec      interval.Prec
	Enclosure interval.Interval
	Other     *big.Float // the other implementation's value
	OtherPrec uint
}

// Error says what disagrees, and how to see it again.
func (v *Violation) Error() string {
	args := make([]string, len(v.Arguments))
	for i, x := range v.Arguments {
		args[i] = Dyadic(x)
	}
	lo, hi := v.Enclosure.Decimal(40)
	return fmt.Sprintf("crosscheck: %s(%s) at %d bits: dpverify says [%s, %s], bigfloat at %d bits says %s; reproduce "+
		"with: go test dpverify/crosscheck -run '^TestReproduce$' -v -args -function %s -prec %d -arguments %s",
		v.Function, strings.Join(args, ", "), v.Prec, lo, hi, v.OtherPrec, v.Other.Text('g', 40), v.Function, v.Prec,
		strings.Join(args, ","))
}

// Dyadic spells a finite float exactly, as an integer and a power of two: 3p-1 is 1.5.
func Dyadic(f *big.Float) string {
	if f.Sign() == 0 {
		return "0p0"
	}
	n := int(f.MinPrec())
	e := f.MantExp(nil)
	m, _ := new(big.Float).SetMantExp(f, n-e).Int(nil)
	return fmt.Sprintf("%sp%d", m, e-n)
}

// is reports whether an error is of a type, or wraps one that is.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
