// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package guarantee

import (
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

func rats(xs ...string) (out []*big.Rat) {
	for _, x := range xs {
		out = append(out, rat(x))
	}
	return out
}

// TestWitnessesByHand: what is built from a guarantee satisfies it at every order listed.
func TestWitnessesByHand(t *testing.T) {
	// R_2 ≤ 1 and R_4 ≤ 1: a Gaussian has R_α = αμ²/2, so μ² = 1/2; randomized response has
	// R_α ≤ min(ε, ε²α/2), so that ε = 1 respects both.
	w := RenyiCurve(mechanism.RenyiCurve{Orders: rats("2", "4"), Values: rats("1", "1")})
	if w[0].String() != "(Gaussian(μ²=1/2))" || w[1].String() != "(Response(ε=1, δ=0))" {
		t.Errorf("witnesses %s and %s", w[0], w[1])
	}
	// In the other order, and with a value that binds at the first.
	w = RenyiCurve(mechanism.RenyiCurve{Orders: rats("2", "4"), Values: rats("1/8", "1")})
	if w[0].String() != "(Gaussian(μ²=1/8))" {
		t.Errorf("witness %s", w[0])
	}
	if r, ok := w[1][0].Pair.(pair.Response); !ok || new(big.Rat).Mul(r.Eps, r.Eps).Cmp(rat("1/8")) > 0 || r.Eps.Cmp(rat("353/1000")) < 0 {
		t.Errorf("witness %s, want ε = √(1/8), rounded down", w[1])
	}
	z := ZCDP(mechanism.ZCDP{Rho: rat("1/4"), Xi: rat("1/3")})
	if z[0].String() != "(Gaussian(μ²=1/2) × Response(ε=1/3, δ=0))" {
		t.Errorf("witness %s", z[0])
	}
	if r, ok := z[1][0].Pair.(pair.Response); !ok || new(big.Rat).Mul(r.Eps, r.Eps).Cmp(rat("1/2")) > 0 || r.Eps.Cmp(rat("707/1000")) < 0 {
		t.Errorf("witness %s, want ε = √(1/2), rounded down", z[1])
	}
}
