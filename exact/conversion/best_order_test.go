// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
)

// TestBestOrderIsTheBest: no order near the one that is chosen, and none far from it, has a bound whose logarithm is
// less by more than 10^−13, or 10^−13 of it: also where the moments have a kink, and where they are ∞ from some order
// on.
func TestBestOrderIsTheBest(t *testing.T) {
	gaussian := func(mu2 string) pair.Product { return once(pair.Gaussian{Mu2: rat(mu2)}) }
	kinked, ok := greatestMoments(meaning.Factors{Choices: []meaning.Choice{{Count: 3, Of: []pair.Product{gaussian("1"), once(pair.Laplace{Shift: rat("1")})}}}})
	if !ok {
		t.Fatal("no greatest moment")
	}
	of := func(x pair.Pair, n int64) renyi.LogMoment {
		m, ok := renyi.Moments(pair.Product{{Pair: x, Count: n}})
		if !ok {
			t.Fatal("no moment")
		}
		return m
	}
	walled := func(p interval.Prec, alpha *big.Rat) interval.Interval {
		if alpha.Cmp(rat("7/2")) > 0 {
			return posInf
		}
		return of(pair.ZCDP{Rho: rat("1/10"), Xi: rat("0")}, 1)(p, alpha)
	}
	for i, c := range []struct {
		name string
		m    renyi.LogMoment
	}{
		{"zCDP", of(pair.ZCDP{Rho: rat("1/10"), Xi: rat("1/100")}, 1)},
		{"much zCDP", of(pair.ZCDP{Rho: rat("1/2"), Xi: rat("0")}, 1000)},
		{"little zCDP", of(pair.ZCDP{Rho: rat("1/1000000000"), Xi: rat("0")}, 1)},
		{"Laplace", of(pair.Laplace{Shift: rat("2")}, 10)},
		{"responses", of(pair.Response{Eps: rat("1"), Delta: rat("0")}, 7)},
		{"a kink", kinked},
		{"a wall", walled},
	} {
		best := bestOrder(c.m, nil)
		for _, eps := range slices.Concat(testkit.InTurn(i, [][]string{{"0", "3"}, {"1/100", "29/10"}, {"1/2", "100"}, {"1", "10", "1000"}})...) {
			e := interval.Prec(64).Rat(rat(eps))
			bound := func(alpha *big.Rat) float64 { return min(float64Of(exponent(128, c.m, alpha, e).Hi()), 0) }
			chosen := best(e)
			least := bound(chosen)
			x := math.Log(float64Of(interval.Prec(64).Rat(minusOne(chosen)).Hi()))
			look := func(y float64) {
				if y < -60 || y > 60 {
					return
				}
				alpha := ratOf(math.Exp(y))
				if b := bound(alpha.Add(alpha, ratOne)); b < least-1e-13*max(1, -least) {
					t.Errorf("%s at ε = %s: order %.6g gives e^%v, and 1 + %.6g gives e^%v", c.name, eps, 1+math.Exp(x), least, math.Exp(y), b)
				}
			}
			for k := -24; k <= 6; k++ {
				look(x + math.Ldexp(1, k))
				look(x - math.Ldexp(1, k))
			}
			for y := -12.; y < 12; y += 1. / 4 {
				look(y)
			}
		}
	}
}

// TestBestOrderOfAList: it is the order with the least bound, and the first one where all are ∞; also of the few that
// are looked at where none is listed.
func TestBestOrderOfAList(t *testing.T) {
	m, _ := renyi.Moments(once(pair.ZCDP{Rho: rat("1/10"), Xi: rat("0")}))
	orders := integers(2, 40)
	few := []*big.Rat{integer(2), integer(3), integer(5), integer(9), integer(16), integer(32), integer(64), integer(128)}
	for i, best := range []func(interval.Interval) *big.Rat{bestOrder(m, orders), bestOfFew(m)} {
		for _, eps := range []string{"0", "1/2", "1", "2", "5", "11", "30"} {
			e := interval.Prec(64).Rat(rat(eps))
			chosen := exponent(64, m, best(e), e)
			for _, o := range [][]*big.Rat{orders, few}[i] {
				if exponent(64, m, o, e).Less(chosen) == interval.True {
					t.Errorf("ε = %s: order %s is chosen, and %s is better", eps, best(e).RatString(), o.RatString())
				}
			}
		}
	}
	nothing := func(interval.Prec, *big.Rat) interval.Interval { return interval.Entire() }
	if o := bestOrder(nothing, orders)(one); o != orders[0] {
		t.Errorf("where nothing is known: %s", o.RatString())
	}
	if o := bestOfFew(nothing)(one); o.Cmp(integer(2)) != 0 {
		t.Errorf("where nothing is known: %s", o.RatString())
	}
	if o := bestOrder(nothing, nil)(one); o.Cmp(ratOne) <= 0 {
		t.Errorf("where nothing is known: %s", o.RatString())
	}
}
