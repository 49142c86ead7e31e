// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package renyi is the Rényi accountant in float64, with a bound of the error:
// divergences of products, which add up under composition [Abadi et al. 2016; Mironov 2017; Canonne, Kamath & Steinke
// 2020].
//
// Divergences come from the moment transforms of the Fourier accountant, on the real
// line: log E_P e^((α−1)L) = (α − 1)·R_α(P‖Q).
package renyi

import (
	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Curve is R_α(P‖Q), in nats, as a function of α > 1.
type Curve struct{ moments fourier.Moments }

// New returns the curve of a product; false if a factor has no moment transform, or a
// mass of infinite loss, so that all divergences of orders above 1 are infinite.
func New(p pair.Product) (*Curve, bool) {
	m, inf, ok := fourier.MomentsOf(p)
	if !ok || inf != (value.Value{}) {
		return nil, false
	}
	return &Curve{m}, true
}

// Divergence returns R_α(P‖Q) = log M(1 − α)/(α − 1).
//
// Requires: α > 1, 1 − α exact in float64 or off by u, which counts.
func (c *Curve) Divergence(alpha value.Value) value.Value {
	lambda := alpha.Sub(value.Exact(1))
	// log M is convex in λ and 0 at 0, so its slope at λ is at most the slope of the chord to
	// 2λ: moving λ by e moves it by at most that much.
	m := c.moments(-lambda.V)
	if lambda.Err > 0 {
		m.Err += lambda.Err * c.moments(-2*lambda.V).Mag() / lambda.V * 2
	}
	return m.Div(lambda)
}
