// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// folded returns X where a pair has the greatest profile of X and of its reverse, and that of X is the greater one
// for all α ≥ 1. For α < 1 it is then that of the reverse, as H_α(P‖Q) = 1 − α + α·H_{1/α}(Q‖P).
func folded(m pair.Maximum) (x pair.Pair, ok bool) {
	if len(m.Of) != 2 {
		return nil, false
	}
	for i, o := range m.Of {
		one, ok := single(o)
		if !ok || !greaterForward(one) {
			continue
		}
		other, ok := single(m.Of[1-i])
		if ok && other.String() == one.Reverse().String() {
			return one, true
		}
	}
	return nil, false
}

// greaterForward reports that H_α(P‖Q) ≥ H_α(Q‖P) for all α ≥ 1 is known of a pair.
//
//   - A Poisson sample of a pair that is its own reverse [Zhu, Dong & Wang 2022, Proposition 30].
//   - a·N(−d) + b·N(0) + c·N(d) against (a + c)·N(−d) + b·N(0), anywhere on the line and either way round: of all
//     a·N(v) + b·N(0) + c·N(x) against a·N(v) + b·N(0) + c·N(y) with v, x and y at most d from 0, it is the one
//     with v = y = −x, which is the worst for α ≥ 1 (exact/truncated: Sample.Replaced), and its reverse the one with
//     v = x = −y.
func greaterForward(x pair.Pair) bool {
	switch x := x.(type) {
	case pair.Sampled:
		return !x.Reversed && x.Base.SelfDual()
	case pair.GaussianMixture:
		_, _, ok := outer(x)
		return ok
	}
	return false
}

// outer returns a, b and c, and d, of the mixtures of greaterForward, and reports false for others.
func outer(x pair.GaussianMixture) (weights [3]*big.Rat, d *big.Rat, ok bool) {
	p, q := x.P, x.Q
	if len(p.Means) != 3 || len(q.Means) != 2 {
		return weights, nil, false
	}
	weights, near := [3]*big.Rat(p.Probs), 0 // of both means of Q
	if q.Means[0].Cmp(p.Means[1]) == 0 {
		weights, near = [3]*big.Rat{p.Probs[2], p.Probs[1], p.Probs[0]}, 1
	}
	d = new(big.Rat).Sub(p.Means[2], p.Means[1])
	return weights, d, d.Cmp(new(big.Rat).Sub(p.Means[1], p.Means[0])) == 0 && q.Means[0].Cmp(p.Means[near]) == 0 &&
		q.Means[1].Cmp(p.Means[near+1]) == 0 && q.Probs[1-near].Cmp(p.Probs[1]) == 0
}

// outerWords are the tails of these mixtures for ε ≥ 0, and of the reverse for ε ≤ 0. With α = e^ε, k = e^(−d²/2) and
// z = e^(dx), L > ε where −k·(a(α−1) + cα) − b(α−1)·z + kc·z² > 0: beyond the positive root, of which nothing
// cancels.
func outerWords(weights [3]*big.Rat, d *big.Rat) (forward, backward WordTails) {
	a, b, c, w := three.Rat(weights[0]), three.Rat(weights[1]), three.Rat(weights[2]), three.Rat(d)
	k := three.Exp(three.Scale(three.Sqr(w), -1).Neg())
	kc, both, inverse := three.Mul(k, c), three.Add(a, c), three.Inv(w)
	half := three.Inv(three.Scale(kc, 1))
	root := func(eps fixed.Real) fixed.Real {
		rise := three.Expm1(eps)
		down := three.Mul(b, rise)
		far := three.Mul(k, three.Add(three.Mul(both, rise), c))
		square := three.Add(three.Sqr(down), three.Scale(three.Mul(far, kc), 2))
		return three.Mul(three.Log(three.Mul(three.Add(down, three.Sqrt(square)), half)), inverse)
	}
	// above has the masses of what is above y, or below it of the mirror image, where means are mirrored.
	above := func(y fixed.Real, d fixed.Real) (ofP, ofQ fixed.Real) {
		near, middle := three.NormalSF(three.Add(y, d)), three.Mul(b, three.NormalSF(y))
		lone := three.Mul(c, three.NormalSF(three.Sub(y, d)))
		return three.Add(three.Add(three.Mul(a, near), middle), lone), three.Add(three.Mul(both, near), middle)
	}
	forward = func(eps fixed.Real) (p, q fixed.Real) { return above(root(eps), w) }
	backward = func(eps fixed.Real) (p, q fixed.Real) {
		q, p = above(root(eps.Neg()).Neg(), w.Neg())
		return p, q
	}
	return forward, backward
}

// foldedForms has the tails of X for ε ≥ 0 and of its reverse for ε < 0: what a profile is on one side of a point is
// what the tails are there. The loss has an atom at 0, where P(L > 0) is that of X.
func foldedForms(x pair.Pair, forward, backward forms) (f forms) {
	f.tails = func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		below := eps.less(w, new(big.Rat))
		if below == interval.True {
			return backward.tails(w, eps)
		}
		if p, q = forward.tails(w, eps); below == interval.False {
			return p, q
		}
		s, t := backward.tails(w, eps)
		return interval.Union(p, s), interval.Union(q, t)
	}
	if m, mixed := x.(pair.GaussianMixture); mixed {
		weights, d, _ := outer(m)
		forward.words, backward.words = outerWords(weights, d)
	}
	if forward.words != nil && backward.words != nil {
		f.words = func(eps fixed.Real) (p, q fixed.Real) {
			switch eps.Less(fixed.Real{}) {
			case interval.True:
				return backward.words(eps)
			case interval.False:
				return forward.words(eps)
			}
			return fixed.Unknown(), fixed.Unknown()
		}
	}
	return f
}
