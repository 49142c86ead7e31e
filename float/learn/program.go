// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"errors"
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

// A Solution of a program. Phi, one number in [0, 1] a cell, and Price are its dual: with any φ and w,
// δ + wU has a lower bound for all noise.
type Solution struct {
	Half  []float64
	Phi   []float64
	Price float64
	Gap   float64 // of primal and dual, relative
}

// Fits reports whether the program is small enough: what one step costs grows with the cells and the
// square of the cells that one of them depends on.
func (l Program) Fits() bool {
	band := float64(min(4*((l.N+l.Shift-1)/l.Shift), l.N))
	return float64(l.N)*band*band <= 4e8
}

// An interior point of a program: x = (p, z, t), with slacks s > 0 and prices y > 0 of the rows
//
//	0 … 2N−1:  z_i ≥ 0
//	2N … 4N−1: z_i − p_i + e^ε·p_{i+m} ≥ 0
//	4N … 5N−1: p_k − p_{k+1} ≥ 0, p_N ≥ 0
//	5N:        t ≥ 0
//
// and v of the equations 2Σp = 1 and U + t = Most (Σz + t = Delta).
type interior struct {
	Program
	grow    float64 // e^ε
	x, s, y []float64
	v       [2]float64
	cost    []float64
	rows    [2][]float64 // of the equations
	right   [2]float64
	place   []int // of a half cell in the order of the factorisation
	band    int
	factor  mat.BandCholesky
	zz      []float64 // weights of the rows of z, see solve
	weight  []float64
}

// Solve runs Mehrotra's predictor and corrector. The error says that it did not converge.
func (l Program) Solve(ctx context.Context) (Solution, error) {
	p := newInterior(l)
	const steps, enough, patience = 120, 1e-10, 6
	best, worse := Solution{Gap: math.Inf(1)}, 0
	for range steps {
		if err := ctx.Err(); err != nil && best.Half == nil {
			return best, err
		}
		if sol := p.solution(); sol.Gap < best.Gap {
			best, worse = sol, 0
		} else {
			worse++
		}
		if best.Gap < enough || best.Gap < 1e-8 && worse > patience || ctx.Err() != nil || !p.step() {
			break
		}
	}
	if best.Gap > 1e-6 {
		return best, errors.New("learn: the linear program did not converge")
	}
	return best, nil
}

func newInterior(l Program) *interior {
	n := l.N
	p := &interior{Program: l, grow: math.Exp(l.Eps), x: make([]float64, 3*n+1), cost: make([]float64, 3*n+1), s: make([]float64, 5*n+1), y: make([]float64, 5*n+1)}
	for e := range p.rows {
		p.rows[e] = make([]float64, 3*n+1)
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
		p.x[n+i] = math.Max(0, -p.row(p.x, i)) + 1/float64(n)
	}
	p.rows[1][3*n] = 1
	p.right[1] = l.Delta
	if l.Delta == 0 {
		p.right[1] = l.Most / scale
	}
	p.x[3*n] = 0.1
	p.slacks(p.s, p.x)
	for i := range p.y {
		p.y[i] = 0.5
	}
	p.arrange()
	return p
}

// cell returns the half cell of cell i of 2N, or −1 outside.
func (p *interior) cell(i int) int {
	switch {
	case i >= 2*p.N:
		return -1
	case i >= p.N:
		return i - p.N
	}
	return p.N - 1 - i
}

// row is −p_i + e^ε·p_{i+m}.
func (p *interior) row(x []float64, i int) float64 {
	r := -x[p.cell(i)]
	if j := p.cell(i + p.Shift); j >= 0 {
		r += p.grow * x[j]
	}
	return r
}

// slacks sets s = Gx.
func (p *interior) slacks(s, x []float64) {
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
func (p *interior) prices(out, y []float64) {
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
func (p *interior) arrange() {
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
func (p *interior) pairs(visit func(a, b int)) {
	for i := range 2 * p.N {
		if j := p.cell(i + p.Shift); j >= 0 {
			visit(p.cell(i), j)
		}
	}
	for k := range p.N - 1 {
		visit(k, k+1)
	}
}

// factorise prepares solve for H = Gᵀ·diag(y/s)·G. With the weights D₁ of z_i ≥ 0 and D₂ of the second
// row of i, eliminating z_i leaves that row with the weight D₁D₂/(D₁ + D₂).
func (p *interior) factorise() bool {
	n := p.N
	p.weight = make([]float64, 5*n+1)
	for i := range p.weight {
		p.weight[i] = p.y[i] / p.s[i]
	}
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
func (p *interior) solve(r []float64) []float64 {
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
	if err := p.factor.SolveVecTo(&q, rhs); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) {
			panic("learn: internal error: " + err.Error())
		}
	}
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

// residuals are those of stationarity, of the slacks and of the equations.
func (p *interior) residuals() (dual, slack []float64, equal [2]float64) {
	dual = make([]float64, len(p.x))
	p.prices(dual, p.y)
	for i := range dual {
		dual[i] = p.cost[i] - dual[i] - p.v[0]*p.rows[0][i] - p.v[1]*p.rows[1][i]
	}
	slack = make([]float64, len(p.s))
	p.slacks(slack, p.x)
	for i := range slack {
		slack[i] -= p.s[i]
	}
	for e, row := range p.rows {
		equal[e] = p.right[e]
		for i, a := range row {
			equal[e] -= a * p.x[i]
		}
	}
	return dual, slack, equal
}

// step moves to the next interior point. It reports false where that is not possible any more.
func (p *interior) step() bool {
	if !p.factorise() {
		return false
	}
	dual, slack, equal := p.residuals()
	var columns [2][]float64 // H⁻¹ of the equations' rows
	var schur [2][2]float64
	for e := range columns {
		columns[e] = p.solve(p.rows[e])
	}
	for e := range columns {
		for f := range columns {
			schur[e][f] = dot(p.rows[e], columns[f])
		}
	}
	det := schur[0][0]*schur[1][1] - schur[0][1]*schur[1][0]
	if det <= 0 || math.IsNaN(det) {
		return false
	}
	// direction of the Newton system with complementarity s·dy + y·ds = c:
	// dy = (c − y·ds)/s, ds = G·dx + slack, hence H·dx = Gᵀ((c − y·slack)/s) − dual + Aᵀdv.
	direction := func(c []float64) (dx, ds, dy []float64, dv [2]float64) {
		ratio := make([]float64, len(p.s))
		for i := range ratio {
			ratio[i] = (c[i] - p.y[i]*slack[i]) / p.s[i]
		}
		r := make([]float64, len(p.x))
		p.prices(r, ratio)
		for i := range r {
			r[i] -= dual[i]
		}
		dx = p.solve(r)
		var q [2]float64
		for e := range q {
			q[e] = equal[e] - dot(p.rows[e], dx)
		}
		dv[0] = (q[0]*schur[1][1] - q[1]*schur[0][1]) / det
		dv[1] = (q[1]*schur[0][0] - q[0]*schur[1][0]) / det
		for i := range dx {
			dx[i] += dv[0]*columns[0][i] + dv[1]*columns[1][i]
		}
		ds = make([]float64, len(p.s))
		p.slacks(ds, dx)
		dy = make([]float64, len(p.s))
		for i := range ds {
			ds[i] += slack[i]
			dy[i] = (c[i] - p.y[i]*ds[i]) / p.s[i]
		}
		return dx, ds, dy, dv
	}
	mu := dot(p.s, p.y) / float64(len(p.s))
	c := make([]float64, len(p.s))
	for i := range c {
		c[i] = -p.s[i] * p.y[i]
	}
	_, ds, dy, _ := direction(c)
	a, b := reach(p.s, ds, 1), reach(p.y, dy, 1)
	after := 0.0
	for i := range c {
		after += (p.s[i] + a*ds[i]) * (p.y[i] + b*dy[i])
	}
	centre := math.Pow(after/float64(len(p.s))/mu, 3) * mu
	for i := range c {
		c[i] += centre - ds[i]*dy[i]
	}
	dx, ds, dy, dv := direction(c)
	a, b = reach(p.s, ds, 0.995), reach(p.y, dy, 0.995)
	if math.IsNaN(a) || math.IsNaN(b) || math.Max(a, b) < 1e-10 {
		return false
	}
	for i := range p.x {
		p.x[i] += a * dx[i]
	}
	for i := range p.s {
		p.s[i] += a * ds[i]
		p.y[i] += b * dy[i]
	}
	for e := range p.v {
		p.v[e] += b * dv[e]
	}
	return true
}

// reach returns the part, up to 1, of the longest step along d that leaves x positive.
func reach(x, d []float64, part float64) float64 {
	a := 1.0
	for i := range x {
		if d[i] < 0 {
			a = math.Min(a, -part*x[i]/d[i])
		}
		if math.IsNaN(d[i]) {
			return math.NaN()
		}
	}
	return a
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// solution returns what is found so far. The price of Σz is 1, or, if Σz is bounded, −v₁.
func (p *interior) solution() Solution {
	n := p.N
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
	if p.Delta > 0 {
		loss, utility = -p.v[1], 1
	}
	if loss <= 0 {
		sol.Gap = math.Inf(1)
		return sol
	}
	for i := range sol.Phi {
		sol.Phi[i] = math.Min(math.Max(p.y[2*n+i]/loss, 0), 1)
	}
	sol.Price = math.Max(utility/loss/p.Weights[n-1], 0)
	_, slack, equal := p.residuals()
	value := dot(p.cost, p.x)
	dual := p.v[0]*p.right[0] + p.v[1]*p.right[1]
	sol.Gap = math.Abs(value-dual)/(math.Abs(value)+1e-300) + math.Abs(equal[0]) + math.Abs(equal[1])/(math.Abs(p.right[1])+1e-300)
	for _, x := range slack {
		sol.Gap = math.Max(sol.Gap, math.Abs(x))
	}
	return sol
}
