// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package optimum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/ask/noise"
	"dpverify/float/learn"
)

// Of one entry the vector is the noise itself: the bound is its δ, and what balls show, as in more dimensions, is
// nowhere above it.
func TestRotatedInOneDimension(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 60 {
		g := noise.Grid{N: 2 + r.IntN(20), Shift: 2 + r.IntN(6), Cell: big.NewRat(1, 3)}
		half := make([]float64, g.N)
		x := 1.0
		for k := range half {
			x *= math.Pow(r.Float64(), r.Float64())
			half[k] = x
		}
		half = noise.Normalised(half)
		eps := r.Float64()
		rational := new(big.Rat)
		rational.SetFloat64(eps)
		b, err := Rotated(g.Event(noise.Round(half)), 1, rational)
		if err != nil {
			t.Fatal(err)
		}
		low, _ := b.Float64()
		grow := new(big.Rat)
		grow.SetFloat64(math.Exp(eps) * (1 + 1e-15))
		if ball := byBalls(g.Event(noise.Round(half)), 1, grow); ball.Cmp(b) > 0 {
			t.Errorf("at least %v by a ball, and δ is %v", ball.FloatString(9), low)
		}
		if d := (learn.Problem{N: g.N, Shift: g.Shift, Count: 1, Eps: eps, Rate: 1}).Single(half); low > d*(1+1e-9)+1e-12 || low < d*(1-1e-9)-1e-12 {
			t.Errorf("at least %v, and δ is %v", low, d)
		}
	}
}

// Sommer et al. 2021, §4.4: a radius that is private in one dimension is not in three. Laplace noise of scale 1/ε, cut
// at 20 sensitivities, has δ(0.3) < 0.001; the vector has δ(0.3) > 0.1. Draws of the vector say the same, and the bound
// rises with the dimension.
func TestRotationIsNotPrivate(t *testing.T) {
	eps := big.NewRat(3, 10)
	g := noise.Grid{N: 400, Shift: 20, Cell: big.NewRat(1, 20)}
	half := noise.Families[1].Half(g, 0.3, 1/0.3)
	e := g.Event(noise.Round(half))
	if d := (learn.Problem{N: g.N, Shift: g.Shift, Count: 1, Eps: 0.3, Rate: 1}).Single(half); d > 0.001 {
		t.Fatalf("δ = %v in one dimension", d)
	}
	last := 0.0
	for _, d := range []int{2, 3, 10, 1000} {
		b, err := Rotated(e, d, eps)
		if err != nil {
			t.Fatal(err)
		}
		low, _ := b.Float64()
		if low < last || d == 3 && low < 0.1 || d == 1000 && low < 0.24 || low > 0.2592 { // 1 − e^−0.3 = P(|R| < 1)
			t.Errorf("%d entries: δ(0.3) ≥ %v, %v before", d, low, last)
		}
		last = low
	}
	s, err := noise.NewSampler(e, rand.NewChaCha8([32]byte{9}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := noise.NewRotation(s, e.Cell, 3)
	if err != nil {
		t.Fatal(err)
	}
	const draws, eta = 40000, 0.5
	in, there := 0.0, 0.0
	for range draws {
		x, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		rest := x[1]*x[1] + x[2]*x[2]
		if x[0]*x[0]+rest < eta*eta {
			in++
		}
		if (x[0]+1)*(x[0]+1)+rest < eta*eta {
			there++
		}
	}
	if d := (in - math.Exp(0.3)*there) / draws; d < 0.11 {
		t.Errorf("δ of the ball of radius 1/2 is about %v", d)
	}
	for _, d := range []int{0, -3, 1 << 30} {
		if _, err := Rotated(e, d, eps); err == nil {
			t.Errorf("dimension %d", d)
		}
	}
}
