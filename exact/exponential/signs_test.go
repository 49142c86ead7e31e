// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exponential

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// random returns coefficients and rates that rise, some of them close to each other, and the coefficients themselves.
func random(r *rand.Rand, n int) (cs []*big.Rat, rates []*big.Rat) {
	rate := big.NewRat(r.Int64N(9)-4, 2)
	for range n {
		c := big.NewRat(1+r.Int64N(40), 1+r.Int64N(9))
		if r.IntN(2) == 0 {
			c.Neg(c)
		}
		cs, rates = append(cs, c), append(rates, rate)
		rate = new(big.Rat).Add(rate, big.NewRat(1+r.Int64N(6), []int64{1, 3, 1000}[r.IntN(3)]))
	}
	return cs, rates
}

func coefficients(w interval.Prec, cs []*big.Rat) (out []Coefficient) {
	for _, c := range cs {
		out = append(out, Coefficient{w.Log(w.Rat(new(big.Rat).Abs(c))), c.Sign() < 0})
	}
	return out
}

// value is F at a point, term by term.
func value(w interval.Prec, cs, rates []*big.Rat, x *big.Rat) (y interval.Interval) {
	for i, c := range cs {
		y = w.Add(y, w.Mul(w.Rat(c), w.Exp(w.Rat(new(big.Rat).Mul(rates[i], x)))))
	}
	return y
}

// check says where Signs and a value contradict each other. It returns whether the point is in a gap.
func check(t *testing.T, s Signs, cs, rates []*big.Rat, x *big.Rat) (inGap bool) {
	t.Helper()
	const w = interval.Prec(400)
	sign := Sign(0)
	switch y := value(w, cs, rates, x); {
	case y.Positive() == interval.True:
		sign = 1
	case y.Negative() == interval.True:
		sign = -1
	}
	for i, g := range s.Gaps {
		if g.LessRat(x) != interval.True { // not left of x
			if interval.Prec(400).Rat(x).Less(g) != interval.True {
				return true
			}
			if sign != s.Of[i] {
				t.Errorf("F = %v e^%v at %s: sign %d, want %d", cs, rates, x, s.Of[i], sign)
			}
			return false
		}
	}
	if sign != s.Of[len(s.Gaps)] {
		t.Errorf("F = %v e^%v at %s: sign %d, want %d", cs, rates, x, s.Of[len(s.Gaps)], sign)
	}
	return false
}

// TestSignsAgainstValues: the signs at many points are those of F, and gaps are few and narrow.
func TestSignsAgainstValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const w = interval.Prec(96)
	for range testkit.Draws(50, 150, 150) {
		cs, rates := random(r, 1+r.IntN(6))
		s, ok := SignsOf(w, coefficients(w, cs), rates)
		if !ok {
			t.Fatalf("%v e^%v: no signs", cs, rates)
		}
		changes := 0
		for i := range cs[1:] {
			if cs[i].Sign() != cs[i+1].Sign() {
				changes++
			}
		}
		if len(s.Gaps) > changes || (changes-len(s.Gaps))%2 != 0 {
			t.Errorf("%v e^%v: %d gaps, %d changes of sign", cs, rates, len(s.Gaps), changes)
		}
		for _, g := range s.Gaps {
			if w.Sub(g.Upper(), g.Lower()).LessEq(w.Scale(interval.Max(interval.Int(1), g.Abs()), -70)) != interval.True {
				t.Errorf("%v e^%v: gap %s", cs, rates, g)
			}
			for _, end := range []interval.Interval{g.Lower(), g.Upper()} {
				x, _, _ := end.Rationals()
				check(t, s, cs, rates, x)
			}
		}
		for range 40 {
			check(t, s, cs, rates, big.NewRat(r.Int64N(40001)-20000, []int64{7, 100, 1000, 9999}[r.IntN(4)]))
		}
	}
}

// TestSignsAtFewBits: whatever is rounded, no sign is wrong.
func TestSignsAtFewBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range testkit.Draws(40, 120, 120) {
		cs, rates := random(r, 1+r.IntN(5))
		for _, w := range []interval.Prec{2, 3, 8, 24} {
			c := coefficients(w, cs)
			full := sum[interval.Interval]{arithmetic: intervals{w}}
			for i := range c {
				full.terms = append(full.terms, term[interval.Interval]{c[i].Log, c[i].Negative, rates[i], w.Rat(rates[i])})
			}
			if s, ok := full.signs(); ok {
				for range 12 {
					check(t, Signs{s.gaps, s.of}, cs, rates, big.NewRat(r.Int64N(4001)-2000, 1000))
				}
			}
		}
	}
}

// TestZerosThatAreKnown: (e^x − 1)(e^x − 2) has two, (e^x − 1)² one of which nothing is known but that it is positive
// on both sides, and (e^x − 1)² + 10^−30 none.
func TestZerosThatAreKnown(t *testing.T) {
	const w = interval.Prec(128)
	rates := []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(2, 1)}
	of := func(cs ...*big.Rat) Signs {
		s, ok := SignsOf(w, coefficients(w, cs), rates)
		if !ok {
			t.Fatal("no signs")
		}
		return s
	}
	s := of(big.NewRat(2, 1), big.NewRat(-3, 1), big.NewRat(1, 1))
	if len(s.Gaps) != 2 || s.Of[0] != 1 || s.Of[1] != -1 || s.Of[2] != 1 || s.Gaps[1].LessRat(big.NewRat(6931471806, 10000000000)) != interval.True {
		t.Errorf("(e^x − 1)(e^x − 2): %v", s)
	}
	s = of(big.NewRat(1, 1), big.NewRat(-2, 1), big.NewRat(1, 1))
	if len(s.Gaps) != 1 || s.Of[0] != 1 || s.Of[1] != 1 || s.Gaps[0].Abs().LessRat(big.NewRat(1, 1<<40)) != interval.True {
		t.Errorf("(e^x − 1)²: %v", s)
	}
	if !check(t, s, []*big.Rat{big.NewRat(1, 1), big.NewRat(-2, 1), big.NewRat(1, 1)}, rates, new(big.Rat)) {
		t.Errorf("(e^x − 1)²: 0 is not in a gap of %v", s)
	}
	little := new(big.Rat).Add(big.NewRat(1, 1), interval.Pow2(-100))
	if s = of(little, big.NewRat(-2, 1), big.NewRat(1, 1)); len(s.Gaps) != 0 || s.Of[0] != 1 {
		t.Errorf("(e^x − 1)² + 2^−100: %v", s)
	}
}
