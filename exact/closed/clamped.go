// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// clampedTails: a clamped Laplace variable against its shift. F is the distribution
// function of X ~ Lap(µ, b), t > 0 the shift.
//
// The densities f(x) and f(x − t) have the log ratio (|x − t − µ| − |x − µ|)/b, which
// falls from t/b to −t/b between µ and µ + t. It exceeds ε exactly on x < o with
// o = µ + (t − bε)/2 for −t/b ≤ ε < t/b, nowhere for ε ≥ t/b, everywhere for ε < −t/b. The
// opposite ratio exceeds ε on x > o′ = µ + (t + bε)/2, likewise.
//
// Clamp-then-shift: P = max(0, X), Q = t + max(0, X). P lives on {0} ∪ (0, ∞), Q has
// an atom F(0) at t and the density f(x − t) on (t, ∞). So the loss of P against Q is ∞
// on [0, t], and the loss of Q against P is ∞ on its atom. With o₊ = max(o, t),
//
//	P(L > ε) = F(o₊),  Q(L > ε) = F(o₊ − t) − F(0);
//
// reversed, F(0) + 1 − F(o′₊ − t) and 1 − F(o′₊).
//
// Shift-then-clamp: P = max(0, X), Q = max(0, X + t). The atoms at 0 weigh F(0) and
// F(−t); their log ratio l₀ is the logarithm of a mean of ratios at x ≤ 0, no smaller than any
// at x > 0 (it is t/b for µ ≥ 0). With o₊ = max(o, 0), L > ε on [0, o₊] if o > 0, and on {0}
// or nowhere otherwise; reversed, on x > o′₊, or everywhere if −l₀ > ε.
func clampedTails(c pair.ClampedLaplace) Tails {
	edge := new(big.Rat).Quo(c.Shift, c.Scale)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		g := clamped{clamping{w, c.Location, c.Scale, c.Shift, laplaceCDF, laplaceSF}, edge}
		return clampedTail(g, c.ShiftFirst, c.Reversed)(eps)
	}
}

type clamped struct {
	clamping
	edge *big.Rat // t/b
}

// crossing returns µ + (t − bε)/2.
func (g clamped) crossing(e interval.Interval) interval.Interval {
	w := g.w
	d := w.Sub(w.Rat(g.shift), w.Mul(w.Rat(g.width), e))
	return w.Add(w.Rat(g.location), w.Scale(d, -1))
}

type tail func() (p, q interval.Interval)

func constant(p, q interval.Interval) tail {
	return func() (interval.Interval, interval.Interval) { return p, q }
}

func (g clamped) clampFirst(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		constant(one, g.sf(zero)),
		func(e interval.Interval) (p, q interval.Interval) {
			o := interval.Max(g.crossing(e), t)
			return g.cdf(o), unitPart(w.Sub(g.cdf(w.Sub(o, t)), g.cdf(zero)))
		},
		constant(g.cdf(t), zero))
}

func (g clamped) clampFirstReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		constant(one, g.sf(t)),
		func(e interval.Interval) (p, q interval.Interval) {
			o := interval.Max(g.crossing(e.Neg()), t)
			return unitPart(w.Add(g.cdf(zero), g.sf(w.Sub(o, t)))), g.sf(o)
		},
		constant(g.cdf(zero), zero))
}

// atomAbove answers l₀ > ε.
func (g clamped) atomAbove(eps Arg) interval.Truth {
	if g.location.Sign() >= 0 {
		return eps.less(g.w, g.edge)
	}
	return eps.Less(g.atomLoss())
}

func (g clamped) clampLast(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		constant(one, one),
		func(e interval.Interval) (p, q interval.Interval) {
			o := g.crossing(e)
			at := interval.Max(o, zero)
			p, q = g.cdf(at), g.cdf(w.Sub(at, t))
			if o.Positive() == interval.True {
				return p, q
			}
			// o ≤ 0 is possible: there, p and q are the atoms, if they count at all.
			switch g.atomAbove(eps) {
			case interval.False:
				if o.Positive() == interval.False {
					return zero, zero
				}
				fallthrough
			case interval.Unknown:
				return interval.Union(p, zero), interval.Union(q, zero)
			}
			return p, q
		},
		constant(zero, zero))
}

func (g clamped) clampLastReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		constant(one, one),
		func(e interval.Interval) (p, q interval.Interval) {
			// −l₀ > ε: everything.
			all := g.atomAbove(Arg{eps.Neg(), negated(eps.Rat)}) // l₀ > −ε
			below := interval.Unknown                            // −l₀ > ε ⟺ l₀ < −ε
			switch {
			case all == interval.True:
				below = interval.False
			case g.location.Sign() >= 0:
				below = eps.less(w, negated(g.edge))
			case all == interval.False:
				below = g.atomLoss().Less(eps.Neg())
			}
			if below == interval.True {
				return one, one
			}
			o := interval.Max(g.crossing(e.Neg()), zero)
			p, q = g.sf(w.Sub(o, t)), g.sf(o)
			if below == interval.Unknown {
				p, q = interval.Union(p, one), interval.Union(q, one)
			}
			return p, q
		},
		constant(zero, zero))
}

func negated(r *big.Rat) *big.Rat {
	if r == nil {
		return nil
	}
	return new(big.Rat).Neg(r)
}
