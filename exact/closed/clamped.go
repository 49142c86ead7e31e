package closed

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Clamped returns the privacy profile of a pair of clamped Laplace variables. F
// is the distribution function of X ~ Lap(µ, b), t > 0 the shift, a = e^ε.
//
// The densities f(x) and f(x − t) have the log ratio (|x − t − µ| − |x − µ|)/b, which
// falls from t/b to −t/b between µ and µ + t; it exceeds ε exactly on x < o with
// o = µ + (t − bε)/2 for −t/b ≤ ε < t/b, o = −∞ for ε ≥ t/b, o = +∞ for ε < −t/b.
//
// Clamp-then-shift: P = max(0, X), Q = t + max(0, X). P lives on {0} ∪ (0, ∞), Q has
// an atom F(0) at t and the density f(x − t) on (t, ∞). So P has infinite loss on
// [0, t], Q on its atom, and with o₊ = max(o, t)
//
//	H(P‖Q) = F(o₊) − a·(F(o₊ − t) − F(0)),
//	H(Q‖P) = F(0) + (1 − F(o′ − t)) − a·(1 − F(o′)),
//
// where o′ ≥ t is where the loss of Q against P, rising in x, begins to exceed ε.
//
// Shift-then-clamp: P = max(0, X), Q = max(0, X + t). The atoms at 0 weigh F(0) and
// F(−t); their ratio is a mean of ratios at x ≤ 0, no smaller than any at x > 0. So
// the sets that attain H(P‖Q) are ∅, {0} or [0, o] with o > 0, those for H(Q‖P) are
// (o′, ∞), (0, ∞) or everything.
func Clamped(p interval.Prec, c pair.ClampedLaplace, eps interval.Real) interval.Interval {
	edge := new(big.Rat).Quo(c.Shift, c.Scale)
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		x := w.Rat(edge)
		g := clamped{w: w, c: c}
		// side of ±t/b: +1 right, −1 left, 0 between; both values where open.
		right, left := x.LessEq(e), e.Less(x.Neg())
		switch {
		case right == interval.True:
			return g.delta(e, 1)
		case left == interval.True:
			return g.delta(e, -1)
		case right == interval.False && left == interval.False:
			return g.delta(e, 0)
		case right == interval.Unknown && left == interval.Unknown:
			return interval.Union(g.delta(e, 1), g.delta(e, -1))
		case right == interval.Unknown:
			return interval.Union(g.delta(e, 1), g.delta(interval.Min(e, x), 0))
		}
		return interval.Union(g.delta(interval.Max(e, x.Neg()), 0), g.delta(e, -1))
	})
}

type clamped struct {
	w interval.Prec
	c pair.ClampedLaplace
}

// cdf returns F(x).
func (g clamped) cdf(x interval.Interval) interval.Interval {
	w := g.w
	return laplaceCDF(w, w.Div(w.Sub(x, w.Rat(g.c.Location)), w.Rat(g.c.Scale)))
}

// delta encloses the profile at ε, which is right of t/b, left of −t/b or between.
func (g clamped) delta(e interval.Interval, side int) interval.Interval {
	w, c := g.w, g.c
	a := w.Exp(e)
	zero, t := interval.Int(0), w.Rat(c.Shift)
	f0 := g.cdf(zero)
	sign := w.Mul(w.Rat(c.Scale), e)
	if c.Reversed {
		sign = sign.Neg() // the loss of (Q, P) exceeds ε where that of (P, Q) is below −ε
	}
	o := w.Add(w.Rat(c.Location), w.Scale(w.Sub(t, sign), -1))
	sf := func(x interval.Interval) interval.Interval { return w.Sub(one, g.cdf(x)) }
	var best interval.Interval
	switch {
	case !c.ShiftFirst && !c.Reversed:
		switch side {
		case +1:
			return clampUnit(g.cdf(t))
		case -1:
			return clampUnit(w.Sub(one, w.Mul(a, sf(zero))))
		}
		o = interval.Max(o, t)
		best = w.Sub(g.cdf(o), w.Mul(a, w.Sub(g.cdf(w.Sub(o, t)), f0)))
	case !c.ShiftFirst:
		switch side {
		case +1:
			return clampUnit(f0)
		case -1:
			o = t
		}
		o = interval.Max(o, t)
		best = w.Sub(w.Add(f0, sf(w.Sub(o, t))), w.Mul(a, sf(o)))
	case !c.Reversed:
		switch side {
		case +1:
			return zero // no ratio of densities, hence none of atoms, exceeds e^(t/b)
		case -1:
			return clampUnit(w.Sub(one, a))
		}
		// For o ≤ 0 the best set is {0} or ∅.
		o = interval.Max(o, zero)
		best = interval.Max(zero, w.Sub(g.cdf(o), w.Mul(a, g.cdf(w.Sub(o, t)))))
	default:
		switch side {
		case +1:
			return zero
		case -1:
			return clampUnit(w.Sub(one, a))
		}
		o = interval.Max(o, zero)
		best = interval.Max(w.Sub(sf(w.Sub(o, t)), w.Mul(a, sf(o))), w.Sub(one, a))
	}
	return clampUnit(best)
}
