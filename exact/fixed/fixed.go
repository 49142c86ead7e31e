// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fixed encloses real numbers in three machine words, without allocation:
// a mantissa of 192 bits and a bound of its error in ulps. It is what exact/interval is
// in arbitrary precision, 20 to 100 times faster, and good to between 120 and 185 bits.
//
// # Inclusion principle
//
// Every function returns an enclosure that contains f(t) for every t of its argument
// enclosures. Where it cannot, because an argument is outside the range of a kernel or
// too wide for the bound of its error to hold, it returns Unknown, which encloses
// everything: callers go on with exact/interval.
//
// # Kernels and their errors
//
// A kernel (erfcx, sinCos, those of exact/fraction, …) is a function of fractions: numbers in [0, 1) in units of
// 2^−192, an ulp. Each computes with positive terms rounded down, so that every error has
// one sign and the bound is a count: "low by [0, n)" means computed ≤ true < computed + n ulps.
// The counts are proved beside the code. The methods of Three turn them into enclosures of
// arguments that are enclosures themselves.
//
// Nothing here depends on the machine: there are no floating-point numbers and
// no assembly, only math/bits.
package fixed
