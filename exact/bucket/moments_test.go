// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// divergence encloses D_α by events, and reports false if it is ∞.
func (t *literal) divergence(order *big.Rat) (interval.Interval, bool) {
	s := lit.Rat(new(big.Rat).Sub(order, ratInt(1)))
	sum := interval.Interval{}
	for _, x := range t.atoms {
		if x.certain {
			return interval.Interval{}, false
		}
		if !x.never {
			sum = lit.Add(sum, lit.Mul(x.a, lit.Exp(lit.Mul(s, x.loss.Enclose(lit)))))
		}
	}
	return lit.Div(lit.Log(sum), s), true
}

// TestRenyiOfTrees: §5.7, from both sides, at all precisions.
func TestRenyiOfTrees(t *testing.T) {
	bounded := 0
	forTrials(t, 80, 300, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		tree := c.tree(t.Context(), c.shape)
		for _, order := range ratList("1001/1000 3/2 2 10") {
			for _, p := range []interval.Prec{2, 64} {
				got := tree.Renyi(p, order)
				want, finite := l.divergence(order)
				if !finite {
					if !got.Hi().IsInf() {
						t.Errorf("D_%s = ∞, bound %s", order.RatString(), got)
					}
					continue
				}
				if exceeds(want, got) || exceeds(got, want) {
					t.Errorf("D_%s = %s, bounds %s", order.RatString(), want, got)
				}
				if got.IsFinite() {
					bounded++
				}
			}
		}
	})
	if bounded == 0 {
		t.Error("no divergence is bounded from above")
	}
}

// TestRenyiIsNarrow: fine buckets give close bounds.
func TestRenyiIsNarrow(t *testing.T) {
	x := pair.NewFinite(ratList("1/2 1/3 1/6"), ratList("1/6 1/3 1/2"))
	r := compose2(leafOf(x), leafOf(x))
	shape := Shape{4000, rat("1/1000"), 128}
	tree := r.tree(t.Context(), shape)
	l := evaluate(r, 4, pair.RatLoss(ratInt(1)), rules{}, true)
	for _, order := range ratList("3/2 2 5 32") {
		want, _ := l.divergence(order)
		got := tree.Renyi(64, order)
		if exceeds(got, want) || exceeds(want, got) || exceeds(lit.Sub(interval.Point(got.Hi()), interval.Point(got.Lo())), lit.Rat(rat("1/100"))) {
			t.Errorf("D_%s = %s, bounds %s", order.RatString(), want, got)
		}
	}
}

// §5.7 bounds D_(α+1) by the finite buckets: not if there is mass in bucket ∞.
func TestErratumMomentsNeedFiniteLosses(t *testing.T) {
	r := pairOf("1/2 1/2", "1/100 99/100") // ratio 50 is beyond f^4 = 16
	_, l := both(r, 4, rules{})
	order := ratInt(3)
	sum := interval.Interval{}
	for i := -4; i <= 4; i++ {
		sum = lit.Add(sum, lit.Mul(l.at(l.b, i), l.power(2*i)))
	}
	printed := lit.Scale(lit.Log(sum), -1)
	want, _ := l.divergence(order)
	if !exceeds(want, printed) {
		t.Errorf("D_3 = %s, by the finite buckets %s", want, printed)
	}
	tree := r.tree(t.Context(), Shape{4, nearLog2, 61})
	if got := tree.Renyi(64, order); !got.Hi().IsInf() || exceeds(got, want) {
		t.Errorf("D_3 = %s, bounds %s", want, got)
	}
}

// §5.7 converts to (ε, αD_α − αε), which is negative; δ ≤ exp(α(D_(α+1) − ε)) holds.
func TestErratumConversionOfMoments(t *testing.T) {
	r := pairOf("1/2 1/3 1/6", "1/6 1/3 1/2")
	_, l := both(r, 4, rules{})
	tree := r.tree(t.Context(), Shape{40, rat("1/20"), 61})
	alpha, eps := ratInt(3), ratInt(1)
	d := l.delta(pair.RatLoss(eps))
	divergence, _ := l.divergence(alpha)
	printed := lit.Mul(lit.Rat(alpha), lit.Sub(divergence, lit.Rat(eps)))
	if printed.Negative() != interval.True || d.LessRat(rat("0.046")) == interval.True {
		t.Errorf("printed δ = %s, δ = %s", printed, d)
	}
	for _, a := range ratList("1/2 1 3 20") {
		up := tree.Renyi(lit, new(big.Rat).Add(a, ratInt(1)))
		bound := lit.Exp(lit.Mul(lit.Rat(a), lit.Sub(up, lit.Rat(eps))))
		if exceeds(d, interval.Point(bound.Hi())) {
			t.Errorf("α = %s: δ = %s, bound %s", a.RatString(), d, bound)
		}
	}
}
