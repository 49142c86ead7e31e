// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A line is s = c + iy, y = kh, c > 0. It is for many terms, whose φ(s)^t falls as the transform of a normal variable.
//
// Aliases. f(x) = e^{−cx}·E(x − S)₊, which is 0 for x ≤ 0, has the Fourier transform φ(s)^t/s². By Poisson's sum
// formula
// (f is continuous and of bounded variation, the transform falls like 1/y²),
//
//	(h/2π)·Σ_k e^{sK}·φ(s)^t/s² = Σ_m e^{−2πmc/h}·E(K + 2πm/h − S)₊,
//
// of which m = 0 is wanted. Those of m < 0 are 0 if K ≤ 2π/h; else, as (x)₊ ≤ e^{bx−1}/b, they add up to at most
// e^{bK−1}·φ(b)^t/b · r/(1 − r), r = e^{−2π(b−c)/h}, for any b > c. With q = e^{−2πc/h} those of m > 0 are from 0 to
// Σ_{m≥1} q^m·(K + 2πm/h) = K·q/(1 − q) + (2π/h)·q/(1 − q)².
//
// Tail. For y ≥ Y the real part of s·e^{−iψ} is c·cos ψ + y·sin ψ, which rises with y for 0 ≤ ψ ≤ π/2, so that
// |φ(s)| ≤ B = e^{ψ²/2μ²}·φ(c·cos ψ + Y·sin ψ). Both tails together are at most (1/π)·e^{cK}·B^t·∫_Y^∞ dy/y².
type line struct {
	c, h, psi float64
	b         float64 // or 0, for K ≤ 2π/h only
	deep      float64 // φ(b) is known to e^−deep
	n         int64
	w         interval.Prec
	relative  float64
}

func (l line) nodes() int64                        { return l.n }
func (l line) precision() (interval.Prec, float64) { return l.w, l.relative }
func (l line) at(w interval.Prec, k int64) interval.Interval {
	return w.Mul(interval.Int(k), double.Exactly(l.h))
}

func (l line) node(w interval.Prec, k int64) (s, weight interval.Complex) {
	s = interval.Complex{Re: double.Exactly(l.c), Im: l.at(w, k)}
	share := w.Div(double.Exactly(l.h), w.Pi())
	return s, w.ScaleC(halved(w, share, k), w.InvC(w.SqrC(s)))
}

// halved is half of x for the node in the middle.
func halved(w interval.Prec, x interval.Interval, k int64) interval.Interval {
	if k == 0 {
		return w.Scale(x, -1)
	}
	return x
}

func (l line) bound(t *transform) (missing, bool) {
	c, period := double.Exactly(l.c), low.Div(low.Scale(low.Pi(), 1), double.Exactly(l.h))
	sin, cos := low.SinCos(double.Exactly(l.psi))
	last := l.at(low, l.n)
	b, ok := t.power(l.psi, low.Add(low.Mul(c, cos), low.Mul(last, sin)))
	share := low.Div(b, low.Mul(low.Pi(), last))
	q := low.Exp(low.Mul(period, c).Neg())
	rest := low.Sub(interval.Int(1), q)
	before, far := double.Exactly(l.b), interval.Int(0)
	if l.b > l.c {
		at := t
		if l.deep > t.need {
			at = newTransform(t.mu2, t.terms, max(t.w, wordBits+8), l.deep)
		}
		power, known := at.power(0, before)
		ok = ok && known
		r := low.Exp(low.Mul(period, low.Sub(before, c)).Neg())
		far = low.Div(low.Mul(power, r), low.Mul(before, low.Sub(interval.Int(1), r)))
	}
	return func(k interval.Interval) interval.Interval {
		aliases := low.Div(low.Mul(q, low.Add(k, low.Div(period, rest))), rest)
		switch {
		case low.Sub(period, k).Negative() == interval.False:
		case l.b <= l.c:
			return interval.Entire()
		default:
			aliases = low.Add(aliases, low.Mul(far, low.Exp(low.Sub(low.Mul(before, k), interval.Int(1)))))
		}
		tail := low.Mul(share, low.Exp(low.Mul(c, k))).Upper()
		return low.Add(interval.Union(aliases.Upper().Neg(), interval.Int(0)), interval.Union(tail.Neg(), tail))
	}, ok
}
