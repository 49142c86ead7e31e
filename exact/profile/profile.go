// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package profile works on privacy profiles as functions: δ(ε) = H_{e^ε}(P‖Q) on
// all of ℝ, falling in ε from 1 to the mass of infinite loss.
package profile

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/interval"
)

// A Func returns an enclosure of δ(ε), computed with about p bits. It may take a
// while; it returns ctx's error if ctx ends first.
type Func func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error)

// Trivial is the profile of two equal distributions, (1 − e^ε)₊: the least there
// is.
func Trivial(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	return interval.Max(interval.Int(0), p.Expm1(eps(p)).Neg()), nil
}

var unit = interval.Union(interval.Int(0), interval.Int(1))

// Unit returns [0, 1], which encloses every δ.
func Unit() interval.Interval { return unit }

// clamp intersects an enclosure of a δ with [0, 1].
func clamp(x interval.Interval) interval.Interval { return interval.Clamp(x, 0, 1) }

// FromAbove bounds a profile from above by others that are not below it.
func FromAbove(others ...Func) Func {
	return oneSided(others, func(y, x interval.Interval) interval.Interval {
		return interval.Union(interval.Int(0), interval.Min(y, x.Upper()))
	})
}

// FromBelow bounds a profile from below by others that are not above it.
func FromBelow(others ...Func) Func {
	return oneSided(others, func(y, x interval.Interval) interval.Interval {
		return interval.Bounds(interval.Max(x, y).Lo(), y.Hi())
	})
}

func oneSided(others []Func, better func(y, x interval.Interval) interval.Interval) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		y := unit
		for _, f := range others {
			x, err := f(ctx, p, eps)
			if err != nil {
				return unit, err
			}
			y = better(y, x)
		}
		return y, nil
	}
}

// Reverse returns the profile of (Q, P) from the profile of (P, Q):
//
//	δ_{Q|P}(ε) = 1 − e^ε + e^ε·δ_{P|Q}(−ε)        [Chourasia et al. 2024, (7)]
//
// an equality for all real ε. The right side cancels for large ε.
func Reverse(base Func) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		d, err := base(ctx, w, eps.Neg())
		if err != nil {
			return unit, err
		}
		e := eps(w)
		return clamp(p.Round(w.Add(w.Expm1(e).Neg(), w.Mul(w.Exp(e), d)))), nil
	}
}

// ByReversal encloses the profile of a pair by upper bounds of it and of the profile of its reverse, at every ε ≥ 0.
// Below, H_α(P‖Q) = 1 − α + α·H_{1/α}(Q‖P).
func ByReversal(above, reversed func(w interval.Prec, eps interval.Real) interval.Interval) Func {
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		e := eps(w)
		if !e.IsFinite() {
			return unit, nil
		}
		var u interval.Interval
		switch e.Negative() {
		case interval.False:
			u = above(w, eps)
		case interval.True:
			u = w.Add(w.Expm1(e).Neg(), w.Mul(w.Exp(e), reversed(w, eps.Neg())))
		default:
			return unit, nil
		}
		return interval.Union(interval.Int(0), clamp(p.Round(u))), nil
	}
}

// Sample returns the profile of ((1−γ)Q + γP, Q), γ = rate ∈ (0, 1), from the profile of
// (P, Q): with α = e^ε,
//
//	H_α = γ·δ₀(log(1 + (α − 1)/γ)) for α > 1 − γ,  1 − α otherwise
//
// [Chourasia et al. 2024, Theorem 5.1]: (1−γ)Q + γP − αQ = γ(P − (1 + (α−1)/γ)Q).
//
// Where the side of 1 − γ is open, the result spans both: the second branch is at
// least γ, the first at most.
func Sample(rate *big.Rat, base Func) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		amplified := func(w interval.Prec) interval.Interval { // (α − 1)/γ
			return w.Div(w.Expm1(eps(w)), w.Rat(rate))
		}
		low := func() interval.Interval { return w.Expm1(eps(w)).Neg() }
		in := interval.Int(-1).Less(amplified(w))
		if in == interval.False {
			return p.Round(clamp(low())), nil
		}
		d, err := base(ctx, w, func(w interval.Prec) interval.Interval { return w.Log1p(amplified(w)) })
		if err != nil {
			return unit, err
		}
		y := w.Mul(w.Rat(rate), d)
		if in == interval.Unknown {
			y = interval.Union(y, low())
		}
		return p.Round(clamp(y)), nil
	}
}

// SampleReversed returns the profile of (Q, (1−γ)Q + γP) from the profile of (Q, P): with
// α = e^ε and β = 1 − α(1 − γ),
//
//	H_α = β·δ₀(log(αγ/β)) for β > 0,  0 otherwise
//
// [ERRATA of Zhu, Dong & Wang 2022, Theorem 11: the base is the pair of the same
// direction]: Q − α(1−γ)Q − αγP = β(Q − (αγ/β)P). Here log(αγ/β) = −log(1 + (e^−ε − 1)/γ)
// and β = γ − (1−γ)(e^ε − 1).
func SampleReversed(rate *big.Rat, base Func) Func {
	keep := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		amplified := func(w interval.Prec) interval.Interval { // (1/α − 1)/γ
			return w.Div(w.Expm1(eps(w).Neg()), w.Rat(rate))
		}
		in := interval.Int(-1).Less(amplified(w))
		if in == interval.False {
			return interval.Int(0), nil
		}
		d, err := base(ctx, w, func(w interval.Prec) interval.Interval { return w.Log1p(amplified(w)).Neg() })
		if err != nil {
			return unit, err
		}
		beta := w.Sub(w.Rat(rate), w.Mul(w.Rat(keep), w.Expm1(eps(w))))
		y := w.Mul(interval.Max(beta, interval.Int(0)), d)
		if in == interval.Unknown {
			y = interval.Union(y, interval.Int(0))
		}
		return p.Round(clamp(y)), nil
	}
}

// Mean returns Σ s_i·δ_i(ε), for shares s_i ≥ 0 of sum 1: the profile of pairs of which one is drawn with these
// probabilities, and shows which.
func Mean(shares []*big.Rat, of ...Func) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 8
		sum := interval.Int(0)
		for i, f := range of {
			d, err := f(ctx, w, eps)
			if err != nil {
				return unit, err
			}
			sum = w.Add(sum, w.Mul(w.Rat(shares[i]), d))
		}
		return p.Round(clamp(sum)), nil
	}
}

// Max returns the maximum of one profile or more. It is the profile of the least pair
// that dominates them all: a maximum of convex functions is convex.
func Max(fs ...Func) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		y, err := fs[0](ctx, p, eps)
		for _, f := range fs[1:] {
			if err != nil {
				break
			}
			var z interval.Interval
			z, err = f(ctx, p, eps)
			y = interval.Max(y, z)
		}
		if err != nil {
			return unit, err
		}
		return y, nil
	}
}

// Late returns a profile that is prepared at its first use. One that cannot be prepared, and none, is all open.
func Late(prepare func(context.Context) (Func, error)) Func {
	var mu sync.Mutex
	var f Func
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		mu.Lock()
		defer mu.Unlock()
		if f == nil && prepare != nil {
			g, err := prepare(ctx)
			if err != nil {
				return unit, err
			}
			f = g
		}
		if f == nil {
			return unit, nil
		}
		return f(ctx, p, eps)
	}
}

// Extent returns an ε > 0 at which a profile is at most least, or far out.
func Extent(ctx context.Context, f Func, p interval.Prec, least *big.Rat) (*big.Rat, error) {
	last := interval.Int(2)
	for eps := big.NewRat(1, 64); ; eps = new(big.Rat).Add(eps, eps) {
		d, err := f(ctx, p, interval.RealRat(eps))
		if err != nil {
			return nil, err
		}
		x := d.Upper()
		if x.LessEqRat(least) == interval.True || eps.Cmp(big.NewRat(600, 1)) > 0 || eps.Cmp(big.NewRat(64, 1)) > 0 &&
			last.LessEq(x) == interval.True {
			return eps, nil
		}
		last = x
	}
}

// MaxEdge is log2 of the farthest points of Edge.
const MaxEdge = 40

// Edge returns a point beyond which far(x) is false, to the right for sign = +1 and to the left for −1. Of a share of
// 2^(−1−halvings) of it, about, it may be too far.
func Edge(far func(*big.Rat) bool, sign int64, halvings int) *big.Rat {
	at := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, new(big.Rat).SetInt64(sign)) }
	const least, most = -40, MaxEdge
	k := 0
	if far(at(interval.Pow2(0))) {
		for k < most && far(at(interval.Pow2(k))) {
			k++
		}
	} else {
		for k > least && !far(at(interval.Pow2(k-1))) {
			k--
		}
	}
	if k == least && !far(new(big.Rat)) {
		// Everything lies on the other side of 0, or close to 0.
		j := least
		for j < most && !far(at(new(big.Rat).Neg(interval.Pow2(j)))) {
			j++
		}
		if j == least {
			return at(interval.Pow2(least))
		}
		return at(new(big.Rat).Neg(interval.Pow2(j - 1)))
	}
	// far(2^(k−1)) holds, or k is the least; refine between 2^(k−1) and 2^k.
	x, step := interval.Pow2(k), interval.Pow2(k-2)
	for range halvings {
		y := new(big.Rat).Sub(x, step)
		if !far(at(y)) {
			x = y
		}
		step = new(big.Rat).Mul(step, big.NewRat(1, 2))
	}
	return at(x)
}
