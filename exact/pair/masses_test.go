// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestLeftOutMassAddsUp: what an enumeration of one copy leaves out, it leaves out of
// each of several, and of each factor.
func TestLeftOutMassAddsUp(t *testing.T) {
	const p = interval.Prec(64)
	half := p.Rat(rat("9/20"))
	s := split{finite: []Outcome{{P: half, Q: half, Exact: true}, {P: half, Q: half, Exact: true}}, rest: p.Rat(rat("1/10"))}
	three, ok := s.power(p, 3, 100)
	if !ok || three.rest.LessRat(rat("271/1000")) != interval.False { // 1 − 0.9³
		t.Errorf("three copies leave out %s", three.rest)
	}
	both, ok := s.times(p, s, 100)
	if !ok || both.rest.LessRat(rat("19/100")) != interval.False {
		t.Errorf("two factors leave out %s", both.rest)
	}
}

// TestDiscreteGaussianLeavesOutItsTails: what is listed and what is left out sums to at
// least 1 at any precision, in P and in Q, however few outcomes are listed.
func TestDiscreteGaussianLeavesOutItsTails(t *testing.T) {
	for _, sigma2 := range []string{"1/2", "3", "50"} {
		for _, s := range []int64{1, 5} {
			const p = interval.Prec(2)
			os, rest, ok := DiscreteGaussian{rat(sigma2), s}.Outcomes(p, 1000)
			if !ok {
				t.Fatal("no outcomes")
			}
			// The same masses with many more bits, hence many more outcomes.
			fine, _, _ := DiscreteGaussian{rat(sigma2), s}.Outcomes(200, 10000)
			const q = interval.Prec(200)
			left, leftQ := interval.Int(1), interval.Int(1)
			for _, o := range os {
				for _, f := range fine {
					if f.Loss.Add(o.Loss.Neg()).Cmp(new(big.Rat)) == 0 {
						left, leftQ = q.Sub(left, f.P), q.Sub(leftQ, f.Q)
					}
				}
			}
			for _, x := range []interval.Interval{left, leftQ} {
				if x.LessEq(interval.Point(rest.Hi())) == interval.False {
					t.Errorf("σ² = %s, sensitivity %d: %s is left out, bounded by %s", sigma2, s, x, rest)
				}
			}
		}
	}
}

// TestBinomialByHand: Bin(2, 1/3) against the same shifted by 1.
func TestBinomialByHand(t *testing.T) {
	x := NewBinomial(mechanism.Binomial{Trials: 2, Probability: rat("1/3"), Sensitivity: 1})
	f, ok := x.(Finite)
	if want := NewFinite(rats("4/9", "4/9", "1/9", "0"), rats("0", "4/9", "4/9", "1/9")); !ok || f.String() != want.String() {
		t.Errorf("%s, want %s", x, want)
	}
	b := Binomial{Trials: 2, Prob: rat("1/3"), Sensitivity: 2}
	if m, ok := b.inf(); !ok || m.Cmp(rat("8/9")) != 0 {
		t.Errorf("infinite loss has mass %v, want 8/9", m)
	}
	if m, ok := b.Reverse().(Binomial).inf(); !ok || m.Cmp(rat("5/9")) != 0 {
		t.Errorf("reversed: %v, want 5/9", m)
	}
}

// TestSymmetriseKeepsInfiniteLoss: the greater of the two masses of infinite loss stays.
func TestSymmetriseKeepsInfiniteLoss(t *testing.T) {
	x := NewFinite(rats("1/10", "3/5", "3/10", "0"), rats("0", "1/5", "1/2", "3/10"))
	s := x.Symmetrise()
	if err := checkDistributions(s); err != nil {
		t.Error(err)
	}
	if s.Inf().Cmp(rat("3/10")) != 0 {
		t.Errorf("%s, want infinite loss of mass 3/10", s)
	}
}

// TestNormaliseAddsCounts: equal factors are counted together.
func TestNormaliseAddsCounts(t *testing.T) {
	g, l := Gaussian{Mu2: rat("1")}, Laplace{Shift: rat("2")}
	if p := (Product{{g, 2}, {l, 1}, {g, 3}}).Merged(); p.String() != "(Gaussian(μ²=1)^5 × Laplace(2))" {
		t.Errorf("%s", p)
	}
}

// TestGaussiansAddUp: a product of Gaussians is the Gaussian with the sum of all μ², each as
// often as it is there; what else there is stays.
func TestGaussiansAddUp(t *testing.T) {
	g := func(mu2 string, count int64) Term { return Term{Gaussian{Mu2: rat(mu2)}, count} }
	l := Term{Laplace{Shift: rat("2")}, 3}
	mu2, rest := Product{g("1/4", 3), l, g("1/5", 1)}.Gaussians()
	if mu2.Cmp(rat("19/20")) != 0 || rest.String() != (Product{l}).String() {
		t.Errorf("μ² = %s beside %s", mu2.RatString(), rest)
	}
	if mu2, rest := (Product{}).Gaussians(); mu2.Sign() != 0 || len(rest) != 0 {
		t.Errorf("of nothing, μ² = %s beside %s", mu2.RatString(), rest)
	}
}
