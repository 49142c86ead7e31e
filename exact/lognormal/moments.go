// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// maxOrder bounds M: the series of an Exchange on the left.
const maxOrder = 12

// A series has what moments of S are made of.
type series[R any, A fixed.Arithmetic[R]] struct {
	a          A
	p          interval.Prec
	growth     []R // e^{d²μ²/2}
	factorials []R // 1/n!
}

// newSeries is for moments up to 2·order.
func newSeries[R any, A fixed.Arithmetic[R]](a A, p interval.Prec, mu2 *big.Rat, order int) series[R, A] {
	s := series[R, A]{a: a, p: p}
	factorial := interval.Int(1)
	for d := range int64(2*order + 1) {
		factorial = p.Div(factorial, interval.Int(max(d, 1)))
		s.factorials = append(s.factorials, a.Of(factorial))
		s.growth = append(s.growth, a.Of(p.Exp(p.Scale(p.Mul(p.Rat(mu2), interval.Int(d*d)), -1))))
	}
	return s
}

// moments are E S^m/m! for all m that s is for: the coefficients of (Σ E (2·sinh μY)^m/m!·v^m)^t. With d = m − 2k,
// (2·sinh μY)^m = Σ_k (m over k)·(−1)^k·e^{dμY}, and E e^{dμY} = e^{d²μ²/2 − dε/2}.
func (s series[R, A]) moments(eps interval.Interval, terms int64) []R {
	a, p, n := s.a, s.p, len(s.growth)
	base, out := make([]R, n), make([]R, n)
	half := p.Exp(p.Scale(eps, -1))
	fall, rise := s.powers(a.Of(p.Inv(half))), s.powers(a.Of(half)) // e^{−dε/2} and e^{dε/2}
	for m := range n {
		base[m], out[m] = zero[R](a), zero[R](a)
		for k := range m + 1 {
			d := m - 2*k
			mean := fall[max(d, 0)]
			if d < 0 {
				mean = rise[-d]
			}
			term := a.Mul(a.Mul(mean, s.growth[max(d, -d)]), a.Mul(s.factorials[k], s.factorials[m-k]))
			if k%2 == 1 {
				term = a.Neg(term)
			}
			base[m] = a.Add(base[m], term)
		}
	}
	times := func(x, y []R) []R {
		z := make([]R, n)
		for i := range z {
			z[i] = zero[R](a)
			for j := range i + 1 {
				z[i] = a.Add(z[i], a.Mul(x[j], y[i-j]))
			}
		}
		return z
	}
	out[0] = a.Of(interval.Int(1))
	for left := terms; left > 0; left >>= 1 {
		if left&1 == 1 {
			out = times(out, base)
		}
		base = times(base, base)
	}
	return out
}

// powers are y^d, one for each moment.
func (s series[R, A]) powers(y R) []R {
	out := []R{s.a.Of(interval.Int(1))}
	for range s.growth[1:] {
		out = append(out, s.a.Mul(out[len(out)-1], y))
	}
	return out
}

// zero is 0.
func zero[R any, A fixed.Arithmetic[R]](a A) R { return a.Of(interval.Int(0)) }
