// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Characteristic encloses φ(t) = E_P[e^(itL); L < ∞] and φ′(t) = E_Q[e^(−itL); L > −∞], L = log P/Q, at a
// real t [Zhu, Dong & Wang 2022, Definition 12]. Both are transforms of sub-probabilities: an
// infinite loss is left out. They are multiplied under composition.
type Characteristic func(p interval.Prec, t interval.Interval) (phi, dual interval.Complex)

// Transform returns the characteristic functions of a discrete law by its outcomes: sums
// over the outcomes of finite loss. rest bounds the masses of those that are left out,
// each of which adds a number of modulus at most its mass.
func Transform(outcomes []pair.Outcome, rest interval.Interval) Characteristic {
	return func(p interval.Prec, t interval.Interval) (phi, dual interval.Complex) {
		w := p + 32
		slack := interval.Union(rest, rest.Neg())
		phi = interval.Complex{Re: slack, Im: slack}
		dual = phi
		for _, o := range outcomes {
			if o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			e := w.ExpI(w.Mul(t, o.EncloseLoss(w)))
			phi = w.AddC(phi, w.ScaleC(o.P, e))
			dual = w.AddC(dual, w.ScaleC(o.Q, e.Conj()))
		}
		return p.RoundC(phi), p.RoundC(dual)
	}
}

// Pow returns the characteristic functions of k copies.
func (c Characteristic) Pow(k int64) Characteristic {
	return func(p interval.Prec, t interval.Interval) (phi, dual interval.Complex) {
		w := p + 32
		phi, dual = c(w, t)
		return p.RoundC(w.PowIntC(phi, k)), p.RoundC(w.PowIntC(dual, k))
	}
}

// Masses returns the P-masses of the losses jλ, |j| ≤ n, from characteristic functions of a law
// that has no other finite losses: with N = 2n + 1,
//
//	P(L = jλ) = 1/N·Σ_{k=−n}^{n} φ(2πk/(Nλ))·e^(−2πijk/N),
//
// exactly, as Σ_k e^(2πi(l−j)k/N) is N if l = j and 0 for every other |l| ≤ n. It is Lévy's formula
// [ibid., Lemma 18] for a lattice, without its limit and its atoms; the masses may sum to less
// than 1. The dual gives the Q-masses of −jλ. λ > 0.
func (c Characteristic) Masses(p interval.Prec, lambda interval.Real, n int) (ps, qs []interval.Interval) {
	w := p + 32
	size := 2*n + 1
	turn := w.Div(w.Scale(w.Pi(), 1), interval.Int(int64(size))) // 2π/N
	ps, qs = make([]interval.Interval, size), make([]interval.Interval, size)
	for k := -n; k <= n; k++ {
		phi, dual := c(w, w.Div(w.Mul(interval.Int(int64(k)), turn), lambda(w)))
		for j := -n; j <= n; j++ {
			// e^(−2πijk/N) depends on jk modulo N only.
			e := w.ExpI(w.Mul(interval.Int(int64(-(j*k)%size)), turn))
			ps[j+n] = w.Add(ps[j+n], w.MulC(phi, e).Re)
			qs[n-j] = w.Add(qs[n-j], w.MulC(dual, e).Re)
		}
	}
	for i := range ps {
		ps[i] = probability(p, w.Div(ps[i], interval.Int(int64(size))))
		qs[i] = probability(p, w.Div(qs[i], interval.Int(int64(size))))
	}
	return ps, qs
}

// probability intersects an enclosure of a probability with [0, 1].
func probability(p interval.Prec, x interval.Interval) interval.Interval {
	return p.Round(interval.Min(interval.Max(x, interval.Int(0)), interval.Int(1)))
}
