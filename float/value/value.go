// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package value does float64 arithmetic that carries a bound of its own error.
//
// A Value{V, Err} says that the number meant lies in [V − Err, V + Err]. Every
// operation adds to Err what its arguments bring along, to first and second order,
// and what its rounding adds: a sum, product, quotient or square root is off by at
// most u = 2^−53 of its result, or by half the least subnormal, in IEEE 754 to
// nearest. Err itself is computed in float64 and enlarged after each operation by
// more than its own rounding can have lost (see up).
//
// The functions of package math are not proved. They are assumed to be within the
// multiples of u that functions.go states, several times what their authors claim;
// crosscheck measures them against the exact engine, in its tests and in
// `verify selftest`.
package value

import (
	"math"
	"math/big"
)

// U is the unit round-off of float64.
const U = 0x1p-53

// tiny is the least subnormal, twice the absolute error of a result that underflows.
const tiny = 0x1p-1074

// A Value is a number known to be within Err of V. Err ≥ 0, +Inf if nothing is known;
// V is not NaN.
type Value struct{ V, Err float64 }

// up enlarges an error bound that was computed with at most 30 roundings: each loses
// at most a factor 1 − u or half a subnormal.
func up(err float64) float64 { return err*(1+0x1p-47) + 32*tiny }

// of returns v with an error bound, and says that nothing is known where v overflows.
func of(v, err float64) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(err) {
		return Value{0, math.Inf(1)}
	}
	return Value{v, up(err + U*math.Abs(v))}
}

// Exact is the number x itself.
func Exact(x float64) Value { return Value{x, 0} }

// Rat returns the rational r.
func Rat(r *big.Rat) Value {
	f, exact := r.Float64()
	if exact {
		return Value{f, 0}
	}
	return of(f, 0)
}

// Within returns the value v with error err, which was derived elsewhere.
func Within(v, err float64) Value { return of(v, err) }

// Hi returns an upper bound of the number.
func (x Value) Hi() float64 { return math.Nextafter(x.V+x.Err, math.Inf(1)) }

// Lo returns a lower bound of the number.
func (x Value) Lo() float64 { return math.Nextafter(x.V-x.Err, math.Inf(-1)) }

// Mag returns an upper bound of the absolute value.
func (x Value) Mag() float64 { return up(math.Abs(x.V) + x.Err) }

// Rel returns Err/|V|: 0 for an exact 0, +Inf if nothing is known about the size.
func (x Value) Rel() float64 {
	if x.Err == 0 {
		return 0
	}
	return x.Err / math.Abs(x.V)
}

// Neg returns −x.
func (x Value) Neg() Value { return Value{-x.V, x.Err} }

// Add returns x + y.
func (x Value) Add(y Value) Value { return of(x.V+y.V, x.Err+y.Err) }

// Sub returns x − y.
func (x Value) Sub(y Value) Value { return of(x.V-y.V, x.Err+y.Err) }

// Mul returns x·y: |xy − XY| ≤ |X|·ey + |Y|·ex + ex·ey.
func (x Value) Mul(y Value) Value {
	return of(x.V*y.V, math.Abs(x.V)*y.Err+math.Abs(y.V)*x.Err+x.Err*y.Err+tiny)
}

// Div returns x/y: with |y| ≥ |Y| − ey > 0,
// |x/y − X/Y| ≤ (ex + |X/Y|·ey)/(|Y| − ey).
func (x Value) Div(y Value) Value {
	q := x.V / y.V
	low := math.Abs(y.V) - y.Err
	if !(low > 0) {
		return Value{0, math.Inf(1)}
	}
	return of(q, (x.Err+math.Abs(q)*y.Err)/low*(1+4*U)+tiny)
}

// Scale returns x·f for a float64 f that is exactly meant.
func (x Value) Scale(f float64) Value { return x.Mul(Exact(f)) }

// Sqrt returns √x for x ≥ 0: |√x − √X| ≤ e/√X, and ≤ √e.
func (x Value) Sqrt() Value {
	if x.V <= 0 {
		return Value{0, up(math.Sqrt(math.Max(0, x.V+x.Err)))}
	}
	r := math.Sqrt(x.V)
	return of(r, math.Min(x.Err/r*(1+4*U), math.Sqrt(x.Err)*(1+4*U)))
}

// Max returns the larger of two numbers.
func Max(x, y Value) Value {
	return hull(math.Max(x.V-x.Err, y.V-y.Err), math.Max(x.V+x.Err, y.V+y.Err))
}

// hull returns a Value that contains [lo, hi], whose ends are rounded once.
func hull(lo, hi float64) Value {
	v := lo/2 + hi/2
	return of(v, math.Max(hi-v, v-lo)+2*U*(math.Abs(lo)+math.Abs(hi)))
}

// Between returns a Value that contains [lo, hi].
func Between(lo, hi float64) Value { return hull(lo, hi) }

// Clamp returns x, known to lie in [lo, hi] besides.
func (x Value) Clamp(lo, hi float64) Value {
	a, b := x.V-x.Err, x.V+x.Err
	if a >= lo && b <= hi {
		return x
	}
	if math.IsInf(x.Err, 1) {
		return hull(lo, hi)
	}
	return hull(math.Min(math.Max(a, lo), hi), math.Max(math.Min(b, hi), lo))
}
