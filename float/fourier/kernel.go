// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"

	"dpverify/float/value"
)

// A kernel is κ(s) = Σ_{n≥0} e^(snh)·k_n for Re s < 0: what the masses at the lattice
// points (j₀ + n)h are weighted with.
type kernel interface {
	// at returns κ(s) with a bound of its error.
	at(s complex128) (k complex128, err float64)
	// bound returns an upper bound of |κ(s)| over left ≤ Re s ≤ right < 0 and
	// low ≤ Im s ≤ high, 0 ≤ low, high·h < 2π.
	bound(left, right, low, high float64) float64
	// log returns log κ(γ), roughly, for real γ < 0.
	log(gamma float64) float64
}

// tailKernel has the weights 1: κ(s) = 1/(1 − e^(sh)).
type tailKernel struct{ h float64 }

// lossKernel has the weights 1 − e^(ε−x) at the points x ≥ ε, the first of them at
// ε + d, 0 ≤ d ≤ h:
//
//	κ(s) = 1/(1 − e^(sh)) − e^−d/(1 − e^((s−1)h))
//	     = ((1 − e^−d) + e^(sh)·(e^−d − e^−h))/((1 − e^(sh))·(1 − e^((s−1)h))),
//
// whose numerator has no cancellation for real s and at most 1 − e^−h in absolute value.
type lossKernel struct{ h, d float64 }

// complement returns 1 − e^z for z = x + iy, x < 0: −expm1(x) + e^x·2sin²(y/2) and
// −e^x·sin y, the first a sum of positive numbers.
//
// Every factor is off by at most 4u of itself but sin y, which the rounding of y = wh
// moves by u·|y|, |y| ≤ 2π, at most 4 times the absolute value of the result: 40u of it
// cover all of this.
func complement(x, y float64) complex128 {
	s := math.Sin(y / 2)
	e := math.Exp(x)
	return complex(-math.Expm1(x)+2*e*s*s, -e*math.Sin(y))
}

const complementErr = 40 * value.U

// least returns a lower bound of |1 − e^(sh)| on a rectangle. With r = e^(Re s·h) and
// θ = Im s·h, its square is (1 − r)² + 4r·sin²(θ/2), each term at least its least value.
func least(h, left, right, low, high float64) float64 {
	theta := math.Max(0, math.Min(low*h, 2*math.Pi-high*h)) * (1 - 8*value.U)
	s := math.Sin(theta / 2)
	x := math.Expm1(right * h)
	return math.Sqrt(x*x+4*math.Exp(left*h)*s*s) * (1 - 64*value.U)
}

func (k tailKernel) at(s complex128) (complex128, float64) {
	v := 1 / complement(real(s)*k.h, imag(s)*k.h)
	return v, magnitude(v) * (complementErr + 8*value.U)
}

func (k tailKernel) bound(left, right, low, high float64) float64 {
	return 1 / least(k.h, left, right, low, high) * (1 + 4*value.U)
}

func (k tailKernel) log(gamma float64) float64 { return -math.Log(-math.Expm1(gamma * k.h)) }

func (k lossKernel) at(s complex128) (complex128, float64) {
	x, y := real(s)*k.h, imag(s)*k.h
	first := -math.Expm1(-k.d)
	second := -math.Exp(-k.d) * math.Expm1(k.d-k.h)
	sin, cos := math.Sincos(y)
	e := math.Exp(x) * second
	num := complex(first+e*cos, e*sin)
	den := complement(x, y) * complement(x-k.h, y)
	v := num / den
	// Each summand of the numerator is off by at most 24u of itself, y included.
	err := 24 * value.U * (first + e) / magnitude(den) * (1 + 1e-9)
	return v, err + magnitude(v)*(2*complementErr+16*value.U)
}

func (k lossKernel) bound(left, right, low, high float64) float64 {
	a, b := least(k.h, left, right, low, high), least(k.h, left-1, right-1, low, high)
	return -math.Expm1(-k.h) / (a * b) * (1 + 32*value.U)
}

func (k lossKernel) log(gamma float64) float64 {
	v, _ := k.at(complex(gamma, 0))
	return math.Log(real(v))
}

func magnitude(z complex128) float64 { return math.Hypot(real(z), imag(z)) }
