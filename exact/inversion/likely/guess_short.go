// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package likely

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Below returns a number of 10 bits just below x.
func Below(x float64) *big.Rat { return Short(x, 10, math.Floor) }

// Above returns a number of 10 bits just above x.
func Above(x float64) *big.Rat { return Short(x, 10, math.Ceil) }

// Rounded rounds the mantissa of x to so many bits.
func Rounded(x float64, bits int, round func(float64) float64) float64 {
	m, e := math.Frexp(x)
	return math.Ldexp(round(math.Ldexp(m, bits)), e-bits)
}

// Short rounds the mantissa of x to so many bits.
func Short(x float64, bits int, round func(float64) float64) *big.Rat {
	m, e := math.Frexp(x)
	n := new(big.Rat).SetInt64(int64(round(math.Ldexp(m, bits))))
	return n.Mul(n, interval.Pow2(e-bits))
}

// Middles rounds the values of a line, in units of the first.
func Middles(values []interval.Complex, err error) ([]complex128, bool) {
	if err != nil || len(values) == 0 {
		return nil, false
	}
	const coarse = interval.Prec(64)
	norm := coarse.Inv(values[0].Re)
	out := make([]complex128, len(values))
	for j, z := range values {
		z = coarse.ScaleC(norm, z)
		out[j] = complex(double.Of(z.Re).Mid(), double.Of(z.Im).Mid())
	}
	return out, true
}
