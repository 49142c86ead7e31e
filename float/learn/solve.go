// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"
)

// Solve solves the program. The error says that it did not converge.
func (l Program) Solve(ctx context.Context) (Solution, error) {
	p := newPoint(l)
	return p.run(ctx, p.solution)
}

// newPoint begins somewhere.
func newPoint(l Program) *interior {
	n := l.N
	r := rows{Program: l, grow: math.Exp(l.Eps), moves: l.shifts()}
	m := len(r.moves)
	at, size := n+r.zs(), n+r.zs()+m // of u
	if l.Delta == 0 {
		size += 2 // of U, and t
	}
	p := &interior{rows: r, x: make([]float64, size), cost: make([]float64, size)}
	equation := func(right float64) []float64 {
		row := make([]float64, size)
		p.equations, p.right = append(p.equations, row), append(p.right, right)
		return row
	}
	whole := equation(1)
	for k := range n {
		whole[k] = 2
		p.x[k] = (float64(n-k) - 0.5) / float64(n*n)
	}
	for j := range m {
		row := equation(l.Delta)
		for i := range 2 * n {
			row[n+2*n*j+i] = 1
		}
		row[at+j] = 1
		if l.Delta == 0 {
			row[size-1] = -1
		}
	}
	for z := range r.zs() {
		p.x[n+z] = math.Max(0, -r.row(p.x, z)) + 1/float64(n)
	}
	for i := at; i < size; i++ {
		p.x[i] = 0.1
	}
	utility, scale := p.cost, l.Weights[n-1]
	if l.Delta == 0 {
		utility = equation(l.Most / scale)
		utility[at+m] = 1
		p.cost[size-1] = 1
	}
	for k, w := range l.Weights {
		utility[k] = 2 * w / scale
	}
	p.arrange()
	p.start(size + r.zs())
	return p
}

// solution returns what is found so far. The price of Σz is −v₁, and that of U 1, or, if U is bounded, −v of its
// equation.
func (p *interior) solution() Solution {
	n := p.N
	sol := Solution{Half: make([]float64, n), Gap: p.gap()}
	sum := 0.0
	for k := n - 1; k >= 0; k-- {
		sol.Half[k] = math.Max(p.x[k], 0)
		if p.Shape == Falling && k+1 < n {
			sol.Half[k] = math.Max(sol.Half[k], sol.Half[k+1])
		}
		sum += 2 * sol.Half[k]
	}
	for k := range sol.Half {
		sol.Half[k] /= sum
	}
	if p.Shape != Falling {
		return sol
	}
	loss, utility := -p.v[1], 1.0
	if p.Delta == 0 {
		utility = -p.v[2]
	}
	if loss <= 0 {
		sol.Gap = math.Inf(1)
		return sol
	}
	for _, y := range p.y[len(p.x):] {
		sol.Phi = append(sol.Phi, math.Min(math.Max(y/loss, 0), 1))
	}
	sol.Price = math.Max(utility/loss/p.Weights[n-1], 0)
	return sol
}
