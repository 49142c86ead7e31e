// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// tossed is a pair of clones, by all numbers of coins and heads.
func tossed(x clones) pair.Finite {
	var p, q []*big.Rat
	lie := new(big.Rat).Sub(ratOne, x.truth)
	none := new(big.Rat).Sub(ratOne, x.rate)
	binomial := func(n, k int64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Binomial(n, k)) }
	for c := int64(0); c <= x.others; c++ {
		m := binomial(x.others, c)
		for i := range x.others {
			if i < c {
				m.Mul(m, new(big.Rat).Mul(x.rate, big.NewRat(1, 2)))
			} else {
				m.Mul(m, none)
			}
		}
		for a := int64(0); a <= c+1; a++ {
			with, without := binomial(c, a-1), binomial(c, a)
			if a == 0 {
				with.SetInt64(0)
			}
			mix := func(t, u *big.Rat) *big.Rat {
				y := new(big.Rat).Add(new(big.Rat).Mul(t, with), new(big.Rat).Mul(u, without))
				return y.Mul(y, m)
			}
			p, q = append(p, mix(x.truth, lie)), append(q, mix(lie, x.truth))
		}
	}
	return pair.NewFinite(p, q)
}

// divergence is R_α of clones, α ≠ 1.
func (x clones) divergence(p interval.Prec, alpha *big.Rat) interval.Interval {
	return p.Div(x.moment()(2*p+32, alpha), p.Rat(minusOne(alpha)))
}

// reports are shuffled reports that are hidden so, and no better.
func (x clones) reports() pair.Reports {
	coin, lie := new(big.Rat).Mul(x.rate, big.NewRat(1, 2)), new(big.Rat).Sub(ratOne, x.truth)
	return pair.NewReports(x.others, []pair.Report{{P: x.truth, Q: lie, Other: coin}, {P: lie, Q: x.truth, Other: coin},
		{P: new(big.Rat), Q: new(big.Rat), Other: new(big.Rat).Sub(ratOne, x.rate)}})
}

// TestClonesWrittenOut: divergences of clones against all outcomes, of shuffled reports, few and many, against either,
// and of many reports against few.
func TestClonesWrittenOut(t *testing.T) {
	for _, n := range testkit.First[int64](3, 1, 4, 12, 64) {
		x := clones{n, rat("1/3"), rat("3/4")}
		reports := Of(once(x.reports()))
		var want Divergence
		if n < 60 {
			want = Of(once(tossed(x)))
		}
		for i, a := range []string{"1/2", "1", "2", "5/2", "40"} {
			p := []interval.Prec{4, 8, 24, 40, 40}[i]
			y, z := interval.Entire(), interval.Entire()
			if a != "1" {
				y = x.divergence(p, rat(a))
			}
			if want != nil {
				z = want(80, At(rat(a)))
			}
			if _, ok := interval.Intersect(y, z); !ok || want != nil && a != "1" && p == 40 && n < 5 && !near(y, z, 16) {
				t.Errorf("R_%s of %v: %s, want %s", a, x, y, z)
			}
			w, _ := interval.Intersect(y, z)
			if v := reports(p, At(rat(a))); v.Upper().Less(w.Lower()) == interval.True || w.Upper().Less(v.Lower()) == interval.True {
				t.Errorf("R_%s of %s: %s, want %s", a, x.reports(), v, w)
			}
		}
	}
	last := posInf
	for _, n := range testkit.First[int64](2, 100, 300, 3000) {
		x := clones{n, rat("1/3"), rat("3/4")}
		y := Of(once(x.reports()))(24, At(rat("2")))
		if c, ok := hiding(x.reports()); !ok || c.rate.Cmp(x.rate) != 0 || c.truth.Cmp(x.truth) != 0 {
			t.Errorf("%v is hidden by %v, %v", x, c, ok)
		}
		if y.Upper().Less(last.Upper()) != interval.True || !y.IsFinite() {
			t.Errorf("R_2 with %d others: %s, with fewer %s", n, y, last)
		}
		last = y
	}
}

// TestHiding: clones dominate reports at random, whose values they are not made of.
func TestHiding(t *testing.T) {
	for _, x := range []pair.Reports{
		pair.NewReports(4, []pair.Report{{P: rat("1/2"), Q: rat("1/4"), Other: rat("1/8")}, {P: rat("1/4"), Q: rat("1/4"), Other: rat("5/8")}, {P: rat("1/4"), Q: rat("1/2"), Other: rat("1/4")}}),
		pair.NewReports(3, []pair.Report{{P: rat("2/3"), Q: rat("1/2"), Other: rat("3/4")}, {P: rat("1/3"), Q: rat("1/2"), Other: rat("1/4")}}),
	} {
		c, ok := hiding(x)
		for _, a := range []string{"1/2", "2", "7"} {
			up, low := c.divergence(40, rat(a)), Of(once(x))(40, At(rat(a)))
			if !ok || up.Upper().Less(low.Lower()) == interval.True {
				t.Errorf("R_%s of %s is %s, of what hides it %s (%v)", a, x, low, up, ok)
			}
		}
	}
	if c, ok := hiding(pair.NewReports(1, []pair.Report{{P: rat("1"), Q: rat("1/2"), Other: rat("1/2")}, {P: rat("0"), Q: rat("1/2"), Other: rat("1/2")}})); ok {
		t.Errorf("what shows itself is hidden by %v", c)
	}
}

// TestReportsBelowClones: what is counted of the reports is a post-processing of shuffled randomized response, and
// never more than the clones.
func TestReportsBelowClones(t *testing.T) {
	for _, a := range []string{"1/2", "2", "8"} {
		up := clones{20, rat("1/2"), rat("3/4")}.divergence(40, rat(a))
		low := Of(once(pair.Reported{Others: 20, Noise: rat("1/4"), Truth: rat("3/4")}))(40, At(rat(a)))
		if up.Less(low) == interval.True || low.Lo().Sign() <= 0 || !up.IsFinite() {
			t.Errorf("R_%s: %s above, %s below", a, up, low)
		}
	}
}
