// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A hyperbola is s(w) = λ·(1 + sin(iw − θ)) = λ·(1 − sin θ·cosh w + i·cos θ·sinh w), w = kh. It is for few terms, where
// φ(s)^t falls slowly and e^{sK} has to: it bends to the left, up to the argument π/2 + θ.
//
// With C = cosh w and σ = sin θ, |s| = λ(C − σ) and |s′|² = λ²(C² − σ²), and s′(w) = iλ·cos(iw − θ). w + iv is on the
// hyperbola of the angle θ − v. On each one, of 0 < θ < π/2: |arg s| = 2·arctan(cot(π/4 − θ/2)·tanh(w/2)) < π/2 + θ, so
// that |φ(s)| ≤ e^{θ²/2μ²}. Where Re s = x ≥ 0, x is at most x₀ = λ(1 − σ), and |e^{sK}φ(s)^t| ≤ E e^{x(K−S)}, which is
// convex in x and so at most max(1, e^{x₀K}φ(x₀)^t); elsewhere |e^{sK}| ≤ 1. Since
//
//	∫|s′/s²| dw ≤ (1/λ)·√((1 + σ)/(1 − σ))·∫ dw/(C − σ) = (1/λ)·√((1 + σ)/(1 − σ))·(π + 2θ)/cos θ = A(θ),
//
// N(θ) = max(1, e^{x₀K}·φ(x₀)^t)·e^{tθ²/2μ²}·A(θ) bounds ∫|e^{sK}φ(s)^t·s′/s²| dw, and the rule of step h is off by at
// most
// (1/2π)·(N(θ − d) + N(θ + d))/(e^{2πd/h} − 1), 0 < d < θ < π/2 − d. Beyond the node W, e^{K·Re s} falls: both tails
// together are at most (1/2π)·e^{tθ²/2μ²}·e^{Kλ(1 − σ·cosh W)}·A(θ).
type hyperbola struct {
	lambda, theta, d, h float64
	n                   int64
	w                   interval.Prec
	relative            float64
}

func (y hyperbola) nodes() int64                        { return y.n }
func (y hyperbola) precision() (interval.Prec, float64) { return y.w, y.relative }

// at is e^{kh}, and e^{−kh}, halved.
func (y hyperbola) at(w interval.Prec, k int64) (up, down interval.Interval) {
	e := w.Exp(w.Mul(interval.Int(k), double.Exactly(y.h)))
	return w.Scale(e, -1), w.Scale(w.Inv(e), -1)
}

func (y hyperbola) node(w interval.Prec, k int64) (s, weight interval.Complex) {
	up, down := y.at(w, k)
	cosh, sinh := w.Add(up, down), w.Sub(up, down)
	if k == 0 {
		sinh = interval.Int(0)
	}
	sin, cos := w.SinCos(double.Exactly(y.theta))
	lambda := double.Exactly(y.lambda)
	s = w.ScaleC(lambda, interval.Complex{Re: w.Sub(interval.Int(1), w.Mul(sin, cosh)), Im: w.Mul(cos, sinh)})
	// s′/i = λ·cos(iw − θ) = λ·(cos θ·cosh w + i·sin θ·sinh w)
	slope := w.ScaleC(lambda, interval.Complex{Re: w.Mul(cos, cosh), Im: w.Mul(sin, sinh)})
	share := w.Div(double.Exactly(y.h), w.Pi())
	return s, w.ScaleC(halved(w, share, k), w.DivC(slope, w.SqrC(s)))
}

// size is e^{tθ²/2μ²}·A(θ).
func (y hyperbola) size(t *transform, theta interval.Interval) interval.Interval {
	sin, cos := low.SinCos(theta)
	one := interval.Int(1)
	root := low.Sqrt(low.Div(low.Add(one, sin), low.Sub(one, sin)))
	a := low.Div(low.Mul(root, low.Add(low.Pi(), low.Scale(theta, 1))), low.Mul(cos, double.Exactly(y.lambda)))
	turn := low.Div(low.Mul(interval.Int(t.terms), low.Sqr(theta)), low.Scale(low.Rat(t.mu2), 1))
	return low.Mul(low.Exp(turn), a)
}

func (y hyperbola) bound(t *transform) (missing, bool) {
	theta, d, lambda, one := double.Exactly(y.theta), double.Exactly(y.d), double.Exactly(y.lambda), interval.Int(1)
	var x, power, size [2]interval.Interval // x₀, φ(x₀)^t, and e^{tθ²/2μ²}·A(θ) on both sides
	for i, angle := range []interval.Interval{low.Sub(theta, d), low.Add(theta, d)} {
		sin, cos := low.SinCos(angle)
		if angle.Positive() != interval.True || cos.Positive() != interval.True {
			return nil, false
		}
		x[i] = low.Mul(lambda, low.Sub(one, sin))
		var ok bool
		if power[i], ok = t.power(0, x[i]); !ok {
			return nil, false
		}
		size[i] = y.size(t, angle)
	}
	cycles := low.Div(low.Mul(low.Scale(low.Pi(), 1), d), double.Exactly(y.h))
	up, down := y.at(low, y.n)
	depth := low.Mul(lambda, low.Sub(one, low.Mul(low.Sin(theta), low.Add(up, down))))
	tail := y.size(t, theta)
	return func(k interval.Interval) interval.Interval {
		sum := interval.Int(0)
		for i := range x {
			most := interval.Max(one, low.Mul(low.Exp(low.Mul(x[i], k)), power[i]))
			sum = low.Add(sum, low.Mul(most, size[i]))
		}
		sum = low.Add(low.Div(sum, low.Expm1(cycles)), low.Mul(tail, low.Exp(low.Mul(k, depth))))
		err := low.Div(sum, low.Scale(low.Pi(), 1)).Upper()
		return interval.Union(err.Neg(), err)
	}, true
}
