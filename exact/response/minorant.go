// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A minorant makes trigonometric polynomials that are at most f(θ) = −log(1 − v·sin²(θ/2)), 0 ≤ v ≤ 1, and touch it.
//
// Let n = 2m + 1 and θ_k = 2πk/n. Let h be the polynomial of degree 2m in x = sin²(θ/2) with h = f at x = 0 and h = f,
// h′ = f′ at the m numbers x_k = sin²(θ_k/2) < 1, 0 < k ≤ m.
//
// Claim. h ≤ f, and as a function of θ, with values f(θ_k) and slopes f′(θ_k) by θ,
//
//	h = Σ_{0≤j<n} h_j·cos jθ,  h_0 = (1/n)·Σ_{0<k<n} f(θ_k),
//	h_j = (2/n)·(1 − j/n)·Σ_{0<k<n} f(θ_k)·cos jθ_k − (2/n²)·Σ_{0<k<n} f′(θ_k)·sin jθ_k.
//
// Proof. f(x) − h(x) = f^{(n)}(ξ)/n!·x·Π (x − x_k)² for some ξ in (0, 1), the remainder of Hermite interpolation. No
// derivative of −log(1 − vx) is negative there. Let
//
//	A(θ) = (1/n)·Σ_{|j|<n} (1 − |j|/n)·e^{ijθ} = sin²(nθ/2)/(n·sin(θ/2))²,
//	B(θ) = (1/n²)·(2·Σ_{0<j<n} sin jθ + sin nθ) = (1 − cos nθ)·cot(θ/2)/n².
//
// At 0 A is 1, with the slope 0, and B is 0, with the slope 1; at other θ_k both are 0, with the slope 0. So the sum
// g of f(θ_k)·A(θ − θ_k) + f′(θ_k)·B(θ − θ_k) over all k has the values and slopes of f at all θ_k. As f is even, so is
// g, and the terms with sin n(θ − θ_k) = sin nθ add up to 0, for Σ_k f′(θ_k) = 0. So g is a polynomial of degree
// n − 1 at most in cos θ, hence in x, and that is h, as dx/dθ ≠ 0 at θ_k, 0 < k ≤ m. Its coefficients are those of the
// claim, with f(0) = f′(0) = 0. The terms of k and n − k are equal. ∎
type minorant struct {
	n        int
	x        []double.Interval // x_k, 0 < k ≤ m
	cos, sin []double.Interval // of jθ_1, 0 ≤ j < n
}

func newMinorant(m int) minorant {
	h := minorant{n: 2*m + 1}
	for j := range h.n {
		cos, sin := turn(int64(2*j), int64(h.n)).Cis()
		h.cos, h.sin = append(h.cos, cos), append(h.sin, sin)
	}
	for _, cos := range h.cos[1 : m+1] {
		h.x = append(h.x, double.Int(1).Sub(cos).Half())
	}
	return h
}

// of encloses the coefficients h_j.
func (h minorant) of(v double.Interval) []double.Interval {
	n := double.Int(int64(h.n))
	out := make([]double.Interval, h.n)
	for i, x := range h.x {
		rest := double.Int(1).Sub(v.Mul(x))
		value, slope := rest.Log().Neg(), v.Half().Mul(h.sin[i+1]).Div(rest)
		for j := range out {
			at := j * (i + 1) % h.n
			share := double.Int(int64(h.n - j)).Div(n)
			out[j] = out[j].Add(share.Mul(value).Mul(h.cos[at])).Sub(slope.Mul(h.sin[at]).Div(n))
		}
	}
	for j := range out {
		if out[j] = out[j].Add(out[j]).Div(n); j > 0 {
			out[j] = out[j].Add(out[j])
		}
	}
	return out
}

// pi encloses π.
var pi = double.Of(interval.Prec(96).Pi())

// turn encloses πj/N.
func turn(j, n int64) double.Interval {
	return pi.Mul(double.Int(j)).Div(double.Int(n))
}
