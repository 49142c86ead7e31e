// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Shape says which symmetric noise a program finds.
type Shape int

const (
	// Falling noise falls on both sides of 0, so that a shift by m cells is the worst.
	Falling Shape = iota
	// AnyShape is noise of any shape, with every shift up to m cells, whole or not [Sommer, Abfalterer, Zingg & Mohammadi
	// 2021, Lemma 14].
	AnyShape
	// OneShift is noise of any shape for answers that move by m cells and nothing else. It promises nothing of any other
	// shift.
	OneShift
)

// A Program is the linear program of one release: with half masses p of sum 1/2, which fall or are at least 0, and with
// z_ji ≥ p_i − e^ε·p_{i+j} and z ≥ 0 over all 2N cells i, for every shift j by whole cells,
//
//	δ ≤ max_j Σ_i z_ji,  U = Σ 2·Weights_k·p_k
//
// either δ is least with U ≤ Most, or U is least with δ ≤ Delta.
type Program struct {
	N, Shift    int
	Eps         float64
	Weights     []float64
	Delta, Most float64 // one of them is 0
	Shape       Shape
}

// Fits reports whether the program is small enough: what one step costs grows with the cells and the
// square of the cells that one of them depends on, which are all of them unless the noise falls.
func (l Program) Fits() bool {
	n, m := float64(l.N), float64(len(l.shifts()))
	if l.Shape == Falling {
		band := float64(min(4*((l.N+l.Shift-1)/l.Shift), l.N))
		return n*band*band <= 4e8
	}
	return n*n*n/3+m*m*n*4+m*n*n*2 <= 4e8 && m*n <= 1e5
}

// shifts are those of the noise that count.
func (l Program) shifts() (out []int) {
	for j := 1; j <= l.Shift; j++ {
		if j == l.Shift || l.Shape == AnyShape {
			out = append(out, j)
		}
	}
	return out
}

// cells are 2N cells and their N halves.
type cells int

// half returns the half cell of cell i of 2N, or −1 outside.
func (n cells) half(i int) int {
	switch {
	case i >= 2*int(n):
		return -1
	case i >= int(n):
		return i - int(n)
	}
	return int(n) - 1 - i
}

// The rows of a program, x = (p, z, u, t), where u are what is left of δ ≥ Σ_i z_ji, one for each shift, and of
// U ≤ Most, if that is asked, and t is δ, if that is to be least:
//
//	x ≥ 0, one row for each; but of noise that falls p_k − p_{k+1} ≥ 0, p_N ≥ 0 in place of p ≥ 0
//	z_ji − p_i + e^ε·p_{i+j} ≥ 0, one row for each z
//
// under the equations 2Σp = 1, Σ_i z_ji + u_j = t (or Delta), and U + u = Most.
type rows struct {
	Program
	grow   float64 // e^ε
	moves  []int
	place  []int // of a half cell in the order of the factorisation
	band   int
	factor mat.BandCholesky
	weight []float64
}

// row is −p_i + e^ε·p_{i+j} of z number i.
func (p *rows) row(x []float64, z int) float64 {
	a, b := p.ends(z)
	r := -x[a]
	if b >= 0 {
		r += p.grow * x[b]
	}
	return r
}

// ends are the half cells of a z: of the cell, and of that a shift further, −1 if there is none.
func (p *rows) ends(z int) (a, b int) {
	i, j := z%(2*p.N), p.moves[z/(2*p.N)]
	return cells(p.N).half(i), cells(p.N).half(i + j)
}

func (p *rows) zs() int { return 2 * p.N * len(p.moves) }

// slacks sets s = Gx for the rows Gx ≥ 0.
func (p *rows) slacks(s, x []float64) {
	copy(s, x)
	if p.Shape == Falling {
		for k := range p.N - 1 {
			s[k] -= x[k+1]
		}
	}
	for z := range p.zs() {
		s[len(x)+z] = x[p.N+z] + p.row(x, z)
	}
}

// prices sets out = Gᵀy.
func (p *rows) prices(out, y []float64) {
	copy(out, y)
	if p.Shape == Falling {
		for k := range p.N - 1 {
			out[k+1] -= y[k]
		}
	}
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

// arrange orders half cells such that those that depend on each other are near. Of falling noise k depends on k ± 1, on
// k ± m and, over 0, on m − 1 − k: so all of one place within a shift, or of the mirrored place, are one group, and a
// group depends on the next ones only.
func (p *rows) arrange() {
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
	near := func(a, b int) { p.band = max(p.band, p.place[a]-p.place[b], p.place[b]-p.place[a]) }
	for z := range p.zs() {
		if a, b := p.ends(z); b >= 0 {
			near(a, b)
		}
	}
	for k := range n - 1 {
		near(k, k+1)
	}
}

// factorise prepares solve for H = Gᵀ·diag(weight)·G; false if that is not possible. With the weights D₁ of z ≥ 0 and
// D₂ of its second row, eliminating z leaves that row of p with the weight D₁D₂/(D₁ + D₂).
func (p *rows) factorise(weight []float64) bool {
	n, size := p.N, len(weight)-p.zs()
	p.weight = weight
	h := mat.NewSymBandDense(n, p.band, nil)
	add := func(a, b int, w float64) {
		i, j := p.place[a], p.place[b]
		if i > j {
			i, j = j, i
		}
		h.SetSymBand(i, j, h.At(i, j)+w)
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
	for k, w := range weight[:n] {
		add(k, k, w)
		if p.Shape == Falling && k+1 < n {
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
func (p *rows) solve(r []float64) []float64 {
	n, size := p.N, len(r)
	rhs := mat.NewVecDense(n, nil)
	put := func(k int, x float64) { rhs.SetVec(p.place[k], rhs.AtVec(p.place[k])+x) }
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
		out[k] = q.AtVec(p.place[k])
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

// solveInto solves a factorised system; that it is ill-conditioned is known.
func solveInto(x *mat.VecDense, factor interface {
	SolveVecTo(dst *mat.VecDense, b mat.Vector) error
}, b mat.Vector) {
	if err := factor.SolveVecTo(x, b); err != nil {
		var c mat.Condition
		if !errors.As(err, &c) {
			panic("learn: internal error: " + err.Error())
		}
	}
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
