// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package batch

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// prec is the precision of probabilities, before they are rounded outwards to float64.
const prec = interval.Prec(256)

// A law has weights, rounded up, at −∞ and at places that rise. For a normal s it is an upper bound of mean values:
//
// Lemma (nodes). Let X(s) = Σ B_i·e^(c_i·s), B_i ≥ 0, 0 ≤ c_i ≤ rate. Then E (p − X(s))₊ ≤ Σ weight·(p − X(place))₊,
// X(−∞) = 0.
//
// Proof. Between two places y < z let θ rise from 0 to 1 in proportion to e^(rate·s). e^(c·s) is a concave function of
// e^(rate·s), so that X is at least its chord (1 − θ)·X(y) + θ·X(z); (p − x)₊ falls with x and is convex, hence (p −
// X)₊ at most (1 − θ)·(p − X(y))₊ + θ·(p − X(z))₊. The weights are the means of 1 − θ and θ. Below the first place X >
// 0, and above the last one X is greater than there. ∎
type law struct {
	below   float64
	places  []float64
	weights []float64
}

// newLaw has the places i/perUnit, perUnit a power of 2, for i from first to last. Its weights are computed with w
// bits.
//
// The mean of θ over a cell is (e^(r²/2)·(Φ(z − r) − Φ(y − r)) − e^(ry)·(Φ(z) − Φ(y)))/(e^(rz) − e^(ry)).
func newLaw(w interval.Prec, rate *big.Rat, perUnit, first, last int64) law {
	r := w.Rat(rate)
	lift := w.Exp(w.Scale(w.Sqr(r), -1))
	n := int(last-first) + 1
	weights := make([]interval.Interval, n)
	l := law{places: make([]float64, n), weights: make([]float64, n)}
	zero := interval.Int(0)
	for i := range weights {
		weights[i] = zero
	}
	var mass, lifted, height interval.Interval // of the last place: Φ(y), Φ(y − r), e^(ry)
	for i := range n {
		y := big.NewRat(first+int64(i), perUnit)
		at := w.Rat(y)
		m, u, h := fixed.NormalCDF(w, at), fixed.NormalCDF(w, w.Sub(at, r)), w.Exp(w.Mul(r, at))
		if i == 0 {
			l.below = upper(m)
		} else {
			here := w.Sub(m, mass)
			right := w.Div(w.Sub(w.Mul(lift, w.Sub(u, lifted)), w.Mul(height, here)), w.Sub(h, height))
			right = interval.Max(right, zero)
			weights[i] = right
			weights[i-1] = w.Add(weights[i-1], interval.Max(w.Sub(here, right), zero))
		}
		mass, lifted, height = m, u, h
		l.places[i] = double.Of(prec.Rat(y)).Lo // of few bits
	}
	weights[n-1] = w.Add(weights[n-1], w.Sub(interval.Int(1), mass))
	for i, x := range weights {
		l.weights[i] = upper(x)
	}
	return l
}

// upper is a float64 that is not less.
func upper(x interval.Interval) float64 { return double.Of(x).Hi }

// lower is one that is not more, and not negative.
func lower(x interval.Interval) float64 { return max(0, double.Of(x).Lo) }
