// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestNeighbourhoodsHoldTheirNumber: an ε of either sign is at most half of the length from the center.
func TestNeighbourhoodsHoldTheirNumber(t *testing.T) {
	x, ok := New(product(sampledGaussian("1/10", "1", true), 2))
	if !ok {
		t.Fatal("no transform")
	}
	for i := int64(-60); i <= 60; i++ {
		eps := big.NewRat(i, 37)
		at, ok := x.around(fine.Rat(eps))
		if !ok {
			t.Errorf("ε = %s has no neighbourhood", eps)
			continue
		}
		off := new(big.Rat).Sub(eps, at.center)
		if off.Abs(off).Cmp(interval.Pow2(at.quantum-1)) > 0 {
			t.Errorf("ε = %s is not next to %s, a multiple of 2^%d", eps, at.center, at.quantum)
		}
	}
}

// TestNeighbourhoodOfGroups: where losses come in narrow groups, ε next to the end of the last
// one is not put together with those far beyond it, and takes few terms of few bits.
func TestNeighbourhoodOfGroups(t *testing.T) {
	prod := pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/2116")}, Count: 1}, {Pair: pair.Response{Eps: rat("1"), Delta: rat("0")}, Count: 4}}
	x, ok := New(prod)
	if !ok {
		t.Fatal("no transform")
	}
	const p = interval.Prec(64)
	gauss, _ := closed.PairTails(prod[0].Pair)
	for _, eps := range []string{"-4", "0", "39/10", "4", "41/10", "17/4"} {
		l, err := x.lineAt(t.Context(), p, false, p.Rat(rat(eps)))
		if err != nil || l == nil {
			t.Fatalf("ε = %s: no line, %v", eps, err)
		}
		if work := int64(l.n()) * int64(l.prec); work > 1<<20 {
			t.Errorf("ε = %s: %d terms of %d bits", eps, l.n(), l.prec)
		}
		y := delta(t, prod, p, eps)
		if y.RelativeBits(100) < 40 {
			t.Errorf("δ(%s) in %s", eps, y)
		}
		// Conditioned on the responses: δ(ε) = Σ_j C(4, j)·e^(4−j)/(1 + e)^4·δ₀(ε − (4 − 2j)).
		want := interval.Int(0)
		for j, c := range []int64{1, 4, 6, 4, 1} {
			mass := p.Div(p.Mul(interval.Int(c), p.Exp(interval.Int(int64(4-j)))), p.PowInt(p.Add(interval.Int(1), p.Exp(interval.Int(1))), 4))
			at := new(big.Rat).Sub(rat(eps), big.NewRat(int64(4-2*j), 1))
			want = p.Add(want, p.Mul(mass, gauss.Delta(p, interval.RealRat(at))))
		}
		if _, ok := interval.Intersect(y, want); !ok {
			t.Errorf("δ(%s) in %s and in %s", eps, y, want)
		}
	}
}
