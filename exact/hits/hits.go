// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package hits encloses profiles of Poisson samples of Gaussian noise, composed, by the number of steps that hit the
// record: the less noise there is, the better an outcome shows whether it was a hit.
package hits

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/binomial"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Kind is a pair of one step, with N₀ = N(0, 1), N₁ = N(μ, 1).
type Kind int

const (
	Removed  Kind = iota // ((1−q)N₀ + qN₁, N₀)
	Added                // (N₀, (1−q)N₀ + qN₁)
	Replaced             // ((1−q)N₀ + qN₁, (1−q)N₀ + qN(−μ, 1))
)

// Steps are n independent steps. 0 < q < 1, μ² > 0, n ≥ 1.
type Steps struct {
	Kind   Kind
	Q, Mu2 *big.Rat
	N      int64
}

// New returns the steps that a product is. It reports false for other products.
func New(prod pair.Product) (Steps, bool) {
	if len(prod) != 1 {
		return Steps{}, false
	}
	s := Steps{N: prod[0].Count}
	switch x := prod[0].Pair.(type) {
	case pair.Sampled:
		mu2, others := x.Base.Gaussians()
		if len(others) > 0 {
			return s, false
		}
		if s.Q, s.Mu2 = x.Rate, mu2; x.Reversed {
			s.Kind = Added
		}
	case pair.SampledReplaceGaussian:
		s.Kind, s.Q, s.Mu2 = Replaced, x.Rate, x.Mu2
	default:
		return s, false
	}
	return s, s.Q.Sign() > 0 && s.Q.Cmp(big.NewRat(1, 1)) < 0 && s.Mu2.Sign() > 0 && s.N > 0
}

// Delta returns an enclosure of δ(ε), for any number a. Where δ is below 2^−faint it may be as wide as that.
//
// Let L = μx − μ²/2, L′ = −μx − μ²/2, G_k the profile of (N(√k·μ, 1), N₀), G₀(ε) = (1 − e^ε)₊, and
//
//	b_k = P(Bin(n, q) = k),  v = log(1 − q),  u = log(1 − q + q·e^{−a}),
//	m = Φ(a/μ − μ/2),  m′ = Φ(−a/μ − μ/2).
//
// Claim. With S(c₀, c₁) = Σ b_k·G_k(ε − (n−k)·c₀ − k·c₁), δ(ε) is
//
//	removed:   at least S(v, log q),                    at most S(u, log q) + n·((1−q)·m + q·m′),
//	replaced:  at least S(v − u, log q − u) − n·m,      at most S(u − v, log q − v) + n·((1−q)·m + q·m′),
//	added:     at least (1 − m)^n·G₀(ε + n·u),          at most G₀(ε + n·v).
//
// Proof. δ(ε) = E_P[f(Σ l(x_i))] with the loss l of a step, where f(l) = (1 − e^{ε−l})₊ rises and is at most 1. Under P
// each step is a hit or a miss, with k hits of probability b_k. L is N(−μ²/2, μ²) for misses and N(μ²/2, μ²) for hits,
// so that P(L > −a) = m for misses, and P(L ≤ −a) = m′ for hits. Σ L over k hits has the law of the loss of k
// Gaussians.
//
// Removed, from below: l = log(1 − q + q·e^L) is at least v, and at least log q + L. From above: let P′ have the
// density qN₁ in a step with L > −a in place of (1−q)N₀ + qN₁. It lacks a mass of n·(1−q)·m at most, and for the rest,
// ∫(P′ − e^ε·Q)₊ = E f of losses that are log q + L where L > −a, and elsewhere at most u. In P′ all misses have
// L ≤ −a. Unless some hit has, which has a mass of n·q·m′ at most, hits have log q + L; to leave that condition out
// only adds to E f.
//
// Replaced, from above: Q is at least (1−q)^n·N₀^n. From below: log(1 − q + q·e^{L′}), which is taken from l, is at
// most u where L′ ≤ −a: L′ is N(−μ²/2, μ²) for misses and N(−3μ²/2, μ²) for hits, and above −a with probability m at
// most. Added: all steps are misses, of losses −l at most −v, and at least −u where L ≤ −a, in all of them with
// probability (1 − m)^n. ∎
//
// Attained, in the limit of little noise: a may grow, and m, m′ and u − v vanish.
func (s Steps) Delta(ctx context.Context, p interval.Prec, a *big.Rat, faint int,
	eps interval.Real) (interval.Interval, error) {
	w := p + 64 + interval.Prec(2*bits.Len64(uint64(s.N)))
	unit, zero, round := interval.Union(interval.Int(0), interval.Int(1)), interval.Int(0), p+8
	if !eps(w).IsFinite() {
		return unit, nil
	}
	keep := w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), s.Q))
	q, mu := w.Rat(s.Q), w.Sqrt(w.Rat(s.Mu2))
	half, reach := w.Scale(mu, -1), w.Div(w.Rat(a), mu)
	v, logQ := w.Log(keep), w.Log(q)
	u := w.Log(w.Add(keep, w.Mul(q, w.Exp(w.Rat(a).Neg()))))
	miss := w.NormalSF(w.Sub(half, reach)) // m
	misses := w.Mul(interval.Int(s.N), miss)
	unclear := w.Mul(interval.Int(s.N), w.NormalSF(w.Add(half, reach)))
	unclear = w.Add(w.Mul(keep, misses), w.Mul(q, unclear))
	low, high := shifts{v, logQ}, shifts{u, logQ}
	missing := zero
	switch s.Kind {
	case Added:
		at := func(c interval.Interval) interval.Interval {
			e := w.Add(eps(w), w.Mul(interval.Int(s.N), c))
			return interval.Max(zero, w.Expm1(e).Neg())
		}
		clear := w.PowInt(interval.Max(zero, w.Sub(interval.Int(1), miss)), s.N)
		return interval.Clamp(round.Round(interval.Bounds(w.Mul(clear, at(u)).Lo(), at(v).Hi())), 0, 1), nil
	case Replaced:
		low = shifts{w.Sub(v, u), w.Sub(logQ, u)}
		high = shifts{w.Sub(u, v), w.Sub(logQ, v)}
		missing = misses
	}
	lo, hi, err := s.sums(ctx, p, w, low, high, faint, eps)
	if err != nil {
		return unit, err
	}
	lo, hi = interval.Max(zero, w.Sub(lo, missing)), w.Add(hi, unclear)
	return interval.Clamp(round.Round(interval.Bounds(lo.Lo(), hi.Hi())), 0, 1), nil
}

// shifts are c₀ and c₁.
type shifts struct{ miss, hit interval.Interval }

// sums returns a lower bound of S by the first shifts, and an upper bound of S by the second ones.
//
// The terms are added from the most likely k on, up and down, until those that are left out are of less probability
// than 2^−p of the sum, or than 2^−faint. Beyond the mode, b_{k+1}/b_k falls as k rises, and b_{k−1}/b_k as k falls:
// what is left out is at most a geometric series, as G_k ≤ 1.
func (s Steps) sums(ctx context.Context, p, w interval.Prec, low, high shifts, faint int,
	eps interval.Real) (lo, hi interval.Interval, err error) {
	e := eps(w)
	odds := w.Div(w.Rat(s.Q), w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), s.Q)))
	mode := new(big.Rat).Mul(s.Q, new(big.Rat).SetInt64(s.N))
	first := new(big.Int).Quo(mode.Num(), mode.Denom()).Int64()
	start := binomial.Mass(w, s.N, first, s.Q)
	add := func(k int64, mass interval.Interval) {
		at := func(c shifts, end func(interval.Interval) interval.Interval) interval.Interval { // G_k falls
			x := end(w.Sub(w.Sub(e, w.Mul(interval.Int(s.N-k), c.miss)), w.Mul(interval.Int(k), c.hit)))
			if k == 0 {
				return interval.Max(interval.Int(0), w.Expm1(x).Neg())
			}
			g := closed.GaussianDelta(new(big.Rat).Mul(s.Mu2, new(big.Rat).SetInt64(k)))
			return g(p+16, func(interval.Prec) interval.Interval { return x })
		}
		lo = w.Add(lo, interval.Point(w.Mul(mass, at(low, interval.Interval.Upper)).Lo()))
		hi = w.Add(hi, interval.Point(w.Mul(mass, at(high, interval.Interval.Lower)).Hi()))
	}
	// walk adds the terms from k on, which has a mass, by a step of ±1, and to hi a bound of what it leaves out.
	walk := func(k int64, mass interval.Interval, step int64) error {
		for ; ; k += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			add(k, mass)
			var ratio interval.Interval // of the next mass to this one, at least that of all that follow
			if step > 0 {
				ratio = w.Mul(w.Div(interval.Int(s.N-k), interval.Int(k+1)), odds)
			} else {
				ratio = w.Div(w.Div(interval.Int(k), interval.Int(s.N-k+1)), odds)
			}
			mass = w.Mul(mass, ratio)
			if ratio.Hi().Sign() == 0 {
				return nil // the last one
			}
			left := w.Div(mass, w.Sub(interval.Int(1), ratio))
			if ratio.Less(interval.Int(1)) != interval.True {
				continue
			}
			least := w.Scale(interval.Point(lo.Lo()), -int(p)-4)
			if left.LessEq(least) == interval.True || left.LessEq(w.Scale(interval.Int(1), -faint)) == interval.True {
				hi = w.Add(hi, interval.Point(left.Hi()))
				return nil
			}
		}
	}
	if err := walk(first, start, 1); err != nil {
		return lo, hi, err
	}
	if first == 0 {
		return lo, hi, nil
	}
	before := w.Mul(start, w.Div(w.Div(interval.Int(first), interval.Int(s.N-first+1)), odds))
	return lo, hi, walk(first-1, before, -1)
}
