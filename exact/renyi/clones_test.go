// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// tossed is a pair of clones, by all numbers of coins and heads.
func tossed(x pair.Clones) pair.Finite {
	var p, q []*big.Rat
	lie := new(big.Rat).Sub(ratOne, x.Truth)
	none := new(big.Rat).Sub(ratOne, x.Rate)
	binomial := func(n, k int64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Binomial(n, k)) }
	for c := int64(0); c <= x.Others; c++ {
		m := binomial(x.Others, c)
		for i := range x.Others {
			if i < c {
				m.Mul(m, new(big.Rat).Mul(x.Rate, big.NewRat(1, 2)))
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
			p, q = append(p, mix(x.Truth, lie)), append(q, mix(lie, x.Truth))
		}
	}
	return pair.NewFinite(p, q)
}

// TestClonesWrittenOut: divergences of shuffled reports against all outcomes, and the divergences of many reports
// against few.
func TestClonesWrittenOut(t *testing.T) {
	for _, n := range []int64{1, 4, 30} {
		x := pair.Clones{Others: n, Rate: rat("1/3"), Truth: rat("3/4")}
		want := Of(once(tossed(x)))
		for i, a := range []string{"1/2", "1", "2", "5/2", "40"} {
			p := []interval.Prec{4, 8, 24, 40, 40}[i]
			y, z := Of(once(x))(p, At(rat(a))), want(80, At(rat(a)))
			if _, ok := interval.Intersect(y, z); !ok || p == 40 && n < 5 && !near(y, z, 16) {
				t.Errorf("R_%s of %s: %s, want %s", a, x, y, z)
			}
		}
	}
	last := posInf
	for _, n := range []int64{10, 300, 3000} {
		y := Of(once(pair.Clones{Others: n, Rate: rat("1/3"), Truth: rat("3/4")}))(24, At(rat("2")))
		if y.Less(last) != interval.True || !y.IsFinite() {
			t.Errorf("R_2 with %d others: %s, with fewer %s", n, y, last)
		}
		last = y
	}
}

// TestReportsBelowClones: what is counted of the reports is a post-processing of shuffled randomized response, and
// never more than the clones.
func TestReportsBelowClones(t *testing.T) {
	for _, a := range []string{"1/2", "2", "8"} {
		x := pair.Clones{Others: 20, Rate: rat("1/2"), Truth: rat("3/4")}
		y := pair.Reported{Others: 20, Noise: rat("1/4"), Truth: rat("3/4")}
		up, low := Of(once(x))(40, At(rat(a))), Of(once(y))(40, At(rat(a)))
		if up.Less(low) == interval.True || low.Lo().Sign() <= 0 || !up.IsFinite() {
			t.Errorf("R_%s: %s above, %s below", a, up, low)
		}
	}
}
