// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// mixtureTails: a mixture of Gaussians against N(0, 1), or the reverse.
//
// The likelihood ratio g(x) = Σ p_i·e^(c_i·x − c_i²/2) rises in x, from p₀ (the
// weight of a mean 0, or 0) to ∞, so that L > ε is X > x with g(x) = e^ε; for ε < log p₀ it
// is everything. Reversed, it is X < x with g(x) = e^−ε, nothing for −ε ≤ log p₀.
//
// With h the sum over the positive means, x is the root of log h(x) = log(e^ε − p₀):
// log h is convex with slopes between the least and the greatest of these means,
// however close e^ε is to p₀.
func mixtureTails(m pair.GaussianMixture) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		unknown := interval.Union(zero, one)
		if !eps.IsFinite() {
			return unknown, unknown
		}
		g := newMixture(w, m)
		level := eps.Interval
		if m.Reversed {
			level = level.Neg()
		}
		if !g.base.IsZero() {
			rest := w.Sub(w.Exp(level), g.base)
			if rest.Positive() == interval.False {
				if m.Reversed {
					return zero, zero
				}
				return one, one
			}
			if rest.Positive() != interval.True {
				return unknown, unknown
			}
			level = w.Log(rest)
		}
		x, ok := g.root(level)
		if !ok {
			return unknown, unknown
		}
		tail := func(mean interval.Interval) interval.Interval { // of X > x, or X < x
			t := w.Sub(x, mean)
			if m.Reversed {
				return fixed.NormalCDF(w, t)
			}
			return fixed.NormalSF(w, t)
		}
		normal := tail(zero)
		mix := w.Mul(g.base, normal)
		for i := range g.c {
			mix = w.Add(mix, w.Mul(g.p[i], tail(g.c[i])))
		}
		if m.Reversed {
			return normal, unitPart(mix)
		}
		return unitPart(mix), normal
	}
}

// A mixture holds the positive means of a GaussianMixture.
type mixture struct {
	w       interval.Prec
	pair    pair.GaussianMixture
	c, p    []interval.Interval
	logp    []interval.Interval // log p_i − c_i²/2
	base    interval.Interval   // p₀
	largest int                 // index of the largest mean
}

func newMixture(w interval.Prec, m pair.GaussianMixture) mixture {
	g := mixture{w: w, pair: m}
	largest := new(big.Rat)
	for i, c := range m.Means {
		ci, pi := w.Rat(c), w.Rat(m.Probs[i])
		if c.Sign() == 0 {
			g.base = pi
			continue
		}
		if c.Cmp(largest) > 0 {
			largest, g.largest = c, len(g.c)
		}
		g.c, g.p = append(g.c, ci), append(g.p, pi)
		g.logp = append(g.logp, w.Sub(w.Log(pi), w.Scale(w.Sqr(ci), -1)))
	}
	return g
}

// at returns an enclosure of log h at x, and about its derivative.
//
// log h = log Σ e^(x_i) rises in each x_i = log p_i − c_i²/2 + c_i·x: it is enclosed by its values at
// their ends, as narrowly as they are, however great.
func (g mixture) at(x interval.Interval) (l, d interval.Interval) {
	w := g.w
	lows, highs := make([]interval.Interval, len(g.c)), make([]interval.Interval, len(g.c))
	for i := range g.c {
		e := w.Add(g.logp[i], w.Mul(g.c[i], x))
		lows[i], highs[i] = e.Lower(), e.Upper()
	}
	lo, d := g.logSumExp(lows)
	hi, _ := g.logSumExp(highs)
	return interval.Union(lo, hi), d
}

// logSumExp returns log Σ e^(x_i) and the mean of the c_i with weights e^(x_i). All is relative to the
// greatest x_i, so that nothing overflows.
func (g mixture) logSumExp(xs []interval.Interval) (l, mean interval.Interval) {
	w := g.w
	top := xs[0]
	for _, x := range xs {
		top = interval.Max(top, x)
	}
	sum, weighted := zero, zero
	for i, x := range xs {
		t := w.Exp(w.Sub(x, top))
		sum = w.Add(sum, t)
		weighted = w.Add(weighted, w.Mul(g.c[i], t))
	}
	return w.Add(w.Log(sum), top), w.Div(weighted, sum)
}

// root encloses the x with log h(x) = level: a guess, and a proof that log h − level
// changes sign around it.
func (g mixture) root(level interval.Interval) (interval.Interval, bool) {
	w := g.w
	x, ok := g.guess(level)
	if !ok {
		return x, false
	}
	// [x − r, x + r] for growing r, from four times where log h is open on.
	r := w.Scale(interval.Max(x.Abs(), w.Scale(one, -8)), 8-int(w))
	l, d := g.at(x)
	if open := w.Scale(w.Div(w.Sub(l, level).Abs(), d), 2); open.IsFinite() {
		r = interval.Max(r, open.Upper())
	}
	for range 40 {
		lo, hi := interval.Point(w.Sub(x, r).Lo()), interval.Point(w.Add(x, r).Hi())
		a, _ := g.at(lo)
		b, _ := g.at(hi)
		if a.Less(level) == interval.True && level.Less(b) == interval.True {
			return interval.Union(lo, hi), true
		}
		r = w.Scale(r, 2)
	}
	return x, false
}

// guess approximates the root by Newton's iteration, at rising precision. log h is
// convex and rising, so that the iteration falls monotonically from a start on the
// right: log h(x) ≥ log p_i + c_i·x − c_i²/2 for the largest mean c_i.
func (g mixture) guess(level interval.Interval) (interval.Interval, bool) {
	w := g.w
	var x interval.Interval
	const least = interval.Prec(96)
	if w > 2*least {
		var ok bool
		if x, ok = newMixture(w/2, g.pair).guess(level); !ok {
			return x, false
		}
	} else {
		x = w.Mid(w.Div(w.Sub(level, g.logp[g.largest]), g.c[g.largest]))
	}
	for n := range 4 * int(w) {
		l, d := g.at(x)
		step := w.Mid(w.Div(w.Sub(l, level), d))
		if !step.IsFinite() {
			return x, false
		}
		next := w.Mid(w.Sub(x, step))
		if settled(w, next, x) {
			break
		}
		x = next
		// The first step may start on the left. A later one to the right is noise: what is
		// known of log h, over a slope that may be tiny, tells no more.
		if n > 0 && step.Positive() != interval.True {
			break
		}
	}
	return x, true
}

// settled reports that the last step was far below the working precision.
func settled(w interval.Prec, a, b interval.Interval) bool {
	d := w.Sub(a, b).Abs()
	return d.LessEq(w.Scale(interval.Max(a.Abs(), w.Scale(one, -8)), 4-int(w))) != interval.False
}
