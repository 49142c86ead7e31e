package closed

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// mixtureTails: a mixture of Gaussians against N(0, 1), or the reverse.
//
// The likelihood ratio g(x) = Σ p_i·e^(c_i·x − c_i²/2) rises in x, from p₀ (the
// weight of a mean 0, or 0) to ∞, so that L > ε is X > x with g(x) = e^ε; for ε < log p₀ it
// is everything. Reversed, it is X < x with g(x) = e^−ε, nothing for −ε ≤ log p₀.
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
		above := interval.True // log p₀ < level
		if g.base.Positive() == interval.True {
			above = w.Log(g.base).Less(level)
		}
		if above == interval.False {
			if m.Reversed {
				return zero, zero
			}
			return one, one
		}
		x, ok := g.root(level)
		if !ok || above == interval.Unknown {
			return unknown, unknown
		}
		tail := func(mean interval.Interval) interval.Interval { // of X > x, or X < x
			t := w.Sub(x, mean)
			if m.Reversed {
				return w.NormalCDF(t)
			}
			return w.NormalSF(t)
		}
		mix, normal := zero, tail(zero)
		for i := range g.c {
			mix = w.Add(mix, w.Mul(g.p[i], tail(g.c[i])))
		}
		if m.Reversed {
			return normal, unitPart(mix)
		}
		return unitPart(mix), normal
	}
}

type mixture struct {
	w       interval.Prec
	c, p    []interval.Interval
	logp    []interval.Interval // log p_i − c_i²/2
	base    interval.Interval   // p₀
	largest int                 // index of the largest mean
}

func newMixture(w interval.Prec, m pair.GaussianMixture) mixture {
	g := mixture{w: w}
	for i, c := range m.Means {
		ci, pi := w.Rat(c), w.Rat(m.Probs[i])
		g.c, g.p = append(g.c, ci), append(g.p, pi)
		g.logp = append(g.logp, w.Sub(w.Log(pi), w.Scale(w.Sqr(ci), -1)))
		if c.Sign() == 0 {
			g.base = pi
		}
		if c.Cmp(m.Means[g.largest]) > 0 {
			g.largest = i
		}
	}
	return g
}

// at returns enclosures of log g and of its derivative at x.
func (g mixture) at(x interval.Interval) (l, d interval.Interval) {
	w := g.w
	// Relative to the largest exponent, so that nothing overflows.
	exps := make([]interval.Interval, len(g.c))
	top := w.Add(g.logp[0], w.Mul(g.c[0], x))
	for i := range g.c {
		exps[i] = w.Add(g.logp[i], w.Mul(g.c[i], x))
		top = interval.Max(top, exps[i])
	}
	shift := interval.Point(top.Hi())
	sum, weighted := zero, zero
	for i, e := range exps {
		t := w.Exp(w.Sub(e, shift))
		sum = w.Add(sum, t)
		weighted = w.Add(weighted, w.Mul(g.c[i], t))
	}
	return w.Add(w.Log(sum), shift), w.Div(weighted, sum)
}

// root encloses the x with log g(x) = level by a Newton iteration, whose result
// is only a guess, and a proof that log g − level changes sign around it.
//
// log g is convex and rising, so the iteration falls monotonically from a start
// on the right: log g(x) ≥ log p_i + c_i·x − c_i²/2 for the largest mean c_i.
func (g mixture) root(level interval.Interval) (interval.Interval, bool) {
	w := g.w
	i := g.largest
	x := w.Mid(w.Div(w.Sub(level, g.logp[i]), g.c[i]))
	for range 4 * int(w) {
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
	}
	// [x − r, x + r] for growing r.
	r := w.Scale(interval.Max(x.Abs(), w.Scale(one, -8)), 8-int(w))
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

// settled reports that the last step was far below the working precision.
func settled(w interval.Prec, a, b interval.Interval) bool {
	d := w.Sub(a, b).Abs()
	return d.LessEq(w.Scale(interval.Max(a.Abs(), w.Scale(one, -8)), 4-int(w))) != interval.False
}
