// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The gradient by the parameters of a stack is the difference quotient; its masses are symmetric by
// construction, and fall.
func TestStackBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newStack(40, 12, 1)
	s.theta[0] = 0.3
	for j := range s.steps {
		s.theta[1+s.steps+j] = 40 * r.Float64()
	}
	c := make([]float64, s.cells)
	for k := range c {
		c[k] = r.NormFloat64()
	}
	value := func(i int, x float64) (sum float64) {
		moved := &stack{s.cells, s.steps, slices.Clone(s.theta)}
		moved.theta[i] += x
		p, _ := moved.half()
		for k := range p {
			sum += c[k] * p[k]
		}
		return sum
	}
	p, sum := s.half()
	for k := 1; k < len(p); k++ {
		if p[k] > p[k-1] {
			t.Fatalf("mass %d rises", k)
		}
	}
	g := s.back(p, c, sum)
	for i := range s.theta {
		const step = 1e-6
		if d := (value(i, step) - value(i, -step)) / (2 * step); math.Abs(d-g[i]) > 1e-6 {
			t.Errorf("parameter %d: %v, want %v", i, g[i], d)
		}
	}
}

// The subgradient of one release by its definition.
func TestSingleGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, p := range []Problem{{N: 30, Shift: 4, Count: 1, Eps: 0.3, Rate: 1}, {N: 30, Shift: 4, Count: 1, Eps: 0.3, Rate: 0.25}} {
		half := falling(r, p.N)
		d, g := p.single(half)
		if want := math.Max(bruteDelta(p, half, Remove), bruteDelta(p, half, Add)); math.Abs(d-want) > 1e-12 {
			t.Errorf("δ = %v, want %v", d, want)
		}
		// δ is convex: it lies above every tangent.
		for range 50 {
			other := falling(r, p.N)
			tangent := d
			for k := range half {
				tangent += g[k] * (other[k] - half[k])
			}
			if e := p.Single(other); e < tangent-1e-12 {
				t.Errorf("δ = %v, and %v on the tangent", e, tangent)
			}
		}
	}
}

// The gradients of the losses of the paper are difference quotients, by masses and by λ; the losses bound δ from above,
// but for the softness of the comparison of LossPDP.
func TestLossGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, p := range []Problem{{N: 20, Shift: 3, Count: 1, Eps: 0.3, Rate: 1}, {N: 20, Shift: 3, Count: 4, Eps: 0.3, Rate: 1}, {N: 20, Shift: 3, Count: 2, Eps: 0.3, Rate: 0.25}} {
		half := falling(r, p.N)
		const lambda = 1.5
		ma, g, byLambda := p.moments(half, lambda)
		const h = 1e-7
		other, _, _ := p.moments(half, lambda+h)
		if d := (other - ma) / h; math.Abs(d-byLambda) > 1e-4*(1+math.Abs(d)) {
			t.Errorf("%v: by λ %v, difference %v", p, byLambda, d)
		}
		pdp, gp := p.pdp(half)
		for k := range half {
			x := half[k]
			step := 1e-6 * x
			half[k] = x + step
			up, _, _ := p.moments(half, lambda)
			upPDP, _ := p.pdp(half)
			half[k] = x - step
			down, _, _ := p.moments(half, lambda)
			downPDP, _ := p.pdp(half)
			half[k] = x
			if d := (up - down) / (2 * step); math.Abs(d-g[k]) > 1e-4*(1+math.Abs(d)) {
				t.Errorf("%v: LossMA by mass %d: %v, difference %v", p, k, g[k], d)
			}
			if d := (upPDP - downPDP) / (2 * step); math.Abs(d-gp[k]) > 1e-2*(1+math.Abs(d)) {
				t.Errorf("%v: LossPDP by mass %d: %v, difference %v", p, k, gp[k], d)
			}
		}
		if d := math.Max(bruteDelta(p, half, Remove), bruteDelta(p, half, Add)); p.Count < 4 && ma < d || p.Count == 1 && pdp < d-0.01 {
			t.Errorf("%v: LossMA %v and LossPDP %v, and δ %v", p, ma, pdp, d)
		}
	}
}

// LossPDP of a composition is the sum over pairs of losses, its gradient the difference quotient; it is above δ but for
// its softness.
func TestComparisonOfCompositions(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, p := range []Problem{{N: 12, Shift: 3, Count: 2, Eps: 0.3, Rate: 1}, {N: 12, Shift: 3, Count: 2, Eps: 0.3, Rate: 0.25}, {N: 8, Shift: 2, Count: 3, Eps: 1, Rate: 1}} {
		half := falling(r, p.N)
		c := &search{Goal: Goal{Problem: p}, splitting: Splitting, soft: true}
		c.refresh(half)
		got, g := c.value(half)
		brute := func(half []float64) (worst float64) {
			for _, o := range []Order{Remove, Add} {
				a, b := p.pair(o, half)
				losses := finite(a, b)
				sum := 0.0
				var add func(left int, mass, loss float64)
				add = func(left int, mass, loss float64) {
					if left == 0 {
						x, _ := p.indicator(loss)
						sum += mass * x
						return
					}
					for i := range a {
						switch {
						case a[i] <= 0:
						case b[i] <= 0:
							add(0, mass*a[i], math.Inf(1))
						default:
							add(left-1, mass*a[i], loss+losses[i])
						}
					}
				}
				add(p.Count, 1, 0)
				worst = math.Max(worst, sum)
			}
			return worst
		}
		if want := brute(half); math.Abs(got-want) > 2e-3 {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
		if d := math.Max(bruteDelta(p, half, Remove), bruteDelta(p, half, Add)); got < d-0.02 {
			t.Errorf("%v: %v, and δ = %v", p, got, d)
		}
		for k := range half {
			x, step := half[k], 1e-5*half[k]
			half[k] = x + step
			up, _ := c.value(half)
			half[k] = x - step
			down, _ := c.value(half)
			half[k] = x
			if d := (up - down) / (2 * step); math.Abs(d-g[k]) > 2e-2*(1+math.Abs(d)) {
				t.Errorf("%v: by mass %d: %v, difference %v", p, k, g[k], d)
			}
		}
	}
}
