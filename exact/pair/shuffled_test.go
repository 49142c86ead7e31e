// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// hidden is a report that is true with a probability, among fair coins that others toss with another one.
func hidden(others int64, rate, truth *big.Rat) Reports {
	coin, lie := new(big.Rat).Mul(rate, big.NewRat(1, 2)), new(big.Rat).Sub(ratOne, truth)
	return NewReports(others, []Report{{truth, lie, coin}, {lie, truth, coin},
		{new(big.Rat), new(big.Rat), new(big.Rat).Sub(ratOne, rate)}})
}

// binomials are P(Bin(n, q) = k), k = 0 … n.
func binomials(n int64, q *big.Rat) []*big.Rat {
	out := make([]*big.Rat, n+1)
	for k := range out {
		m := new(big.Rat).SetInt(new(big.Int).Binomial(n, int64(k)))
		m.Mul(m, ratPow(q, int64(k)))
		out[k] = m.Mul(m, ratPow(new(big.Rat).Sub(ratOne, q), n-int64(k)))
	}
	return out
}

// TestReportedOfMany: masses sum up to 1, less what is left out.
func TestReportedOfMany(t *testing.T) {
	for _, x := range []Reported{{100000, rat("1/5"), rat("3/5"), false}, {1, rat("1/5"), rat("3/5"), true}} {
		const p interval.Prec = 64
		os, rest, ok := x.Outcomes(p, 1<<16)
		if !ok {
			t.Fatalf("%s: no outcomes", x)
		}
		for name, of := range map[string]func(Outcome) interval.Interval{"P": func(o Outcome) interval.Interval { return o.P }, "Q": func(o Outcome) interval.Interval { return o.Q }} {
			sum := interval.Int(0)
			for _, o := range os {
				sum = p.Add(sum, of(o))
			}
			if s := interval.Union(sum, p.Add(sum, rest)); !s.ContainsRat(ratOne) {
				t.Errorf("%s: the masses of %s are %v, and %v is left out", x, name, sum, rest)
			}
		}
	}
}

// TestUnamplifiedHidesNothing: nothing that hides a record is left, also inside of samples.
func TestUnamplifiedHidesNothing(t *testing.T) {
	half := big.NewRat(1, 2)
	clones := hidden(9, half, big.NewRat(3, 4))
	steps := Allocation{Base: Gaussian{Mu2: half}, Selected: 2, Steps: 5, Reversed: true}
	bins := NewBins([][]*big.Rat{{half, rat("1/4")}, {rat("1/4"), rat("1/3")}})
	for _, x := range []Pair{clones, steps, bins, Mixed(half, Product{{clones, 1}}), Sampled{Rate: half, Base: Product{{steps, 3}}}} {
		once, ok := Unamplified(Product{{x, 2}})
		if _, again := Unamplified(once); !ok || again {
			t.Errorf("%s: %v, %s, again %v", x, ok, once, again)
		}
	}
}

// TestGreatestLossOfReports: the greatest loss of a count is the greatest loss of its outcomes, in rationals, in both
// directions.
func TestGreatestLossOfReports(t *testing.T) {
	x := Reported{Others: 7, Noise: rat("1/5"), Truth: rat("2/3")}
	others := append(append([]*big.Rat{new(big.Rat)}, binomials(x.Others, x.Noise)...), new(big.Rat))
	ratios := [2]*big.Rat{new(big.Rat), new(big.Rat)} // of P to Q and of Q to P
	for y := range x.Others + 2 {
		mass := func(s *big.Rat) *big.Rat {
			m := new(big.Rat).Mul(s, others[y])
			return m.Add(m, new(big.Rat).Mul(new(big.Rat).Sub(ratOne, s), others[y+1]))
		}
		p, q := mass(x.Truth), mass(x.Noise)
		for i, r := range []*big.Rat{new(big.Rat).Quo(p, q), new(big.Rat).Quo(q, p)} {
			if r.Cmp(ratios[i]) > 0 {
				ratios[i] = r
			}
		}
	}
	for i, pair := range []Pair{x, x.Reverse()} {
		l, ok := MaxLoss(Product{{pair, 3}})
		want := LogLoss(ratios[i]).Times(3)
		if !ok || l.Cmp(new(big.Rat)) <= 0 || l.Enclose(100).Less(want.Enclose(100)) != interval.Unknown || want.Enclose(100).Less(l.Enclose(100)) != interval.Unknown {
			t.Errorf("three times %v: the greatest loss is %v (%v), want %v", pair, l, ok, want)
		}
	}
}
