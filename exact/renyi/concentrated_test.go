// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestConcentratedGaussian: a Gaussian is (µ²/2, µ)-mean-concentrated, hence (0, µ²/2)-zCDP, and
// P(L > ε) is below both conversions, at any precision.
func TestConcentratedGaussian(t *testing.T) {
	for _, mu2 := range []string{"1/100", "1", "9"} {
		tails, _ := closed.PairTails(pair.Gaussian{Mu2: rat(mu2)})
		for _, p := range []interval.Prec{4, 16, 64, 200} {
			half := new(big.Rat).Mul(rat(mu2), rat("1/2"))
			c := CDP{Mean: p.Rat(half), Tau: p.Sqrt(p.Rat(rat(mu2)))}
			xi, rho := c.ZCDP(p)
			if !xi.ContainsRat(new(big.Rat)) || !rho.ContainsRat(half) {
				t.Errorf("µ² = %s at %d bits: (%s, %s)-zCDP", mu2, p, xi, rho)
			}
			for _, eps := range []string{"-1", "0", "1/10", "1", "7"} {
				e := p.Rat(rat(eps))
				truth, _ := tails(300, closed.Arg{Interval: interval.Prec(300).Rat(rat(eps))})
				for name, d := range map[string]interval.Interval{
					"mean-concentrated": c.Delta(p, e),
					"zCDP":              ZCDPDelta(p, p.Rat(half), interval.Int(0), e),
				} {
					if d.Less(truth) == interval.True || d.Hi().Cmp(big.NewFloat(1)) > 0 {
						t.Errorf("µ² = %s at %d bits: P(L > %s) ≤ %s by %s, want at least %s", mu2, p, eps, d, name, truth)
					}
				}
			}
		}
	}
}

// TestZCDPConversionsInvert: δ at the ε of a δ is that δ; without privacy loss ε = ξ, and at δ = 0
// nothing else is bounded.
func TestZCDPConversionsInvert(t *testing.T) {
	const p = interval.Prec(128)
	for _, rho := range []string{"1/50", "1", "4"} {
		for _, delta := range []string{"1/2", "1/1000000", "1/1000000000000000000000"} {
			eps := ZCDPEpsilon(p, p.Rat(rat(rho)), p.Rat(rat("1/3")), p.Rat(rat(delta)))
			if d := ZCDPDelta(p, p.Rat(rat(rho)), p.Rat(rat("1/3")), eps); !d.ContainsRat(rat(delta)) || d.RelativeBits(200) < 100 {
				t.Errorf("ρ = %s: δ = %s becomes %s", rho, delta, d)
			}
		}
	}
	zero := interval.Int(0)
	if eps := ZCDPEpsilon(p, zero, p.Rat(rat("1/3")), zero); !eps.ContainsRat(rat("1/3")) || eps.RelativeBits(200) < 100 {
		t.Errorf("ρ = 0, δ = 0: ε = %s", eps)
	}
	if eps := ZCDPEpsilon(p, interval.Int(1), zero, zero); !eps.Hi().IsInf() {
		t.Errorf("ρ = 1, δ = 0: ε = %s", eps)
	}
}

// TestMomentsOfTheSymmetricPair: the bounds of the pair whose profile is the greater of
// both contain the moments of the finite pair that has it.
func TestMomentsOfTheSymmetricPair(t *testing.T) {
	for _, f := range []pair.Finite{
		finitePair([]string{"1/2", "1/3", "1/6"}, []string{"1/6", "1/2", "1/3"}),
		finitePair([]string{"9/10", "1/10"}, []string{"1/4", "3/4"}),
		finitePair([]string{"1/100", "99/100"}, []string{"1/2", "1/2"}),
	} {
		bound, ok := maximum(symmetric(f))
		truth, known := Moments(once(f.Symmetrise()))
		if !ok || !known {
			t.Fatalf("%s: bounds %v, moments %v", f, ok, known)
		}
		for _, alpha := range []string{"1/10", "1/2", "9/10", "11/10", "2", "7"} {
			for _, p := range []interval.Prec{2, 8, 64} {
				x, want := bound(p, rat(alpha)), truth(200, rat(alpha))
				if x.Less(want) == interval.True || want.Less(x) == interval.True {
					t.Errorf("%s at %d bits: log M(%s) in %s, want %s", f, p, alpha, x, want)
				}
			}
		}
	}
	if _, ok := maximum(symmetric(finitePair([]string{"1/2", "1/2", "0"}, []string{"0", "1/2", "1/2"}))); ok {
		t.Error("infinite losses were taken")
	}
}

// TestGreatestLossByOutcomes: of a hull, the loss of its last finite point; of a
// symmetric pair, the greater of both orientations; of a sampled one, by its base.
func TestGreatestLossByOutcomes(t *testing.T) {
	const p = interval.Prec(64)
	f := finitePair([]string{"1/2", "1/3", "1/6"}, []string{"1/16", "1/2", "7/16"})
	g := greatestLoss(p, symmetric(f))
	if want := p.Log(interval.Int(8)); !meets(g, want) || g.RelativeBits(100) < 50 {
		t.Errorf("symmetric: %s, want log 8", g)
	}
	back := greatestLoss(p, symmetric(f.Reverse()))
	if !meets(g, back) {
		t.Errorf("symmetric: %s, of the reverse %s", g, back)
	}
	for _, c := range []struct {
		x    pair.Pair
		want interval.Interval
	}{
		{pair.Sampled{Rate: rat("1/2"), Base: once(f)}, p.Log(p.Rat(rat("9/2")))},
		{pair.Sampled{Rate: rat("1/2"), Base: once(f), Reversed: true}, p.Log(p.Rat(rat("42/29")))},
	} {
		if y := greatestLoss(p, c.x); !meets(y, c.want) {
			t.Errorf("%s: %s, want %s", c.x, y, c.want)
		}
	}
}

func meets(x, y interval.Interval) bool {
	_, ok := interval.Intersect(x, y)
	return ok
}

// TestSymmetricMomentOfWideEnclosures: M ≤ M₁ + M₂ − 1 for α > 1 however little is known of
// either from below, and M ≥ M₁ + M₂ − 1 for α < 1 however wide.
func TestSymmetricMomentOfWideEnclosures(t *testing.T) {
	const p = interval.Prec(64)
	open := interval.Entire()
	wide := func(hi int64) interval.Interval { return interval.Bounds(open.Lo(), interval.Int(hi).Hi()) }
	for _, c := range []struct {
		alpha *big.Rat
		a, b  interval.Interval
		least interval.Interval // a number that M may be
	}{
		{big.NewRat(2, 1), wide(5), wide(5), p.Log(p.Sub(p.Scale(p.Exp(interval.Int(5)), 1), one))},
		{big.NewRat(2, 1), wide(0), wide(3), interval.Int(3)},
		{big.NewRat(1, 2), wide(0), wide(0), interval.Int(-7)},
		{big.NewRat(1, 2), interval.Int(-1), wide(0), p.Log(p.Scale(one, -9))},
	} {
		y := maximumMoment(p, c.alpha, c.a, c.b)
		if y.Hi().Cmp(c.least.Lo()) < 0 || y.Lo().Cmp(c.least.Hi()) > 0 {
			t.Errorf("α = %s, %s and %s: %s does not contain %s", c.alpha.RatString(), c.a, c.b, y, c.least)
		}
	}
}

// CDP is (µ, τ)-mean-concentrated differential privacy [Dwork & Rothblum 2016]: E_P[L] ≤ µ
// and E_P[e^(λ(L − E_P[L]))] ≤ e^(λ²τ²/2) for all real λ.
type CDP struct{ Mean, Tau interval.Interval }

// ZCDP returns ξ = µ − τ²/2 and ρ = τ²/2: then (α−1)·R_α = log E_P[e^((α−1)L)] ≤ (α−1)µ +
// (α−1)²τ²/2 = (α−1)(ξ + ρα) [Bun & Steinke 2016, Lemma 4.2]. ξ may be negative.
func (c CDP) ZCDP(p interval.Prec) (xi, rho interval.Interval) {
	rho = p.Scale(p.Sqr(c.Tau), -1)
	return p.Sub(c.Mean, rho), rho
}

// Delta encloses δ = P(L > ε) ≤ e^(−(ε−µ)²/2τ²) for ε ≥ µ, and 1 below, by Chernoff's bound at λ =
// (ε − µ)/τ² [Dwork & Rothblum 2016, Theorem 3.5].
func (c CDP) Delta(p interval.Prec, eps interval.Interval) interval.Interval {
	w := p + 16
	over := atLeastZero(w.Sub(eps, c.Mean))
	return p.Exp(w.Scale(w.Sqr(w.Div(over, c.Tau)), -1).Neg())
}

// symmetric is the least pair that dominates both orientations of a pair.
func symmetric(x pair.Pair) pair.Maximum {
	return pair.Maximum{Of: []pair.Product{{{Pair: x, Count: 1}}, {{Pair: x.Reverse(), Count: 1}}}}
}
