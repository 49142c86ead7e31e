// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package coq

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestWalksAreNarrow: walks show what is a millionth above the least ρ of copies of pairs on two outcomes, and no walk
// shows what is a millionth below it; there, an order exceeds it unless its powers of two miss the worst one.
func TestWalksAreNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testkit.Draws(4, 12, 12) {
		p, q, n := 1+rng.Int64N(99), 1+rng.Int64N(99), 1+rng.Int64N(20)
		if p == q {
			continue
		}
		part := Part{Count: n, Outcomes: [][2]Term{
			{Fraction(big.NewRat(p, 100)), Fraction(big.NewRat(q, 100))},
			{Fraction(big.NewRat(100-p, 100)), Fraction(big.NewRat(100-q, 100))},
		}}
		c := NewCurve([]Part{part}, 128)
		least := leastRho(float64(p)/100, float64(q)/100) * float64(n)
		above, below := new(big.Rat).SetFloat64(least*(1+1e-6)), new(big.Rat).SetFloat64(least*(1-1e-6))
		if w, ok := c.walk(above); !ok {
			t.Errorf("%d copies of %d and %d: no walk shows %v", n, p, q, least*(1+1e-6))
		} else if len(w.steps) > 400 {
			t.Errorf("%d copies of %d and %d: %d steps", n, p, q, len(w.steps))
		}
		if alpha, ok := c.exceeds(above); ok {
			t.Errorf("%d copies of %d and %d: %v at %v", n, p, q, least*(1+1e-6), alpha)
		}
		if _, ok := c.walk(below); ok {
			t.Errorf("%d copies of %d and %d: a walk shows %v", n, p, q, least*(1-1e-6))
		}
		if _, ok := c.exceeds(new(big.Rat).SetFloat64(least * 0.9)); !ok {
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
	half, zero := Fraction(big.NewRat(1, 2)), Fraction(new(big.Rat))
	one := Operation('+', half, half)
	for _, c := range []struct {
		outcomes [][2]Term
		infinite bool
	}{
		{[][2]Term{{half, one}, {half, zero}}, true},
		{[][2]Term{{one, half}, {zero, half}}, false},
		{[][2]Term{{half, half}, {half, half}, {zero, zero}}, false},
	} {
		v := NewCurve([]Part{{Count: 3, Outcomes: c.outcomes}}, 64)
		want := interval.True
		if c.infinite {
			want = interval.False
		}
		if got := v.atMost(big.NewRat(2, 1), big.NewRat(3, 1)); v.infinite != c.infinite || got != want || !v.known {
			t.Errorf("infinite: %v, D ≤ 3: %v, want %v", v.infinite, got, c.infinite)
		}
	}
}

// TestGaussianDivergences: a text is about all orders that are claimed, or about one that is exceeded, and never about
// a claim that D_α = αμ²/2 contradicts.
func TestGaussianDivergences(t *testing.T) {
	point := func(order, value int64) mechanism.RenyiPoint {
		return mechanism.RenyiPoint{Order: big.NewRat(order, 1), Value: big.NewRat(value, 1)}
	}
	both := []mechanism.Direction{mechanism.Remove, mechanism.Add}
	for _, c := range []struct {
		points   []mechanism.RenyiPoint
		rho      int64
		refute   bool
		theorems int // 0: no text
		parts    int
	}{
		{points: []mechanism.RenyiPoint{point(2, 4), point(3, 7)}, theorems: 2, parts: 4},
		{points: []mechanism.RenyiPoint{point(2, 4), point(3, 5)}},
		{points: []mechanism.RenyiPoint{point(2, 4), point(3, 5), point(4, 5)}, refute: true, theorems: 1, parts: 1},
		{points: []mechanism.RenyiPoint{point(2, 4), point(3, 7)}, refute: true},
		{rho: 2, theorems: 2},
		{rho: 1},
		{rho: 1, refute: true, theorems: 1},
		{rho: 2, refute: true},
	} {
		text, ok := GaussianDivergences(big.NewRat(4, 1), c.points, big.NewRat(c.rho, 1), c.refute, both)
		if ok != (c.theorems > 0) || strings.Count(text, "Theorem") != c.theorems || strings.Count(text, "divergence_at_most (")+strings.Count(text, "divergence_above (") != c.parts {
			t.Errorf("%v, ρ = %d, refute %v: %v, %s", c.points, c.rho, c.refute, ok, text)
		}
	}
}
