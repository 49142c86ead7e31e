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
