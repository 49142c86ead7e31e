package closed

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Mixture returns the privacy profile of a mixture of Gaussians against N(0, 1),
// or the reverse.
//
// The likelihood ratio g(x) = Σ p_i·e^(c_i·x − c_i²/2) rises in x, from p₀ (the
// weight of a mean 0, or 0) to ∞. With g(x) = e^ε, ε > log p₀,
//
//	H(P‖Q) = P(X > x) − e^ε·Q(X > x),
//
// and 1 − e^ε for ε ≤ log p₀. Reversed, with g(x) = e^−ε,
// H(Q‖P) = Q(X < x) − e^ε·P(X < x), and 0 for −ε ≤ log p₀.
func Mixture(p interval.Prec, m pair.GaussianMixture, eps interval.Real) interval.Interval {
	return clampUnit(p.Refine(p+64, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		alpha := w.Exp(e)
		g := newMixture(w, m)
		level := e
		if m.Reversed {
			level = e.Neg()
		}
		if !e.IsFinite() {
			return interval.Union(interval.Int(0), one)
		}
		extreme := w.Sub(one, alpha) // what holds below the range of log g
		if m.Reversed {
			extreme = interval.Int(0)
		}
		above := interval.True
		if g.base.Positive() == interval.True {
			above = w.Log(g.base).Less(level)
		}
		if above == interval.False {
			return extreme
		}
		x, ok := g.root(level)
		if !ok || above == interval.Unknown {
			// x may be anywhere below some point: what is enclosed is the profile at
			// all sets X > x, which includes the best one.
			x = interval.Entire()
		}
		tail := func(mean interval.Interval) interval.Interval { // of the set X > x or X < x
			t := w.Sub(x, mean)
			if m.Reversed {
				return w.NormalCDF(t)
			}
			return w.NormalSF(t)
		}
		pm, qm := interval.Int(0), tail(interval.Int(0))
		for i := range g.c {
			pm = w.Add(pm, w.Mul(g.p[i], tail(g.c[i])))
		}
		if m.Reversed {
			pm, qm = qm, pm
		}
		return interval.Max(interval.Int(0), w.Sub(pm, w.Mul(alpha, qm)))
	}))
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
	sum, weighted := interval.Int(0), interval.Int(0)
	// Relative to the largest exponent, so that nothing overflows.
	exps := make([]interval.Interval, len(g.c))
	top := w.Add(g.logp[0], w.Mul(g.c[0], x))
	for i := range g.c {
		exps[i] = w.Add(g.logp[i], w.Mul(g.c[i], x))
		top = interval.Max(top, exps[i])
	}
	shift := interval.Point(top.Hi())
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
		r = w.Scale(r, 4)
	}
	return x, false
}

// settled reports that the last step was far below the working precision.
func settled(w interval.Prec, a, b interval.Interval) bool {
	d := w.Sub(a, b).Abs()
	return d.LessEq(w.Scale(interval.Max(a.Abs(), w.Scale(one, -8)), 4-int(w))) != interval.False
}
