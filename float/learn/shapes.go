// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A ShapeProgram is the linear program of one release of symmetric noise of any shape: with half masses
// p ≥ 0 of sum 1/2, and for every shift j = 1 … m by whole cells, z_ji ≥ p_i − e^ε·p_{i+j} and z ≥ 0
// over all 2N cells i,
//
//	δ ≤ max_j Σ_i z_ji,  U = Σ 2·Weights_k·p_k
//
// which is δ for every shift up to m cells, whole or not [Sommer, Abfalterer, Zingg & Mohammadi
// 2021, Lemma 14]. Either δ is least with U ≤ Most, or U is least with δ ≤ Delta.
type ShapeProgram struct {
	Program
	// Only restricts the shifts to m itself: noise for answers that move by nothing else. What it finds
	// promises nothing of any other shift.
	Only bool
}

// Fits reports whether the program is small enough: a step costs about so many operations.
func (l ShapeProgram) Fits() bool {
	n, m := float64(l.N), float64(len(l.shifts()))
	return n*n*n/3+m*m*n*4+m*n*n*2 <= 4e8 && m*n <= 1e5
}

func (l ShapeProgram) shifts() []int {
	if l.Only {
		return []int{l.Shift}
	}
	var out []int
	for j := range l.Shift {
		out = append(out, j+1)
	}
	return out
}

// shapeRows are the rows of a shape program. x = (p, z, u, t), where u are what is left of δ ≥ Σ_i z_ji, one for each
// shift, and of U ≤ Most, if that is asked, and t is δ, if that is to be least:
//
//	x ≥ 0, one row for each
//	z_ji − p_i + e^ε·p_{i+j} ≥ 0, one row for each z
//
// under the equations 2Σp = 1, Σ_i z_ji + u_j = t (or Delta), and U + u = Most.
type shapeRows struct {
	ShapeProgram
	cells  cells
	grow   float64
	moves  []int
	factor mat.Cholesky
	weight []float64
}

// A shapePoint is an interior point of a shape program.
type shapePoint struct {
	interior
	of *shapeRows
}

// Solve solves the program. Of the solution only Half and Gap are set, and Half need not fall.
func (l ShapeProgram) Solve(ctx context.Context) (Solution, error) {
	p := newShapePoint(l)
	return p.run(ctx, p.solution)
}

func newShapePoint(l ShapeProgram) *shapePoint {
	n := l.N
	r := &shapeRows{ShapeProgram: l, cells: cells(n), grow: math.Exp(l.Eps), moves: l.shifts()}
	m, slacks := len(r.moves), len(r.moves)
	if l.Delta == 0 {
		slacks += 2 // of U, and t
	}
	size := n + 2*n*m + slacks
	at := n + 2*n*m // u
	p := &shapePoint{interior{system: r, x: make([]float64, size), cost: make([]float64, size)}, r}
	equation := func(right float64) []float64 {
		row := make([]float64, size)
		p.rows, p.right = append(p.rows, row), append(p.right, right)
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
	for i := range p.x[n:at] {
		p.x[n+i] = math.Max(0, -r.row(p.x, i)) + 1/float64(n)
	}
	for i := at; i < size; i++ {
		p.x[i] = 0.1
	}
	utility := p.cost
	scale := l.Weights[n-1]
	if l.Delta == 0 {
		utility = equation(l.Most / scale)
		utility[at+m] = 1
		p.cost[size-1] = 1
	}
	for k, w := range l.Weights {
		utility[k] = 2 * w / scale
	}
	p.start(size + 2*n*m)
	return p
}

// row is −p_i + e^ε·p_{i+j} of z number i.
func (p *shapeRows) row(x []float64, z int) float64 {
	a, b := p.ends(z)
	r := -x[a]
	if b >= 0 {
		r += p.grow * x[b]
	}
	return r
}

// ends are the half cells of a z: of the cell, and of that a shift further, −1 if there is none.
func (p *shapeRows) ends(z int) (a, b int) {
	i, j := z%(2*p.N), p.moves[z/(2*p.N)]
	return p.cells.half(i), p.cells.half(i + j)
}

func (p *shapeRows) zs() int { return 2 * p.N * len(p.moves) }

func (p *shapeRows) slacks(s, x []float64) {
	copy(s, x)
	for z := range p.zs() {
		s[len(x)+z] = x[p.N+z] + p.row(x, z)
	}
}

func (p *shapeRows) prices(out, y []float64) {
	copy(out, y)
	for z := range p.zs() {
		price := y[len(out)+z]
		a, b := p.ends(z)
		out[p.N+z] += price
		out[a] -= price
		if b >= 0 {
			out[b] += p.grow * price
		}
	}
}

// factorise: with the weights D₁ of z ≥ 0 and D₂ of its second row, eliminating z leaves that row of p with
// the weight D₁D₂/(D₁ + D₂). What remains is a full matrix of the size of p.
func (p *shapeRows) factorise(weight []float64) bool {
	n, size := p.N, len(weight)-p.zs()
	p.weight = weight
	h := mat.NewSymDense(n, nil)
	add := func(a, b int, w float64) { h.SetSym(a, b, h.At(a, b)+w) }
	for k := range n {
		add(k, k, weight[k]*(1+1e-15))
	}
	for z := range p.zs() {
		d1, d2 := weight[n+z], weight[size+z]
		w := d1 * d2 / (d1 + d2)
		a, b := p.ends(z)
		add(a, a, w)
		switch {
		case b < 0:
		case a == b:
			add(a, a, w*p.grow*p.grow-2*w*p.grow)
		default:
			add(b, b, w*p.grow*p.grow)
			add(a, b, -w*p.grow)
		}
	}
	return p.factor.Factorize(h)
}

func (p *shapeRows) solve(r []float64) []float64 {
	n, size := p.N, len(r)
	rhs := mat.NewVecDense(n, nil)
	put := func(k int, x float64) { rhs.SetVec(k, rhs.AtVec(k)+x) }
	for k := range n {
		put(k, r[k])
	}
	for z := range p.zs() {
		// z = (r_z − D₂·row(p))/(D₁ + D₂)
		d1, d2 := p.weight[n+z], p.weight[size+z]
		x := d2 / (d1 + d2) * r[n+z]
		a, b := p.ends(z)
		put(a, x)
		if b >= 0 {
			put(b, -p.grow*x)
		}
	}
	var q mat.VecDense
	solveInto(&q, &p.factor, rhs)
	out := make([]float64, size)
	for k := range n {
		out[k] = q.AtVec(k)
	}
	for z := range p.zs() {
		d1, d2 := p.weight[n+z], p.weight[size+z]
		out[n+z] = (r[n+z] - d2*p.row(out, z)) / (d1 + d2)
	}
	for i := n + p.zs(); i < size; i++ {
		out[i] = r[i] / p.weight[i]
	}
	return out
}

func (p *shapePoint) solution() Solution {
	sol := Solution{Half: make([]float64, p.of.N), Gap: p.gap()}
	sum := 0.0
	for k := range sol.Half {
		sol.Half[k] = math.Max(p.x[k], 0)
		sum += 2 * sol.Half[k]
	}
	for k := range sol.Half {
		sol.Half[k] /= sum
	}
	return sol
}

// WorstShift returns δ of one release of symmetric noise by its definition, over all shifts of whole cells.
func (p Problem) WorstShift(half []float64) float64 {
	n := cells(p.N)
	grow, most := math.Exp(p.Eps), 0.0
	for j := 1; j <= p.Shift; j++ {
		sum := 0.0
		for i := range 2 * p.N {
			x := half[n.half(i)]
			if b := n.half(i + j); b >= 0 {
				x -= grow * half[b]
			}
			sum += math.Max(0, x)
		}
		most = math.Max(most, sum)
	}
	return most
}
