// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"math"
	"testing"
)

// Optima that HiGHS has found for the same programs: of any shape, over all shifts or over the one by the
// sensitivity only, ε = 0.3, on [−5, 5].
func TestShapeProgram(t *testing.T) {
	for _, c := range []struct {
		parts            int
		most, all, falls float64
	}{{10, 1.5, 0.085989981, 0.086247560}, {10, 1, 0.176679922, 0.178166906}} {
		l := ShapeProgram{Program: program(c.parts, 0.3, c.most, 0)}
		got, err := l.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{N: l.N, Shift: l.Shift, Count: 1, Eps: l.Eps, Rate: 1}
		if d := p.WorstShift(got.Half); math.Abs(d-c.all) > 2e-8 {
			t.Errorf("U = %v: δ = %.9f, want %v", c.most, d, c.all)
		}
		falling := l.Program
		sol, err := falling.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := p.WorstShift(sol.Half); math.Abs(d-c.falls) > 2e-8 {
			t.Errorf("U = %v: δ = %.9f of falling noise, want %v", c.most, d, c.falls)
		}
		l.Only = true
		towers, err := l.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Single(towers.Half); d >= c.all || p.WorstShift(towers.Half) <= c.falls {
			t.Errorf("U = %v, one shift only: δ = %v there, and %v over all", c.most, d, p.WorstShift(towers.Half))
		}
		// The other way round: the least U at that δ is the U that it was found with.
		l.Only, l.Delta, l.Most = false, c.all, 0
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
