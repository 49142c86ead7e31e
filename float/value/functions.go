// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package value

import "math"

// The error of each function of package math, relative to its result. Their authors
// (FreeBSD's msun, from which they come) claim less than one unit in the last place
// for each, that is at most 2u.
const (
	expErr  = 4 * U // Exp, Expm1
	logErr  = 4 * U // Log, Log1p
	erfcErr = 8 * U // Erf, Erfc
)

// Exp returns e^x: |e^x − e^X| ≤ e^X·(e^err − 1).
func (x Value) Exp() Value {
	y := math.Exp(x.V)
	if y == 0 {
		return Value{0, up(math.Exp(math.Min(709, x.V+x.Err)) + tiny)}
	}
	return of(y, y*(math.Expm1(x.Err)+expErr*(1+math.Expm1(x.Err))))
}

// Expm1 returns e^x − 1.
func (x Value) Expm1() Value {
	y := math.Expm1(x.V)
	return of(y, (y+1)*math.Expm1(x.Err)*(1+8*U)+expErr*math.Abs(y))
}

// Log returns log x for x > 0: |log x − log X| ≤ −log(1 − err/X).
func (x Value) Log() Value {
	if !(x.V > x.Err) {
		return Value{0, math.Inf(1)}
	}
	y := math.Log(x.V)
	return of(y, -math.Log1p(-x.Err/x.V)*(1+8*U)+logErr*math.Abs(y))
}

// Log1p returns log(1 + x) for x > −1.
func (x Value) Log1p() Value {
	low := 1 + x.V - 2*U
	if !(low > x.Err) {
		return Value{0, math.Inf(1)}
	}
	y := math.Log1p(x.V)
	return of(y, -math.Log1p(-x.Err/low)*(1+8*U)+logErr*math.Abs(y))
}

// NormalSF returns the upper tail ½erfc(x/√2) of the standard normal law. Its
// derivative is −φ(x); over [X − e, X + e] the density is at most
// φ(max(0, |X| − e)).
func NormalSF(x Value) Value {
	z := x.Scale(1 / math.Sqrt2) // the constant is within u
	z.Err = up(z.Err + 2*U*math.Abs(z.V))
	y := math.Erfc(z.V)
	t := math.Max(0, math.Abs(z.V)-z.Err)
	slope := 2 / math.SqrtPi * math.Exp(-t*t) * (1 + 64*U)
	return of(y/2, (slope*z.Err+erfcErr*y)/2+tiny)
}

// Erfcx returns the scaled complementary error function e^(x²)·erfc(x) for x ≥ 0.
//
// Below 10 it is the product itself, with x² = h + l to twice the precision, so that
// e^h·(1 + l) has the error of Exp and u². From 10 on it is
// 1/(x√π)·Σ_n (−1)^n·(2n−1)!!/(2x²)^n, whose error is less than the first term left
// out: at n = 14 that is 27!!/200^14 < 2^−59 of the sum.
//
// With R = −(log Erfcx)' = 2/(√π·Erfcx) − 2x, 0 < R ≤ min(2/√π, 1/x): R decreases, is 2/√π
// at 0, and erfc(x) ≥ 2/√π·e^(−x²)·x/(1 + 2x²) gives R ≤ 1/x. An argument whose error
// reaches below 0 meets R ≤ 2/√π + 2|x| there.
func Erfcx(x Value) Value {
	y, rel := erfcx(math.Max(0, x.V))
	r := 2/math.SqrtPi + 2*math.Max(0, x.Err-x.V)
	if low := x.V - x.Err; low > 1 {
		r = math.Min(r, 1/low)
	}
	return of(y, y*(rel+math.Expm1(r*x.Err)*(1+4*U)))
}

// erfcx returns the function at a float64, with a bound of its relative error.
func erfcx(x float64) (y, rel float64) {
	if x < 10 {
		h := x * x
		l := math.FMA(x, x, -h)
		return math.Exp(h) * math.Erfc(x) * (1 + l), expErr + erfcErr + 8*U
	}
	t := 1 / (2 * x * x)
	sum := 1.0
	for n := 13; n >= 1; n-- {
		sum = 1 - float64(2*n-1)*t*sum
	}
	// The Horner steps contract: an error of 4u in a step is multiplied by at most
	// 25/200 in each later one.
	return sum / (x * math.SqrtPi), 24 * U
}
