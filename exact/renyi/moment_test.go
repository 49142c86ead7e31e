// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// TestMomentsByHand: log Σ p^α·q^(1−α).
func TestMomentsByHand(t *testing.T) {
	quarter := pair.NewFinite([]*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}, []*big.Rat{rat("0"), rat("1/2"), rat("1/2")})
	for _, c := range []struct {
		prod pair.Product
		want string // the moment of order 2
	}{
		{pair.Product{{Pair: quarter, Count: 1}}, "1/4"}, // 2·(1/4)²/(1/2), without the infinite loss
		{pair.Product{{Pair: quarter, Count: 3}}, "1/64"},
		{pair.Product{{Pair: quarter, Count: 1}, {Pair: pair.Response{Eps: rat("0"), Delta: rat("1/3")}, Count: 1}}, "1/6"},
	} {
		m, ok := Moments(c.prod)
		if !ok {
			t.Fatalf("%s has no moments", c.prod)
		}
		if y := interval.Prec(80).Exp(m(80, rat("2"))); !y.ContainsRat(rat(c.want)) || y.RelativeBits(60) < 60 {
			t.Errorf("%s: %s, want %s", c.prod, y, c.want)
		}
	}
	// zCDP and Gaussian: (α − 1)(ξ + ρα); of a list, log M is below its chords: from 1/2 at 2 to 9 at 4.
	for _, c := range []struct {
		pair  pair.Pair
		alpha string
		want  string
	}{
		{pair.ZCDP{Rho: rat("1/3"), Xi: rat("1/5")}, "4", "23/5"}, // 3·(1/5 + 4/3)
		{pair.Gaussian{Mu2: rat("2/3")}, "4", "4"},                // 3·4/3
		{pair.RenyiCurve{Orders: []*big.Rat{rat("2"), rat("4")}, Values: []*big.Rat{rat("1/2"), rat("3")}}, "2", "1/2"},
		{pair.RenyiCurve{Orders: []*big.Rat{rat("2"), rat("4")}, Values: []*big.Rat{rat("1/2"), rat("3")}}, "3", "19/4"},
	} {
		m, _ := Moments(pair.Product{{Pair: c.pair, Count: 1}})
		if y := m(80, rat(c.alpha)); !y.ContainsRat(rat(c.want)) || y.RelativeBits(60) < 60 {
			t.Errorf("%s at α = %s: %s, want %s", c.pair, c.alpha, y, c.want)
		}
	}
	// Laplace, by its moments: M(2) = (2e^x + e^(−2x))/3 at x = 1: 1.85731…
	m, _ := Moments(pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}})
	if y := interval.Prec(80).Exp(m(80, rat("2"))); y.LessRat(rat("1.857299")) == interval.True || y.LessRat(rat("1.8573")) != interval.True {
		t.Errorf("Laplace: %s", y)
	}
}
