// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package participation says how far the values of one record can move the answer of a matrix mechanism: the
// sensitivity of a matrix under a pattern of participation, squared, in exact rationals.
//
// A record takes part in steps i₁ < … < i_m, m ≤ MaxParticipations, that are MinSeparation apart or more, with vectors
// u of norm up to 1. With c_i the columns of the matrix and G = CᵀC, it moves the answer by Σ c_i⊗u_i, of the squared
// norm
//
//	Σ_{i,j} G_ij·⟨u_i, u_j⟩,
//
// whose greatest value over patterns and vectors is the sensitivity, squared.
package participation

import (
	"math/big"
	"slices"
)

// A Matrix is lower triangular, by columns.
type Matrix struct {
	columns [][]cell // by rows
	den     *big.Int // values are integers over it
	// toeplitz is its first column if it is given by that.
	toeplitz []*big.Int
	steps    int
}

type cell struct {
	row   int
	value *big.Int
}

// A Pattern says in which steps a record may take part.
type Pattern struct{ MinSeparation, MaxParticipations int64 }

// An Entry is a number of a matrix; rows and columns count from 0, column ≤ row.
type Entry struct {
	Row, Column int
	Value       *big.Rat
}

// New returns a matrix with so many steps. Requires: entries are different places of the lower triangle, by rows.
func New(steps int, entries []Entry) Matrix {
	m := Matrix{columns: make([][]cell, steps), den: big.NewInt(1), steps: steps}
	for _, e := range entries {
		m.den = lcm(m.den, e.Value.Denom())
	}
	for _, e := range entries {
		m.columns[e.Column] = append(m.columns[e.Column], cell{e.Row, m.over(e.Value)})
	}
	m.recognise()
	return m
}

// recognise finds out that each column is the first one, moved down.
func (m *Matrix) recognise() {
	first := m.columns[0]
	for j, column := range m.columns {
		for i, x := range first {
			if x.row+j >= m.steps {
				if i != len(column) {
					return
				}
				break
			}
			if i >= len(column) || column[i].row != x.row+j || column[i].value.Cmp(x.value) != 0 || i == len(first)-1 &&
				i != len(column)-1 {
				return
			}
		}
		if len(first) == 0 && len(column) > 0 {
			return
		}
	}
	m.toeplitz = []*big.Int{}
	for _, x := range first {
		for len(m.toeplitz) < x.row {
			m.toeplitz = append(m.toeplitz, new(big.Int))
		}
		m.toeplitz = append(m.toeplitz, x.value)
	}
}

// Toeplitz returns the matrix with the entry first[i−j] in row i and column j.
func Toeplitz(steps int, first []*big.Rat) Matrix {
	m := Matrix{den: big.NewInt(1), steps: steps}
	for _, x := range first {
		m.den = lcm(m.den, x.Denom())
	}
	for _, x := range first {
		m.toeplitz = append(m.toeplitz, m.over(x))
	}
	return m
}

func lcm(a, b *big.Int) *big.Int {
	g := new(big.Int).GCD(nil, nil, a, b)
	return g.Mul(g.Quo(a, g), b)
}

func (m Matrix) over(x *big.Rat) *big.Int {
	n := new(big.Int).Quo(m.den, x.Denom())
	return n.Mul(n, x.Num())
}

// value returns x/den².
func (m Matrix) value(x *big.Int) *big.Rat {
	return new(big.Rat).SetFrac(x, new(big.Int).Mul(m.den, m.den))
}

// at is the column j of any matrix.
func (m Matrix) at(j int) []cell {
	if m.toeplitz == nil {
		return m.columns[j]
	}
	var out []cell
	for k, x := range m.toeplitz {
		if j+k >= m.steps {
			break
		}
		if x.Sign() != 0 {
			out = append(out, cell{j + k, x})
		}
	}
	return out
}

// limits bound what is worth computing for a matrix without a form that is known.
const (
	maxGram     = 160     // columns whose products are all computed
	maxPatterns = 1 << 16 // that are gone through
	maxSpread   = 1 << 26 // of the products of steps and participations
)

// Sensitivity returns bounds of the squared sensitivity. They are equal where it is known exactly.
//
//   - Columns with a separation of MinSeparation or more that have no row in common: the greatest sum of squared norms
//     of columns over patterns, by dynamic programming.
//   - Toeplitz, not negative and not rising, perhaps of signs that alternate: the pattern 0, b, 2b, … See
//     docs/theorems.md.
//   - Columns of few patterns, in each of which some signs of the columns leave no negative product: the greatest of
//     Σ |G_ij| over them.
//
// Others: above by the sum over a pattern of each column's greatest sum of |G_ij|, or by the triangle inequality; below
// by patterns that were found.
func (m Matrix) Sensitivity(p Pattern) (lo, hi *big.Rat) {
	n := int64(m.steps)
	b := min(p.MinSeparation, n)
	k := min(p.MaxParticipations, (n+b-1)/b)
	m = m.turned()
	if m.toeplitz != nil && slices.IsSortedFunc(append(slices.Clip(m.toeplitz), new(big.Int)),
		func(x, y *big.Int) int { return y.Cmp(x) }) {
		x := m.value(m.spaced(0, int(b), int(k)))
		return x, x
	}
	s := solver{m: m, b: int(b), k: int(k)}
	norms := m.norms()
	if int64(m.width()) <= b || k == 1 {
		if x := s.best(norms); x != nil {
			return m.value(x), m.value(x)
		}
	}
	if n <= maxGram {
		below, above := s.dense(norms)
		return m.value(below), m.value(above)
	}
	below, above := s.sparse(norms)
	return m.value(below), m.value(above)
}

// width is the greatest row − column + 1 of entries that are not 0.
func (m Matrix) width() int {
	if m.toeplitz != nil {
		return len(m.toeplitz)
	}
	w := 1
	for j, column := range m.columns {
		if k := len(column); k > 0 {
			w = max(w, column[k-1].row-j+1)
		}
	}
	return w
}

// turned is a Toeplitz matrix with the signs of every other row and column turned, if that leaves no negative number.
// It has the same sensitivity: −u is as long as u, and rows do not move in norm.
func (m Matrix) turned() Matrix {
	first := slices.Clone(m.toeplitz)
	for i := 1; i < len(first); i += 2 {
		first[i] = new(big.Int).Neg(first[i])
	}
	if !slices.ContainsFunc(first, func(x *big.Int) bool { return x.Sign() < 0 }) && first != nil {
		m.toeplitz = first
	}
	return m
}

// norms are the squared norms of all columns. Those of a Toeplitz matrix are cut off at the end.
func (m Matrix) norms() []*big.Int {
	out := make([]*big.Int, m.steps)
	if m.toeplitz == nil {
		for j := range out {
			out[j] = dot(m.columns[j], m.columns[j])
		}
		return out
	}
	sum := new(big.Int)
	for k := range m.steps {
		if k < len(m.toeplitz) {
			sum = new(big.Int).Add(sum, new(big.Int).Mul(m.toeplitz[k], m.toeplitz[k]))
		}
		out[m.steps-1-k] = sum
	}
	return out
}

// spaced is |Σ c_{start+jb}|², j < k, of a Toeplitz matrix. With x(r) = Σ_{j<k} c(r − jb) the row start + r of the sum,
// x(r) = x(r − b) + c(r) − c(r − kb).
func (m Matrix) spaced(start, b, k int) *big.Int {
	c := func(i int) *big.Int {
		if i < 0 || i >= len(m.toeplitz) {
			return new(big.Int)
		}
		return m.toeplitz[i]
	}
	x := make([]*big.Int, m.steps-start)
	sum, square := new(big.Int), new(big.Int)
	for r := range x {
		x[r] = new(big.Int).Set(c(r))
		if r >= b {
			x[r].Add(x[r], x[r-b])
		}
		if k <= m.steps/b { // k·b fits
			x[r].Sub(x[r], c(r-k*b))
		}
		sum.Add(sum, square.Mul(x[r], x[r]))
	}
	return sum
}

type solver struct {
	m    Matrix
	b, k int
}

// best is the greatest sum of weights ≥ 0 over a pattern; nil if that is too much work.
//
// With f_c(j) the greatest over patterns of at most c steps before j, f_c(j + 1) = max(f_c(j), f_{c−1}(j + 1 − b) +
// w_j).
func (s solver) best(w []*big.Int) *big.Int {
	n := len(w)
	if s.b == 1 {
		sorted := slices.Clone(w)
		slices.SortFunc(sorted, func(x, y *big.Int) int { return y.Cmp(x) })
		sum := new(big.Int)
		for _, x := range sorted[:min(s.k, n)] {
			sum.Add(sum, x)
		}
		return sum
	}
	f := make([]*big.Int, n+1)
	next := make([]*big.Int, n+1)
	if s.k >= (n+s.b-1)/s.b { // as many as there is room for
		s.pass(w, f, f)
		return f[n]
	}
	if int64(n)*int64(s.k) > maxSpread {
		return nil
	}
	for i := range f {
		f[i] = new(big.Int)
	}
	for range s.k {
		s.pass(w, f, next)
		f, next = next, f
	}
	return f[n]
}

// pass computes f_c from f_{c−1}; the two may be one, for any number of steps.
func (s solver) pass(w, before, after []*big.Int) {
	after[0] = new(big.Int)
	sum := new(big.Int)
	for j, x := range w {
		sum.Set(x)
		if i := j + 1 - s.b; i > 0 {
			sum.Add(sum, before[i])
		}
		if sum.Cmp(after[j]) > 0 {
			after[j+1] = new(big.Int).Set(sum)
		} else {
			after[j+1] = after[j]
		}
	}
}

// dot is the product of two columns.
func dot(a, b []cell) *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].row < b[j].row:
			i++
		case a[i].row > b[j].row:
			j++
		default:
			sum.Add(sum, x.Mul(a[i].value, b[j].value))
			i, j = i+1, j+1
		}
	}
	return sum
}

// dense bounds the squared sensitivity by all products of columns.
func (s solver) dense(norms []*big.Int) (lo, hi *big.Int) {
	n := len(norms)
	gram := make([][]*big.Int, n)
	for i := range gram {
		gram[i] = make([]*big.Int, n)
		gram[i][i] = norms[i]
		for j := range i {
			gram[i][j] = new(big.Int)
			if i-j >= s.b {
				gram[i][j] = dot(s.m.at(i), s.m.at(j))
			}
			gram[j][i] = gram[i][j]
		}
	}
	balance(gram)
	e := &enumeration{solver: s, gram: gram, left: maxPatterns, best: new(big.Int)}
	if e.extend(nil, 0, new(big.Int)) && !e.mixed {
		return e.best, e.best
	}
	lo = e.best
	if x := s.best(norms); x != nil && x.Cmp(lo) > 0 {
		lo = x // orthogonal vectors u
	}
	return lo, s.rows(gram)
}

// balance turns signs of columns, so that no product is negative if that can be: each column has its sign from the one
// that it is reached from.
func balance(gram [][]*big.Int) {
	signs := make([]int, len(gram))
	var reach func(i, sign int)
	reach = func(i, sign int) {
		signs[i] = sign
		for j, x := range gram[i] {
			if signs[j] == 0 && x.Sign() != 0 {
				reach(j, sign*x.Sign())
			}
		}
	}
	for i := range gram {
		if signs[i] == 0 {
			reach(i, 1)
		}
	}
	for i := range gram {
		for j := range i {
			if signs[i] != signs[j] {
				gram[i][j] = new(big.Int).Neg(gram[i][j])
				gram[j][i] = gram[i][j]
			}
		}
	}
}

// An enumeration goes through patterns. It is mixed if signs were left that make less of a pattern than Σ |G_ij|.
type enumeration struct {
	solver
	gram  [][]*big.Int
	left  int
	best  *big.Int
	mixed bool
}

// A part of a pattern is a step, where u is e or −e, with one e for all.
type part struct {
	step  int
	minus bool
}

// extend tries all steps from next on after a pattern with a squared norm of sum, with the sign of u that makes more of
// each. It reports false if there are too many.
func (e *enumeration) extend(pattern []part, next int, sum *big.Int) bool {
	if sum.Cmp(e.best) > 0 {
		e.best = sum
	}
	if len(pattern) == e.k {
		return true
	}
	for j := next; j < len(e.gram); j++ {
		if e.left--; e.left < 0 {
			return false
		}
		var to [2]big.Int // Σ |G_ij| of positive products, and of negative ones
		for _, i := range pattern {
			x, side := e.gram[i.step][j], 0
			if (x.Sign() < 0) != i.minus {
				side = 1
			}
			to[side].Add(&to[side], new(big.Int).Abs(x))
		}
		minus := to[0].Cmp(&to[1]) < 0
		e.mixed = e.mixed || to[0].Sign() > 0 && to[1].Sign() > 0
		more := to[0].Abs(to[0].Sub(&to[0], &to[1]))
		more = new(big.Int).Lsh(more, 1)
		more.Add(more, e.gram[j][j]).Add(more, sum)
		if !e.extend(append(pattern, part{j, minus}), j+e.b, more) {
			return false
		}
	}
	return true
}

// rows bounds Σ_{i,j} |G_ij| over a pattern by Σ_i r_i, where r_i is the greatest Σ_j |G_ij| over patterns with i.
func (s solver) rows(gram [][]*big.Int) *big.Int {
	n := len(gram)
	r := make([]*big.Int, n)
	for i := range gram {
		w := make([]*big.Int, n)
		for j, x := range gram[i] {
			w[j] = new(big.Int).Abs(x)
		}
		// c steps left of i, and at most k − 1 − c right of it.
		left := s.counts(w[:max(0, i-s.b+1)])
		right := s.counts(w[min(n, i+s.b):])
		most := new(big.Int)
		for c := range s.k {
			if x := new(big.Int).Add(left[c], right[s.k-1-c]); x.Cmp(most) > 0 {
				most = x
			}
		}
		r[i] = most.Add(most, w[i])
	}
	return s.sum(r)
}

// counts are the greatest sums over patterns of at most c steps, c < k.
func (s solver) counts(w []*big.Int) []*big.Int {
	n := len(w)
	f, next := make([]*big.Int, n+1), make([]*big.Int, n+1)
	for i := range f {
		f[i] = new(big.Int)
	}
	out := make([]*big.Int, s.k)
	for c := range out {
		out[c] = f[n]
		s.pass(w, f, next)
		f, next = next, f
	}
	return out
}

// sum is best, or all weights where that is too much work.
func (s solver) sum(w []*big.Int) *big.Int {
	if x := s.best(w); x != nil {
		return x
	}
	sum := new(big.Int)
	for _, x := range w {
		sum.Add(sum, x)
	}
	return sum
}

// sparse bounds the squared sensitivity by the triangle inequality, |Σ c_i⊗u_i| ≤ Σ |c_i|, and from below by evenly
// spaced patterns, and by orthogonal vectors u.
func (s solver) sparse(norms []*big.Int) (lo, hi *big.Int) {
	lo = new(big.Int)
	if x := s.best(norms); x != nil {
		lo = x
	}
	n := len(norms)
	starts := min(s.b, n)
	for i := range min(starts, 16) {
		if x := s.evenly(i * starts / min(starts, 16)); x.Cmp(lo) > 0 {
			lo = x
		}
	}
	// √x ≤ (⌊√(x·2^64)⌋ + 1)/2^32.
	const bits = 32
	roots := make([]*big.Int, n)
	for j, x := range norms {
		if roots[j] = new(big.Int).Lsh(x, 2*bits); x.Sign() > 0 {
			roots[j].Sqrt(roots[j]).Add(roots[j], big.NewInt(1))
		}
	}
	hi = s.sum(roots)
	hi.Mul(hi, hi)
	low := new(big.Int).Lsh(big.NewInt(1), 2*bits)
	hi.Add(hi, low.Sub(low, big.NewInt(1)))
	return lo, hi.Rsh(hi, 2*bits)
}

// evenly is |Σ c_j|² over j = start, start + b, …
func (s solver) evenly(start int) *big.Int {
	if s.m.toeplitz != nil {
		return s.m.spaced(start, s.b, s.k)
	}
	rows := make([]*big.Int, s.m.steps)
	for j, count := start, 0; j < s.m.steps && count < s.k; j, count = j+s.b, count+1 {
		for _, x := range s.m.at(j) {
			if rows[x.row] == nil {
				rows[x.row] = new(big.Int)
			}
			rows[x.row].Add(rows[x.row], x.value)
		}
	}
	sum, square := new(big.Int), new(big.Int)
	for _, x := range rows {
		if x != nil {
			sum.Add(sum, square.Mul(x, x))
		}
	}
	return sum
}
