// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"
	"testing"
)

// program is the one of a range of 5 and a shift of 1.
func program(m int, eps, u, delta float64) Program {
	l := Program{N: 5 * m, Shift: m, Eps: eps, Most: u, Delta: delta}
	for k := range l.N {
		l.Weights = append(l.Weights, (float64(k)+0.5)/float64(m))
	}
	return l
}

// Optima that HiGHS has found for the same programs.
func TestProgram(t *testing.T) {
	for _, c := range []struct {
		m       int
		u, want float64
	}{{10, 1, 0.178166906}, {10, 1.5, 0.086247560}, {20, 5, 0.050242684}, {100, 5, 0.050242684}} {
		l := program(c.m, 0.3, c.u, 0)
		s, err := l.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{N: l.N, Shift: l.Shift, Count: 1, Eps: l.Eps, Rate: 1}
		if d := p.Single(s.Half); math.Abs(d-c.want) > 1e-8 {
			t.Errorf("m = %d, U ≤ %v: δ = %.10f, want %v", c.m, c.u, d, c.want)
		}
		// The other form has the same solution.
		l = program(c.m, 0.3, 0, c.want+1e-10)
		if c.u < 2 {
			s, err = l.Solve(context.Background())
			u := 0.0
			for k, w := range l.Weights {
				u += 2 * w * s.Half[k]
			}
			if err != nil || math.Abs(u-c.u) > 1e-6 {
				t.Errorf("m = %d, δ ≤ %v: U = %v, %v", c.m, c.want, u, err)
			}
		}
	}
}

// Cells that do not divide the shift's mirror evenly, and a shift wider than the noise.
func TestProgramsOfAnyShape(t *testing.T) {
	for _, c := range []struct{ n, m int }{{1, 1}, {2, 1}, {7, 3}, {5, 5}, {3, 8}, {40, 7}, {13, 1}} {
		l := Program{N: c.n, Shift: c.m, Eps: 0.5, Most: float64(c.n)}
		for k := range c.n {
			l.Weights = append(l.Weights, float64(k)+0.5)
		}
		s, err := l.Solve(context.Background())
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		p := Problem{N: c.n, Shift: c.m, Count: 1, Eps: 0.5, Rate: 1}
		flat := make([]float64, c.n)
		for k := range flat {
			flat[k] = 0.5 / float64(c.n)
		}
		if d := p.Single(s.Half); d > p.Single(flat)+1e-9 {
			t.Errorf("%+v: δ = %v, and %v of flat noise", c, d, p.Single(flat))
		}
	}
}

// Optima that HiGHS has found for the same programs: of any shape, over all shifts or over the one by the
// sensitivity only, ε = 0.3, on [−5, 5].
func TestShapeProgram(t *testing.T) {
	for _, c := range []struct {
		parts            int
		most, all, falls float64
	}{{10, 1.5, 0.085989981, 0.086247560}, {10, 1, 0.176679922, 0.178166906}} {
		l := program(c.parts, 0.3, c.most, 0)
		l.Shape = AnyShape
		got, err := l.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{N: l.N, Shift: l.Shift, Count: 1, Eps: l.Eps, Rate: 1}
		if d := p.WorstShift(got.Half); math.Abs(d-c.all) > 2e-8 {
			t.Errorf("U = %v: δ = %.9f, want %v", c.most, d, c.all)
		}
		falling := l
		falling.Shape = Falling
		sol, err := falling.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := p.WorstShift(sol.Half); math.Abs(d-c.falls) > 2e-8 {
			t.Errorf("U = %v: δ = %.9f of falling noise, want %v", c.most, d, c.falls)
		}
		l.Shape = OneShift
		towers, err := l.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Single(towers.Half); d >= c.all || p.WorstShift(towers.Half) <= c.falls {
			t.Errorf("U = %v, one shift only: δ = %v there, and %v over all", c.most, d, p.WorstShift(towers.Half))
		}
		// The other way round: the least U at that δ is the U that it was found with.
		l.Shape, l.Delta, l.Most = AnyShape, c.all, 0
		back, err := l.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		u := 0.0
		for k, w := range l.Weights {
			u += 2 * w * back.Half[k]
		}
		if math.Abs(u-c.most) > 1e-6 {
			t.Errorf("δ = %v: U = %v, want %v", c.all, u, c.most)
		}
	}
}
