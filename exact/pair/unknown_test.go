// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestUnknownInfiniteMass: what is not known of a part is not known of what is made of it; a
// reversed sample has no infinite loss whatever its base has.
func TestUnknownInfiniteMass(t *testing.T) {
	many := Binomial{Trials: 1 << 13, Prob: rat("1/2"), Sensitivity: 1}
	truncated := Truncated{Noise: LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}
	for _, x := range []Pair{
		many, truncated, symmetric(many),
		Sampled{Rate: rat("1/2"), Base: Product{{many, 1}}}, Mixed(rat("1/2"), Product{{truncated, 2}}),
		NewHull([]mechanism.ProfilePoint{{Epsilon: rat("-1"), Delta: rat("3/4")}, {Epsilon: rat("1"), Delta: rat("1/4")}}),
		symmetric(Clamped{Noise: LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1")}),
	} {
		if m, ok := InfMass(Product{{x, 1}}); ok {
			t.Errorf("%s: %v", x, m)
		}
	}
	if m, ok := InfMass(Product{{Sampled{Rate: rat("1/2"), Base: Product{{truncated, 1}}, Reversed: true}, 3}}); !ok || m.Sign() != 0 {
		t.Errorf("reversed sample: %v, %t", m, ok)
	}
	for _, c := range []struct {
		x    Pair
		want string
	}{
		{symmetric(NewFinite(rats("1/4", "3/4", "0"), rats("0", "1/2", "1/2"))), "1/2"},
		{symmetric(NewFinite(rats("0", "1/2", "1/2"), rats("1/4", "3/4", "0"))), "1/2"},
		{Mixed(rat("1/2"), Product{{Response{rat("1"), rat("1/4")}, 2}}), "7/32"},
		{Sampled{Rate: rat("1/4"), Base: Product{{Response{rat("1"), rat("1/4")}, 1}}}, "1/16"},
	} {
		if m, ok := InfMass(Product{{c.x, 1}}); !ok || m.Cmp(rat(c.want)) != 0 {
			t.Errorf("%s: %v, %t, want %s", c.x, m, ok, c.want)
		}
	}
}

// TestGreatestLossOfNothingSeen: where the sampled pair has negative losses only, "nothing" is
// seen with loss 0; a loss whose powers are too long to write is not known.
func TestGreatestLossOfNothingSeen(t *testing.T) {
	disjointButOne := NewFinite(rats("1/4", "3/4", "0"), rats("1/2", "0", "1/2")) // finite loss log 1/2
	l, ok := MaxLoss(Product{{Mixed(rat("1/2"), Product{{disjointButOne, 1}}), 1}})
	if !ok || l.Cmp(new(big.Rat)) != 0 {
		t.Errorf("the greatest loss is %v, %t, want 0", l.Enclose(64), ok)
	}
	if l, ok := maxLoss(Binomial{Trials: 1000, Prob: rat("1/3"), Sensitivity: maxExactShift + 1}); ok {
		t.Errorf("a long loss: %v", l.Enclose(64))
	}
	long := LogLoss(rat("3/2")).Times(1 << 40)
	if r, ok := long.Log(); ok {
		t.Errorf("2^40·log 3/2 is written as the logarithm of %d bits", r.Num().BitLen())
	}
	if r, ok := LogLoss(rat("3/2")).Times(-3).Log(); !ok || r.Cmp(rat("8/27")) != 0 {
		t.Errorf("−3·log 3/2 = log %v", r)
	}
}

// TestTooManyOutcomes: a pair with more outcomes than wanted has none.
func TestTooManyOutcomes(t *testing.T) {
	for _, x := range []Pair{
		DiscreteLaplace{A: rat("1"), Sensitivity: 100}, DiscreteGaussian{Sigma2: rat("1000000"), Sensitivity: 1}, DiscreteGaussian{Sigma2: rat("1"), Sensitivity: 100},
		Binomial{Trials: 1 << 20, Prob: rat("1/2"), Sensitivity: 1}, Binomial{Trials: 200, Prob: rat("1/2"), Sensitivity: 150},
	} {
		if os, _, ok := x.Outcomes(64, 20); ok {
			t.Errorf("%s: %d outcomes, want at most 20", x, len(os))
		}
	}
	// Where the last or the first term is next to what is listed, the masses still sum to 1.
	for _, b := range []Binomial{
		{Trials: 2, Prob: rat("1/1000000000"), Sensitivity: 1}, {Trials: 2, Prob: rat("999999999/1000000000"), Sensitivity: 1},
		{Trials: 40, Prob: rat("1/2"), Sensitivity: 1}, {Trials: 3, Prob: rat("1/1000000"), Sensitivity: 1},
	} {
		for p := interval.Prec(2); p <= 64; p++ {
			os, rest, ok := b.Outcomes(p, 1000)
			if !ok {
				t.Errorf("%s at %d bits has no outcomes", b, p)
				continue
			}
			const w = interval.Prec(200)
			sum, sumQ := rest, rest
			for _, o := range os {
				sum, sumQ = w.Add(sum, o.P), w.Add(sumQ, o.Q)
			}
			if interval.Point(sum.Hi()).LessRat(rat("1")) == interval.True || interval.Int(1).Less(interval.Point(w.Sub(sum, rest).Lo())) == interval.True ||
				interval.Int(1).Less(interval.Point(w.Sub(sumQ, rest).Lo())) == interval.True {
				t.Errorf("%s at %d bits: masses sum to %s, %s beside", b, p, sum, rest)
			}
		}
	}
}

// symmetric is the least pair that dominates both orientations of a pair.
func symmetric(x Pair) Maximum {
	return Maximum{Of: []Product{{{Pair: x, Count: 1}}, {{Pair: x.Reverse(), Count: 1}}}}
}
