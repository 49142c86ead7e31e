// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Program is the linear program of one release: with half masses p that fall and have sum
// 1/2, z_i ≥ p_i − e^ε·p_{i+m} and z ≥ 0 over all 2N cells i, m cells of shift,
//
//	δ ≤ Σz,  U = Σ 2·Weights_k·p_k
//
// either Σz is least with U ≤ Most, or U is least with Σz ≤ Delta.
type Program struct {
	N, Shift    int
	Eps         float64
	Weights     []float64
	Delta, Most float64 // one of them is 0
}

// Fits reports whether the program is small enough: what one step costs grows with the cells and the
// square of the cells that one of them depends on.
func (l Program) Fits() bool {
	band := float64(min(4*((l.N+l.Shift-1)/l.Shift), l.N))
	return float64(l.N)*band*band <= 4e8
}

// fallingRows are the rows of a program, x = (p, z, t):
//
//	0 … 2N−1:  z_i ≥ 0
//	2N … 4N−1: z_i − p_i + e^ε·p_{i+m} ≥ 0
//	4N … 5N−1: p_k − p_{k+1} ≥ 0, p_N ≥ 0
//	5N:        t ≥ 0
//
// under the equations 2Σp = 1 and U + t = Most (Σz + t = Delta).
type fallingRows struct {
	Program
	grow   float64 // e^ε
	place  []int   // of a half cell in the order of the factorisation
	band   int
	factor mat.BandCholesky
	zz     []float64 // weights of the rows of z, see solve
	weight []float64
}

// Solve solves the program. The error says that it did not converge.
func (l Program) Solve(ctx context.Context) (Solution, error) {
	p := newProgramPoint(l)
	return p.run(ctx, p.solution)
}

// A programPoint is an interior point of a program.
type programPoint struct {
	interior
	of *fallingRows
}

func newProgramPoint(l Program) *programPoint {
	n := l.N
	rows := &fallingRows{Program: l, grow: math.Exp(l.Eps)}
	p := &programPoint{interior{system: rows, x: make([]float64, 3*n+1), cost: make([]float64, 3*n+1),
		right: make([]float64, 2)}, rows}
	for range p.right {
		p.rows = append(p.rows, make([]float64, 3*n+1))
	}
	scale := l.Weights[n-1]
	for k := range n {
		p.rows[0][k] = 2
		p.x[k] = (float64(n-k) - 0.5) / float64(n*n)
	}
	p.right[0] = 1
	utility, loss := p.cost, p.rows[1]
	if l.Delta == 0 {
		utility, loss = loss, utility
	}
	for k, w := range l.Weights {
		utility[k] = 2 * w / scale
	}
	for i := range 2 * n {
		loss[n+i] = 1
		p.x[n+i] = math.Max(0, -rows.row(p.x, i)) + 1/float64(n)
	}
	p.rows[1][3*n] = 1
	p.right[1] = l.Delta
	if l.Delta == 0 {
		p.right[1] = l.Most / scale
	}
	p.x[3*n] = 0.1
	p.start(5*n + 1)
	rows.arrange()
	return p
}

// cell returns the half cell of cell i of 2N, or −1 outside.
func (p *fallingRows) cell(i int) int { return cells(p.N).half(i) }

// row is −p_i + e^ε·p_{i+m}.
func (p *fallingRows) row(x []float64, i int) float64 {
	r := -x[p.cell(i)]
	if j := p.cell(i + p.Shift); j >= 0 {
		r += p.grow * x[j]
	}
	return r
}

// slacks sets s = Gx.
func (p *fallingRows) slacks(s, x []float64) {
	n := p.N
	for i := range 2 * n {
		s[i] = x[n+i]
		s[2*n+i] = x[n+i] + p.row(x, i)
	}
	for k := range n - 1 {
		s[4*n+k] = x[k] - x[k+1]
	}
	s[5*n-1] = x[n-1]
	s[5*n] = x[3*n]
}

// prices sets out = Gᵀy.
func (p *fallingRows) prices(out, y []float64) {
	n := p.N
	clear(out)
	for i := range 2 * n {
		out[n+i] = y[i] + y[2*n+i]
		out[p.cell(i)] -= y[2*n+i]
		if j := p.cell(i + p.Shift); j >= 0 {
			out[j] += p.grow * y[2*n+i]
		}
	}
	for k := range n - 1 {
		out[k] += y[4*n+k]
		out[k+1] -= y[4*n+k]
	}
	out[n-1] += y[5*n-1]
	out[3*n] = y[5*n]
}

// arrange orders half cells such that those that depend on each other are near: k depends on k ± 1,
// on k ± m and, over 0, on m − 1 − k. So all of one place within a shift, or of the mirrored
// place, are one group, and a group depends on the next ones only.
func (p *fallingRows) arrange() {
	n, m := p.N, p.Shift
	p.place = make([]int, n)
	at := 0
	for j := 0; j <= (m-1)/2; j++ {
		for b := 0; b < n; b += m {
			for _, k := range slices.Compact([]int{b + j, b + m - 1 - j}) {
				if k < n {
					p.place[k] = at
					at++
				}
			}
		}
	}
	p.pairs(func(a, b int) { p.band = max(p.band, abs(p.place[a]-p.place[b])) })
}

func abs(x int) int { return max(x, -x) }

// pairs visits all pairs of half cells in a row.
func (p *fallingRows) pairs(visit func(a, b int)) {
	for i := range 2 * p.N {
		if j := p.cell(i + p.Shift); j >= 0 {
			visit(p.cell(i), j)
		}
	}
	for k := range p.N - 1 {
		visit(k, k+1)
	}
}

// factorise: with the weights D₁ of z_i ≥ 0 and D₂ of the second
// row of i, eliminating z_i leaves that row with the weight D₁D₂/(D₁ + D₂).
func (p *fallingRows) factorise(weight []float64) bool {
	n := p.N
	p.weight = weight
	h := mat.NewSymBandDense(n, p.band, nil)
	add := func(a, b int, w float64) {
		i, j := p.place[a], p.place[b]
		if i > j {
			i, j = j, i
		}
		h.SetSymBand(i, j, h.At(i, j)+w)
	}
	p.zz = make([]float64, 2*n)
	for i := range 2 * n {
		p.zz[i] = p.weight[i] + p.weight[2*n+i]
		w := p.weight[i] * p.weight[2*n+i] / p.zz[i]
		a := p.cell(i)
		add(a, a, w)
		if b := p.cell(i + p.Shift); b >= 0 {
			add(b, b, w*p.grow*p.grow)
			if a == b {
				add(a, a, -2*w*p.grow)
			} else {
				add(a, b, -w*p.grow)
			}
		}
	}
	for k := range n {
		w := p.weight[4*n+k]
		add(k, k, w)
		if k+1 < n {
			add(k+1, k+1, w)
			add(k, k+1, -w)
		}
	}
	for k := range n {
		add(k, k, 1e-15*h.At(p.place[k], p.place[k]))
	}
	return p.factor.Factorize(h)
}

// solve returns H⁻¹r.
func (p *fallingRows) solve(r []float64) []float64 {
	n := p.N
	rhs := mat.NewVecDense(n, nil)
	put := func(k int, x float64) { rhs.SetVec(p.place[k], rhs.AtVec(p.place[k])+x) }
	for k := range n {
		put(k, r[k])
	}
	for i := range 2 * n {
		// z_i = (r_i − D₂·row_i(p))/(D₁ + D₂)
		x := p.weight[2*n+i] / p.zz[i] * r[n+i]
		put(p.cell(i), x)
		if j := p.cell(i + p.Shift); j >= 0 {
			put(j, -p.grow*x)
		}
	}
	var q mat.VecDense
	solveInto(&q, &p.factor, rhs)
	out := make([]float64, 3*n+1)
	for k := range n {
		out[k] = q.AtVec(p.place[k])
	}
	for i := range 2 * n {
		out[n+i] = (r[n+i] - p.weight[2*n+i]*p.row(out, i)) / p.zz[i]
	}
	out[3*n] = r[3*n] / p.weight[5*n]
	return out
}

// solution returns what is found so far. The price of Σz is 1, or, if Σz is bounded, −v₁.
func (p *programPoint) solution() Solution {
	n := p.of.N
	sol := Solution{Half: make([]float64, n), Phi: make([]float64, 2*n)}
	sum := 0.0
	for k := n - 1; k >= 0; k-- {
		sol.Half[k] = math.Max(p.x[k], 0)
		if k+1 < n {
			sol.Half[k] = math.Max(sol.Half[k], sol.Half[k+1])
		}
		sum += 2 * sol.Half[k]
	}
	for k := range sol.Half {
		sol.Half[k] /= sum
	}
	loss, utility := 1.0, -p.v[1]
	if p.of.Delta > 0 {
		loss, utility = -p.v[1], 1
	}
	if loss <= 0 {
		sol.Gap = math.Inf(1)
		return sol
	}
	for i := range sol.Phi {
		sol.Phi[i] = math.Min(math.Max(p.y[2*n+i]/loss, 0), 1)
	}
	sol.Price = math.Max(utility/loss/p.of.Weights[n-1], 0)
	sol.Gap = p.gap()
	return sol
}
