// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/internal/testkit"
)

// falling returns random half masses that fall.
func falling(r *rand.Rand, n int) []float64 {
	p := make([]float64, n)
	v, sum := 0.0, 0.0
	for k := range p {
		if r.IntN(3) > 0 {
			v += 0.2 * r.Float64()
		}
		p[k] = math.Exp(-v)
		sum += 2 * p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// bruteDelta is δ(ε) of at most three releases, outcome by outcome.
func bruteDelta(p Problem, half []float64, o Order) float64 {
	a, b := p.pair(o, half)
	delta := 0.0
	var walk func(k int, pa, pb float64)
	walk = func(k int, pa, pb float64) {
		if k == 0 {
			delta += math.Max(0, pa-math.Exp(p.Eps)*pb)
			return
		}
		for i := range a {
			if a[i] > 0 {
				walk(k-1, pa*a[i], pb*b[i])
			}
		}
	}
	walk(p.Count, 1, 1)
	return delta
}

func TestDeltaIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range testkit.Draws(4, 12, 12) {
		p := Problem{N: 6 + r.IntN(8), Shift: 1 + r.IntN(4), Count: 1 + i%3, Eps: 0.05 + 0.5*r.Float64(), Rate: 1}
		if i >= 6 {
			p.Rate = 0.3
		}
		half := falling(r, p.N)
		for _, o := range []Order{Remove, Add} {
			want := bruteDelta(p, half, o)
			got := NewProfile(p, o, half, 1e-7).Delta(half)
			if math.Abs(got-want) > 1e-3*want+1e-12 {
				t.Errorf("%+v, order %d: δ = %v, want %v", p, o, got, want)
			}
		}
	}
}

// The gradient is the difference quotient, up to the kinks of the grid.
func TestGradientsAreDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, p := range []Problem{
		{N: 80, Shift: 4, Count: 8, Eps: 0.3, Rate: 1}, {N: 200, Shift: 4, Count: 64, Eps: 0.3, Rate: 1}, {N: 60, Shift: 5, Count: 4, Eps: 0.3, Rate: 0.2}, {N: 70, Shift: 5, Count: 2, Eps: 0.3, Rate: 1}, {N: 70, Shift: 5, Count: 2, Eps: 0.3, Rate: 0.3},
	} {
		half := make([]float64, p.N)
		sum := 0.0
		for k := range half {
			x := 3 * float64(k) / float64(p.N)
			half[k] = math.Exp(-x*x/2 + 0.01*r.Float64())
			sum += 2 * half[k]
		}
		direction := make([]float64, p.N)
		for k := range half {
			half[k] /= sum
			direction[k] = half[k] * math.Sin(float64(k)/9)
		}
		e := NewProfile(p, Remove, half, 1e-6)
		_, g := e.Gradient(half)
		want := 0.0
		const step = 1e-5
		up, down := make([]float64, p.N), make([]float64, p.N)
		for k := range half {
			want += g[k] * direction[k]
			up[k], down[k] = half[k]+step*direction[k], half[k]-step*direction[k]
		}
		if got := (e.Delta(up) - e.Delta(down)) / (2 * step); math.Abs(got-want) > 1e-3*math.Abs(want) {
			t.Errorf("%+v: the difference is %v, the gradient %v", p, got, want)
		}
	}
}

// The derivative by slopes is that by masses, carried over.
func TestSlopesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, knots := range [][]float64{EveryCell(30), Knots(30, 6)} {
		s := NewSlopes(30, knots)
		theta := make([]float64, s.knots)
		for i := range theta {
			theta[i] = 0.2 * r.Float64()
		}
		p := s.half(theta)
		if !slices.IsSortedFunc(p, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Fatal("masses do not fall")
		}
		c := make([]float64, len(p))
		for k := range c {
			c[k] = r.Float64()
		}
		value := func(theta []float64) (sum float64) {
			for k, x := range s.half(theta) {
				sum += c[k] * x
			}
			return sum
		}
		g := s.back(p, c)
		for i := range theta {
			const step = 1e-6
			up, down := slices.Clone(theta), slices.Clone(theta)
			up[i] += step
			down[i] -= step
			if d := (value(up) - value(down)) / (2 * step); math.Abs(d-g[i]) > 1e-7 {
				t.Errorf("θ_%d: %v, want %v", i, g[i], d)
			}
		}
		if back := s.half(s.fit(p)); len(knots) == 29 {
			for k := range p {
				if math.Abs(back[k]-p[k]) > 1e-12 {
					t.Errorf("mass %d is %v, fitted %v", k, p[k], back[k])
				}
			}
		}
	}
}

// The least of a quadratic on x ≥ 0, some of whose variables end at 0.
func TestMinimise(t *testing.T) {
	target := []float64{1, -2, 3, -0.5, 0.25}
	f := func(x []float64) (float64, []float64) {
		v, g := 0.0, make([]float64, len(x))
		for i := range x {
			w := math.Pow(10, float64(i))
			v += w * (x[i] - target[i]) * (x[i] - target[i]) / 2
			g[i] = w * (x[i] - target[i])
		}
		return v, g
	}
	x := minimise(context.Background(), f, []float64{5, 5, 5, 5, 5}, 500, 1e-15)
	for i := range x {
		if want := math.Max(0, target[i]); math.Abs(x[i]-want) > 1e-5 {
			t.Errorf("x_%d = %v, want %v", i, x[i], want)
		}
	}
}

// What is learned beats where it began, and keeps its constraint.
func TestLearnImproves(t *testing.T) {
	p := Problem{N: 24, Shift: 2, Count: 4, Eps: 0.5, Rate: 1}
	start := make([]float64, p.N)
	weights := make([]float64, p.N)
	sum := 0.0
	for k := range start {
		x := (float64(k) + 0.5) / 2
		start[k] = math.Exp(-x * x / 32)
		weights[k] = x
		sum += 2 * start[k]
	}
	u := 0.0
	for k := range start {
		start[k] /= sum
		u += 2 * weights[k] * start[k]
	}
	before := NewProfile(p, Remove, start, 1e-5).Delta(start)
	x := Learn(context.Background(), Goal{Problem: p, Weights: weights, Most: u}, EveryCell(p.N), start, 5, Splitting, func(State) {})
	if x.Delta > 0.995*before || x.Utility > u*(1+1e-3) {
		t.Errorf("δ %v from %v, utility %v from %v", x.Delta, before, x.Utility, u)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if z := Learn(over, Goal{Problem: p, Weights: weights, Most: u}, EveryCell(p.N), start, 5, Splitting, func(State) {}); z.Half == nil {
		t.Error("nothing is left of an interrupted search")
	}
	if !testkit.Long() {
		return // the other form is tested by what ask/noise/learned learns with it
	}
	y := Learn(context.Background(), Goal{Problem: p, Weights: weights, Delta: before}, EveryCell(p.N), start, 5, Splitting, func(State) {})
	if y.Utility > 0.999*u || y.Delta > before*(1+1e-2) {
		t.Errorf("utility %v from %v, δ %v from %v", y.Utility, u, y.Delta, before)
	}
}
