// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// sumOutcomes encloses Σ (P − αQ)₊ over outcomes, and what outcomes left out may add.
func sumOutcomes(os []pair.Outcome, rest, alpha interval.Interval) interval.Interval {
	const w = interval.Prec(400)
	sum := interval.Union(interval.Int(0), rest)
	for _, o := range os {
		sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(alpha, o.Q))))
	}
	return sum
}

func ratInterval(lo, hi *big.Rat) interval.Interval {
	const w = interval.Prec(400)
	return interval.Union(w.Rat(lo), w.Rat(hi))
}

// finiteModel returns a finite pair as a model.
func finiteModel(f pair.Finite) model {
	var m model
	for _, x := range f.Masses {
		m.P, m.Q = append(m.P, x.P), append(m.Q, x.Q)
	}
	return m
}

// checkFinite verifies that f is a pair of distributions.
func checkFinite(f pair.Finite) error {
	p, q := new(big.Rat), new(big.Rat)
	for _, m := range f.Masses {
		if m.P.Sign() < 0 || m.Q.Sign() < 0 {
			return fmt.Errorf("%s has a negative mass", f)
		}
		p.Add(p, m.P)
		q.Add(q, m.Q)
	}
	if p.Cmp(one) != 0 || q.Cmp(one) != 0 {
		return fmt.Errorf("%s: masses sum to %s and %s", f, p.RatString(), q.RatString())
	}
	return nil
}

// Zhu, Dong & Wang 2022, Lemma 5(3): δ(ε) = P(L > ε) − e^ε·Q(L > ε), where outcomes with
// Q = 0 have L = ∞. The losses of a finite pair tell exactly which outcomes count.
func TestLemma5TailsOfTheLoss(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		os, rest, ok := s.A.finite().Outcomes(s.Prec, 100)
		if !ok || !rest.IsZero() {
			return fmt.Errorf("no outcomes")
		}
		for _, alpha := range alphas(s.A) {
			if alpha.Sign() == 0 {
				continue
			}
			const w = interval.Prec(400)
			p, q := interval.Int(0), interval.Int(0)
			for _, o := range os {
				above := o.Q.IsZero()
				if !above && !o.P.IsZero() {
					above = o.Loss.Add(pair.LogLoss(alpha).Neg()).Cmp(zero) > 0
				}
				if above {
					p, q = w.Add(p, o.P), w.Add(q, o.Q)
				}
			}
			if err := refuteRat(w.Sub(p, w.Mul(w.Rat(alpha), q)), s.A.delta(alpha), "H_%s", alpha.RatString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Proposition 8 and Lemma 9: every convex falling H with
// H(0) = 1 and H ≥ (1 − α)₊ is the profile of a pair. Symmetrise constructs it for the
// maximum of both orientations of a finite pair.
func TestProposition8Symmetrise(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		f := s.A.finite()
		g := f.Symmetrise()
		if err := checkFinite(g); err != nil {
			return err
		}
		if !g.SelfDual() {
			return fmt.Errorf("%s is not self-dual", g)
		}
		for _, alpha := range alphas(s.A, finiteModel(g)) {
			want := maxRat(s.A.delta(alpha), s.A.reverse().delta(alpha))
			if got := finiteModel(g).delta(alpha); got.Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, want the maximum %s", alpha.RatString(), got.RatString(), want.RatString())
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 9, the continuous construction: P on [0, 1] with the distribution function 1 + H*(x − 1)
// in [0, 1), and the rest in 1, has the profile H beside a uniform Q; H* is the convex conjugate of H, which is +∞
// below 0. With H of a finite pair P has constant densities between the points 1 + s of slopes s of H.
func TestLemma9ContinuousConstruction(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		delta := s.A.deltas()
		kinks := alphas(s.A)
		slices.SortFunc(kinks, (*big.Rat).Cmp)
		kinks = slices.CompactFunc(kinks, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
		// F_P(x), as the supremum of a concave function that is linear between kinks.
		cdf := func(x *big.Rat) *big.Rat {
			y := sub(x, one)
			best := sub(mul(y, kinks[0]), delta(kinks[0]))
			for _, a := range kinks[1:] {
				best = maxRat(best, sub(mul(y, a), delta(a)))
			}
			return add(one, best)
		}
		cuts := []*big.Rat{zero, one}
		for i, a := range kinks[1:] {
			slope := quo(sub(delta(a), delta(kinks[i])), sub(a, kinks[i]))
			cuts = append(cuts, add(one, slope))
		}
		slices.SortFunc(cuts, (*big.Rat).Cmp)
		cuts = slices.CompactFunc(cuts, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
		uniform := model{P: []*big.Rat{cdf(zero)}, Q: []*big.Rat{zero}} // no mass is at 0
		for i, x := range cuts[1:] {
			uniform.P = append(uniform.P, sub(cdf(x), cdf(cuts[i])))
			uniform.Q = append(uniform.Q, sub(x, cuts[i]))
		}
		uniform.P, uniform.Q = append(uniform.P, sub(one, cdf(one))), append(uniform.Q, zero)
		sum := new(big.Rat)
		for _, p := range uniform.P {
			if p.Sign() < 0 {
				return fmt.Errorf("a mass of %s in %v", p.RatString(), uniform)
			}
			sum.Add(sum, p)
		}
		if uniform.P[0].Sign() != 0 || sum.Cmp(one) != 0 {
			return fmt.Errorf("P of %v is no distribution on (0, 1]", uniform)
		}
		for _, a := range alphas(s.A, uniform) {
			if got, want := uniform.delta(a), delta(a); got.Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, want %s", a.RatString(), got.RatString(), want.RatString())
			}
		}
		return nil
	})
}

// A hullCase is a pair, points of ε and how much of the rest to 1 is added to the
// pair's δ there: 0 for a tight bound.
type hullCase struct {
	A     model
	Eps   []*big.Rat
	Slack []*big.Rat
	Prec  interval.Prec
}

func (c hullCase) String() string {
	s := c.A.String() + "; points"
	for i := range c.Eps {
		s += fmt.Sprintf(" (ε = %s, slack %s)", c.Eps[i].RatString(), c.Slack[i].RatString())
	}
	return fmt.Sprintf("%s; %d bits", s, c.Prec)
}

var hullCases = generator[hullCase]{
	draw: func(r *rand.Rand) hullCase {
		c := hullCase{A: drawModel(r), Prec: drawPrec(r)}
		for range 1 + r.Intn(4) {
			c.Eps = append(c.Eps, drawReal(r))
		}
		slices.SortFunc(c.Eps, (*big.Rat).Cmp)
		c.Eps = slices.CompactFunc(c.Eps, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		for range c.Eps {
			x := zero
			if r.Intn(2) == 0 {
				x = drawRate(r)
			}
			c.Slack = append(c.Slack, x)
		}
		return c
	},
	shrink: func(c hullCase) []hullCase {
		var out []hullCase
		for _, a := range shrinkModel(c.A) {
			out = append(out, hullCase{a, c.Eps, c.Slack, c.Prec})
		}
		if len(c.Eps) > 1 {
			for i := range c.Eps {
				out = append(out, hullCase{c.A, slices.Delete(slices.Clone(c.Eps), i, i+1), slices.Delete(slices.Clone(c.Slack), i, i+1), c.Prec})
			}
		}
		return out
	},
}

// event returns the bound on the profile that A satisfies by construction.
func (c hullCase) event() mechanism.DominatingPair {
	var e mechanism.DominatingPair
	for i, eps := range c.Eps {
		d := c.A.guarantee(eps)
		d = add(d, mul(c.Slack[i], sub(one, d)))
		// Rounded up to few digits, so that it can be written.
		n := new(big.Int).Quo(mul(d, pow2(80)).Num(), mul(d, pow2(80)).Denom())
		d = minRat(one, mul(new(big.Rat).SetInt(n.Add(n, big.NewInt(1))), pow2(-80)))
		e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: eps, Delta: d})
	}
	return e
}

// Zhu, Dong & Wang 2022, Lemma 9 and Corollary 26: the hull of bounds on a profile
// is the profile of a pair that respects them, in both orientations, and dominates
// every pair that does; its products dominate products.
func TestCorollary26Hull(t *testing.T) {
	forAll(t, 10, hullCases, func(c hullCase) error {
		e := c.event()
		prob, err := meaning.Resolve(e, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		points := append([]*big.Rat{zero, rat("-3"), rat("3"), rat("60")}, c.Eps...)
		for _, k := range []int64{1, 2} {
			prod := pair.Product{{Pair: prob.Dominating()[0].Pair, Count: k}}
			truth := c.A.blurred().power(int(k))
			for _, o := range []pair.Product{prod, prod.Reverse()} {
				os, rest, ok := pair.ProductOutcomes(o, c.Prec, 1000)
				if !ok {
					return fmt.Errorf("%s is not enumerated", o)
				}
				for _, eps := range points {
					y := sumOutcomes(os, rest, ratInterval(expRat(eps)))
					for _, b := range []blurred{truth, truth.reverse()} {
						if lo, _ := b.delta(eps); y.LessRat(lo) == interval.True {
							return fmt.Errorf("%d copies: δ(%s) of the hull is at most %s, δ of the pair at least %s", k, eps.RatString(), text(y.Hi()), lo.FloatString(30))
						}
					}
				}
				if k > 1 {
					continue
				}
				for _, pt := range e.Profile {
					if y := sumOutcomes(os, rest, ratInterval(expRat(pt.Epsilon))); y.LessEqRat(pt.Delta) == interval.False {
						return fmt.Errorf("δ(%s) of the hull is at least %s, bounded by %s", pt.Epsilon.RatString(), text(y.Lo()), pt.Delta.FloatString(30))
					}
				}
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Theorem 10: the product of dominating pairs dominates the
// composition. Its outcomes have the product's masses and losses, and what is
// post-processed in one factor is dominated by the whole.
func TestTheorem10Products(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		factors := []model{s.B}
		prod := pair.Product{{Pair: s.B.finite(), Count: 1}, {Pair: s.A.finite(), Count: int64(s.K)}}
		for range s.K {
			factors = append(factors, s.A)
		}
		truth := finiteModel(product(factors...).finite()) // merged: few ratios
		os, rest, ok := pair.ProductOutcomes(prod, s.Prec, 10000)
		if !ok {
			return fmt.Errorf("not enumerated")
		}
		for _, o := range os {
			if !o.Exact || o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			r, ok := o.Loss.Log()
			if !ok {
				return fmt.Errorf("loss %s is no logarithm", o.Loss)
			}
			const w = interval.Prec(400)
			if y := w.Div(o.P, o.Q); !y.ContainsRat(r) {
				return fmt.Errorf("an outcome of loss log %s has ratio %s", r.RatString(), y)
			}
		}
		for _, alpha := range alphas(truth) {
			y := sumOutcomes(os, rest, ratInterval(alpha, alpha))
			if err := refuteRat(y, truth.delta(alpha), "H_%s of the product", alpha.RatString()); err != nil {
				return err
			}
		}
		// Merge the first two outcomes of A: a post-processing.
		if len(s.A.P) < 2 {
			return nil
		}
		merged := model{slices.Clone(s.A.p()[1:]), slices.Clone(s.A.q()[1:])}
		merged.P[0], merged.Q[0] = add(merged.P[0], s.A.p()[0]), add(merged.Q[0], s.A.q()[0])
		less := product(merged, s.B).finite()
		more := product(s.A, s.B).finite()
		for _, alpha := range alphas(finiteModel(less), finiteModel(more)) {
			if less.Delta(alpha).Cmp(more.Delta(alpha)) > 0 {
				return fmt.Errorf("H_%s of the post-processed product exceeds H of the product", alpha.RatString())
			}
		}
		return nil
	})
}
