// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A clamped is noise about a location against its shift, where all below 0 becomes 0, before the shift or after it.
// F is the distribution function of the noise X about µ, t > 0 the shift. With c of [noise], the log ratio of
// the densities f(x) and f(x − t) exceeds ε exactly on x < o = µ + t/2 − cε, and the opposite ratio on
// x > o′ = µ + t/2 + cε.
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
// at x > 0 (it is t/b for Laplace noise with µ ≥ 0). With o₊ = max(o, 0), L > ε on [0, o₊] if o > 0, and on {0}
// or nowhere otherwise; reversed, on x > o′₊, or everywhere if −l₀ > ε.
type clamped struct {
	noise
	location, shift, middle *big.Rat // µ, t and µ + t/2
}

// clampedTails returns the tails of one of the four: either order of clamping and shifting, and either orientation.
func clampedTails(c pair.Clamped) Tails {
	middle := new(big.Rat).Add(c.Location, new(big.Rat).Mul(c.Shift, big.NewRat(1, 2)))
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		g := clamped{noiseOf(w, c.Noise, c.Width, c.Shift), c.Location, c.Shift, middle}
		switch {
		case c.ShiftFirst && c.Reversed:
			return g.clampLastReversed(eps)
		case c.ShiftFirst:
			return g.clampLast(eps)
		case c.Reversed:
			return g.clampFirstReversed(eps)
		}
		return g.clampFirst(eps)
	}
}

// centered returns x − µ.
func (g clamped) centered(x interval.Interval) interval.Interval {
	return g.w.Sub(x, g.w.Rat(g.location))
}

func (g clamped) cdf(x interval.Interval) interval.Interval { return g.noise.cdf(g.centered(x)) }
func (g clamped) sf(x interval.Interval) interval.Interval {
	return g.above(g.w, g.scaled(g.centered(x)))
}

// between returns F(b) − F(a), a ≤ b, from the side where the two are small.
func (g clamped) between(a, b interval.Interval) interval.Interval {
	w := g.w
	if w.Add(g.centered(a), g.centered(b)).Positive() == interval.True {
		return unitPart(w.Sub(g.sf(a), g.sf(b)))
	}
	return unitPart(w.Sub(g.cdf(b), g.cdf(a)))
}

// An orientation says which crossing is meant: o, or o′ of the opposite ratio.
type orientation int64

const (
	forward  orientation = 1
	backward orientation = -1
)

// cross returns o or o′, for ε in e, and whether it is above bound. If eps is rational, so is the crossing.
func (g clamped) cross(eps Arg, e interval.Interval, way orientation, bound *big.Rat) (
	interval.Interval, interval.Truth,
) {
	if way == backward {
		e = e.Neg()
	}
	o := g.crossing(g.middle, e)
	if eps.Rat == nil {
		return o, g.w.Rat(bound).Less(o)
	}
	at := new(big.Rat).Mul(g.slope, eps.Rat)
	at.Mul(at, big.NewRat(-int64(way), 1))
	if at.Add(at, g.middle).Cmp(bound) > 0 {
		return o, interval.True
	}
	return o, interval.False
}

func (g clamped) clampFirst(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		func() (p, q interval.Interval) { return one, g.sf(zero) },
		func(e interval.Interval) (p, q interval.Interval) {
			o, above := g.cross(eps, e, forward, g.shift)
			if above == interval.False {
				return g.cdf(t), zero
			}
			o = interval.Max(o, t)
			return g.cdf(o), g.between(zero, w.Sub(o, t))
		},
		func() (p, q interval.Interval) { return g.cdf(t), zero })
}

func (g clamped) clampFirstReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		func() (p, q interval.Interval) { return one, g.sf(t) },
		func(e interval.Interval) (p, q interval.Interval) {
			o, above := g.cross(eps, e, backward, g.shift)
			if above == interval.False {
				return one, g.sf(t)
			}
			o = interval.Max(o, t)
			return unitPart(w.Add(g.cdf(zero), g.sf(w.Sub(o, t)))), g.sf(o)
		},
		func() (p, q interval.Interval) { return g.cdf(zero), zero })
}

// atomLoss returns l₀ = log(F(0)/F(−t)), the loss at 0 if all below becomes 0 after the shift.
func (g clamped) atomLoss() interval.Interval {
	return g.w.Log(g.w.Div(g.cdf(zero), g.cdf(g.w.Rat(g.shift).Neg())))
}

// atomAtEdge reports that l₀ is t/b.
func (g clamped) atomAtEdge() bool { return g.edge != nil && g.location.Sign() >= 0 }

// atomAbove answers l₀ > ε.
func (g clamped) atomAbove(eps Arg) interval.Truth {
	if g.atomAtEdge() {
		return eps.less(g.w, g.edge)
	}
	return eps.Less(g.atomLoss())
}

// atomBelow answers −l₀ > ε.
func (g clamped) atomBelow(eps Arg) interval.Truth {
	if g.atomAtEdge() {
		return eps.less(g.w, new(big.Rat).Neg(g.edge))
	}
	return g.atomLoss().Less(eps.Neg())
}

func (g clamped) clampLast(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		func() (p, q interval.Interval) { return one, one },
		func(e interval.Interval) (p, q interval.Interval) {
			o, positive := g.cross(eps, e, forward, new(big.Rat))
			at := interval.Max(o, zero)
			if positive == interval.False {
				at = zero
			}
			p, q = g.cdf(at), g.cdf(w.Sub(at, t))
			if positive == interval.True {
				return p, q
			}
			// o ≤ 0 is possible: there, p and q are the atoms, if they count at all.
			switch g.atomAbove(eps) {
			case interval.True:
				return p, q
			case interval.False:
				if positive == interval.False {
					return zero, zero
				}
			}
			return interval.Union(p, zero), interval.Union(q, zero)
		},
		func() (p, q interval.Interval) { return zero, zero })
}

func (g clamped) clampLastReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	return bySide(w, eps, g.edge,
		func() (p, q interval.Interval) { return one, one },
		func(e interval.Interval) (p, q interval.Interval) {
			all := g.atomBelow(eps)
			if all == interval.True {
				return one, one
			}
			o, _ := g.cross(eps, e, backward, new(big.Rat))
			o = interval.Max(o, zero)
			p, q = g.sf(w.Sub(o, t)), g.sf(o)
			if all == interval.Unknown {
				p, q = interval.Union(p, one), interval.Union(q, one)
			}
			return p, q
		},
		func() (p, q interval.Interval) { return zero, zero })
}
