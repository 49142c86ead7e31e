// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"sync/atomic"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// gaussianTails: the loss of (N(μ,1), N(0,1)) is N(μ²/2, μ²) under P and
// N(−μ²/2, μ²) under Q, so that
//
//	P(L > ε) = Φ(μ/2 − ε/μ),  Q(L > ε) = Φ(−μ/2 − ε/μ)
//
// and δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) [Balle & Wang 2018, Theorem 8]. A
// composition of Gaussians is the Gaussian with the sum of their μ².
func gaussianTails(mu2 *big.Rat) Tails {
	type scale struct {
		w        interval.Prec
		mu, half interval.Interval
	}
	var last atomic.Pointer[scale]
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		s := last.Load()
		if s == nil || s.w != w {
			mu := w.Sqrt(w.Rat(mu2))
			half := w.Scale(mu, -1)
			s = &scale{w, mu, half}
			last.Store(s)
		}
		half, t := s.half, w.Div(eps.Interval, s.mu)
		return w.NormalSF(w.Sub(t, half)), w.NormalSF(w.Add(t, half))
	}
}

// farLoss is log2 of the ε from which e^ε is too large to multiply with.
const farLoss = 28

// GaussianDelta is the profile of (N(μ,1), N(0,1)). For ε ≥ 2^farLoss, e^ε·Φ(−y) with y = ε/μ + μ/2 is
// φ(x)·R(y) with x = ε/μ − μ/2, as x² − y² = −2ε, and Mills' ratio R = (1 − Φ)/φ has Laplace's continued fraction
//
//	R(y) = 1/(y + 1/(y + 2/(y + 3/(y + …)))),  y > 0,
//
// whose terms are positive: its n-th tail t_n = y + n/t_{n+1} lies in [y, y + n/y]. By y ≥ √2ε > 2^14, and n
// below 2^9, each term that is taken settles 19 bits more.
func GaussianDelta(mu2 *big.Rat) func(interval.Prec, interval.Real) interval.Interval {
	near := gaussianWords(mu2).before(gaussianTails(mu2))
	least := interval.Int(1 << farLoss)
	return func(p interval.Prec, eps interval.Real) interval.Interval {
		if least.LessEq(eps(64)) != interval.True {
			return near.Delta(p, eps)
		}
		return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
			mu := w.Sqrt(w.Rat(mu2))
			t := w.Div(eps(w), mu)
			half := w.Scale(mu, -1)
			x, y := w.Sub(t, half), w.Add(t, half)
			n := min(int64(w)/19+2, 1<<9)
			tail := w.Add(y, interval.Union(zero, w.Div(interval.Int(n), y)))
			for n--; n > 0; n-- {
				tail = w.Add(y, w.Div(interval.Int(n), tail))
			}
			density := w.Div(w.Exp(w.Scale(w.Sqr(x), -1).Neg()), w.Sqrt(w.Scale(w.Pi(), 1)))
			d := w.Sub(w.NormalSF(x), w.Div(density, tail))
			return interval.Clamp(interval.Max(d, zero), 0, 1)
		})
	}
}

// sampledReplaceGaussianTails: ((1−q)N(0,1) + qN(μ,1), (1−q)N(0,1) + qN(−μ,1)).
//
// With u = e^(μx) and c = e^(−μ²/2) the likelihood ratio
// (1 − q + qcu)/(1 − q + qc/u) rises with u and equals α = e^ε at the positive root of
// qc·u² + (1−q)(1−α)·u − αqc = 0. With h = (1−q)(1−α)/(2qc) it is −h + √(h² + α) for h ≤ 0
// and α/(h + √(h² + α)) for h ≥ 0; L > ε is x > log(u)/μ.
func sampledReplaceGaussianTails(rate, mu2 *big.Rat) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if !eps.IsFinite() {
			return interval.Union(zero, one), interval.Union(zero, one)
		}
		alpha := w.Exp(eps.Interval)
		gamma := w.Rat(rate)
		keep := w.Rat(new(big.Rat).Sub(ratOne, rate))
		m2 := w.Rat(mu2)
		mu := w.Sqrt(m2)
		c := w.Exp(w.Scale(m2, -1).Neg())
		h := w.Div(w.Mul(keep, w.Expm1(eps.Interval).Neg()), w.Scale(w.Mul(gamma, c), 1))
		root := w.Sqrt(w.Add(w.Sqr(h), alpha))
		var u interval.Interval
		if h.Positive() == interval.True {
			u = w.Div(alpha, w.Add(h, root))
		} else {
			u = w.Sub(root, h)
		}
		x := w.Div(w.Log(u), mu)
		centre := w.Mul(keep, fixed.NormalSF(w, x))
		return w.Add(centre, w.Mul(gamma, fixed.NormalSF(w, w.Sub(x, mu)))),
			w.Add(centre, w.Mul(gamma, fixed.NormalSF(w, w.Add(x, mu))))
	}
}

// sampledReplaceGaussianWords is sampledReplaceGaussianTails.
func sampledReplaceGaussianWords(rate, mu2 *big.Rat) WordTails {
	gamma, keep, m2 := three.Rat(rate), three.Rat(new(big.Rat).Sub(ratOne, rate)), three.Rat(mu2)
	mu := three.Sqrt(m2)
	c := three.Exp(three.Scale(m2, -1).Neg())
	slope, inverse := three.Div(keep, three.Scale(three.Mul(gamma, c), 1)), three.Inv(mu)
	return func(eps fixed.Real) (p, q fixed.Real) {
		alpha, h := three.Exp(eps), three.Mul(slope, three.Expm1(eps)).Neg()
		root := three.Sqrt(three.Add(three.Sqr(h), alpha))
		u := three.Sub(root, h)
		if h.Positive() == interval.True {
			u = three.Div(alpha, three.Add(h, root))
		}
		x := three.Mul(three.Log(u), inverse)
		centre := three.Mul(keep, three.NormalSF(x))
		return three.Add(centre, three.Mul(gamma, three.NormalSF(three.Sub(x, mu)))),
			three.Add(centre, three.Mul(gamma, three.NormalSF(three.Add(x, mu))))
	}
}
