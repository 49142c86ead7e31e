// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package coq_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/certify/evidence/coq"
	"dpverify/exact/interval"
)

// TestWalksAreNarrow: walks show what is a millionth above the least ρ of copies of pairs on two outcomes, and no walk
// shows what is a millionth below it; there, an order exceeds it unless its powers of two miss the worst one.
func TestWalksAreNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		p, q, n := 1+rng.Int64N(99), 1+rng.Int64N(99), 1+rng.Int64N(20)
		if p == q {
			continue
		}
		part := coq.Part{Count: n, Outcomes: [][2]coq.Term{
			{coq.Fraction(big.NewRat(p, 100)), coq.Fraction(big.NewRat(q, 100))},
			{coq.Fraction(big.NewRat(100-p, 100)), coq.Fraction(big.NewRat(100-q, 100))},
		}}
		c := coq.NewCurve([]coq.Part{part}, 128)
		least := leastRho(float64(p)/100, float64(q)/100) * float64(n)
		above, below := new(big.Rat).SetFloat64(least*(1+1e-6)), new(big.Rat).SetFloat64(least*(1-1e-6))
		if w, ok := c.Walk(above); !ok {
			t.Errorf("%d copies of %d and %d: no walk shows %v", n, p, q, least*(1+1e-6))
		} else if len(w.Steps) > 400 {
			t.Errorf("%d copies of %d and %d: %d steps", n, p, q, len(w.Steps))
		}
		if alpha, ok := c.Exceeds(above); ok {
			t.Errorf("%d copies of %d and %d: %v at %v", n, p, q, least*(1+1e-6), alpha)
		}
		if _, ok := c.Walk(below); ok {
			t.Errorf("%d copies of %d and %d: a walk shows %v", n, p, q, least*(1-1e-6))
		}
		if _, ok := c.Exceeds(new(big.Rat).SetFloat64(least * 0.9)); !ok {
			t.Errorf("%d copies of %d and %d: no order exceeds %v", n, p, q, least*0.9)
		}
	}
}

// leastRho is sup D_α/α over α > 1 of a pair on two outcomes, by looking at many orders.
func leastRho(p, q float64) float64 {
	x, y := math.Log(p/q), math.Log((1-p)/(1-q))
	best := p*x + (1-p)*y
	for k := range 32_000 {
		s := math.Exp(float64(k)/2000 - 12)
		best = max(best, math.Log1p(p*math.Expm1(s*x)+(1-p)*math.Expm1(s*y))/(s*(1+s)))
	}
	return best
}

// TestInfiniteDivergences: an outcome that P alone has makes them infinite; one that Q alone has does not.
func TestInfiniteDivergences(t *testing.T) {
	half, zero := coq.Fraction(big.NewRat(1, 2)), coq.Fraction(new(big.Rat))
	one := coq.Operation('+', half, half)
	for _, c := range []struct {
		outcomes [][2]coq.Term
		infinite bool
	}{
		{[][2]coq.Term{{half, one}, {half, zero}}, true},
		{[][2]coq.Term{{one, half}, {zero, half}}, false},
		{[][2]coq.Term{{half, half}, {half, half}, {zero, zero}}, false},
	} {
		v := coq.NewCurve([]coq.Part{{Count: 3, Outcomes: c.outcomes}}, 64)
		want := interval.True
		if c.infinite {
			want = interval.False
		}
		if got := v.AtMost(big.NewRat(2, 1), big.NewRat(3, 1)); v.Infinite() != c.infinite || got != want || !v.Known(1) {
			t.Errorf("infinite: %v, D ≤ 3: %v, want %v", v.Infinite(), got, c.infinite)
		}
	}
}
