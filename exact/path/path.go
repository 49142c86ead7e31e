// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package path bounds moments of the best of several runs, whatever the order of the outputs is. The order is a path
// through what is better than an output under P and under Q; along it a potential falls by no more than it does from
// end to end.
package path

import (
	"math"
	"math/big"
	"slices"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/selection"
)

// A Bound bounds the moments of the best run, whatever the order of the outputs is, of all mechanisms that a pair with
// known tails dominates. See docs/theorems.md, *The best of several runs along paths*.
//
// A place is y(s) = (e^(Ts) − 1)/R with s in [0, 1], R = e^T − 1. What is better than an output has the place s under P
// and t under Q, so that an order is a path from (0, 0) to (1, 1). Let W be a polynomial in s and t, and
//
//	h(s, t, L) = Φ·L^λ + U·L + V, Φ = f′(s)^λ·f′(t)^(1−λ), U = (R/T)·e^(−Ts)·W_s, V = (R/T)·e^(−Tt)·W_t.
//
// With g(L) ≥ h(s, t, L) for all (s, t) that can be, ∫ dP^λ·dQ^(1−λ) ≤ E_Q[g(L)] − W(1, 1) + W(0, 0).
type Bound struct {
	law   selection.Law
	t     float64           // T
	nodes []float64         // s
	slope []double.Interval // (R/T)·e^(−Ts) at the nodes
	logs  []double.Interval // log f′ at the nodes
	from  []int             // of the cells of s: the first cell of t that can be,
	to    []int             // and the one after the last
	knots []float64         // L, rising from 0
	cells []lossCell        // between knots, and beyond the last one
	ends  [][2]interval.Interval
}

// A lossCell has the masses of the outputs whose ratio is in it.
type lossCell struct{ p, q interval.Interval }

// pathCells are the cells of s and of t, a power of two, and pathLosses those of the loss.
const pathCells, pathLosses = 256, 320

// New reports false where T or losses are too small or too large.
func New(law selection.Law, tails closed.Tails) (*Bound, bool) {
	const w = interval.Prec(128)
	x := &Bound{law: law}
	x.t = double.Of(w.Log1p(law.Rho())).Lo // R ≤ ρ, see tableOf
	if !(x.t > 0x1p-10 && x.t < 300) {
		return nil, false
	}
	last := 0.0
	for k := -12; last == 0; k++ {
		if k > 8 {
			return nil, false
		}
		p, q := tails(w, closed.RatArg(w, interval.Pow2(k)))
		if interval.Max(p, q).LessEqRat(interval.Pow2(-80)) == interval.True {
			last = math.Ldexp(1+0x1p-10, k) // an atom at 2^k, as of Laplace noise, is below the last knot for certain
		}
	}
	x.places(w)
	x.losses(w, tails, last)
	return x, true
}

// places fills in what is known of the nodes.
func (x *Bound) places(w interval.Prec) {
	t := double.Exactly(x.t)
	all := w.Expm1(t)
	for i := range pathCells + 1 {
		s := float64(i) / pathCells
		at := w.Mul(t, double.Exactly(s))
		y := interval.Clamp(w.Div(w.Expm1(at), all), 0, 1)
		x.nodes = append(x.nodes, 2*s-1)
		x.slope = append(x.slope, double.Of(w.Div(w.Mul(all, w.Exp(at.Neg())), t)))
		x.logs = append(x.logs, double.Of(w.Log(x.law.Slope(y))))
		x.ends = append(x.ends, [2]interval.Interval{y.Lower(), y.Upper()})
	}
}

// losses fills in the masses of cells, and which places there are.
//
// Let S be what is better than an output. If P(S) ≤ P(L ≤ l), then Q(S) ≤ Q(L ≤ l), as no set has less of P for its Q;
// and if P(S) ≥ P(L > l), then Q(S) ≥ Q(L > l).
func (x *Bound) losses(w interval.Prec, tails closed.Tails, last float64) {
	x.knots = []float64{0}
	one, none := interval.Int(1), interval.Int(0)
	before := lossCell{one, one}
	var above, below []lossCell // what has losses above, and up to, a knot
	for i := range pathLosses + 1 {
		l := math.Exp(last * float64(2*i-pathLosses) / pathLosses)
		p, q := tails(w, closed.Arg{Interval: w.Log(double.Exactly(l))})
		x.knots = append(x.knots, l)
		x.cells = append(x.cells, lossCell{interval.Max(none, w.Sub(before.p, p)), interval.Max(none, w.Sub(before.q, q))})
		before = lossCell{p, q}
		above, below = append(above, before), append(below, lossCell{w.Sub(one, p), w.Sub(one, q)})
	}
	x.cells = append(x.cells, before)
	for i := range pathCells {
		least, most := none, one
		for _, e := range above { // of falling masses
			if e.p.LessEq(x.ends[i][0]) == interval.True {
				least = e.q.Lower()
				break
			}
		}
		for _, e := range below { // of rising masses
			if x.ends[i+1][1].LessEq(e.p) == interval.True {
				most = e.q.Upper()
				break
			}
		}
		from, to := 0, pathCells
		for from < pathCells-1 && x.ends[from+1][1].Less(least) == interval.True {
			from++
		}
		for to > from+1 && most.Less(x.ends[to-1][0]) == interval.True {
			to--
		}
		x.from, x.to = append(x.from, from), append(x.to, to)
	}
}

// errors is more than what sums of fewer than 2^7 terms, products of a few numbers, are off by, relative to the sum of
// the sizes of the terms.
const errors = 0x1p-40

// curve is d²/8 for cells of side d, with errors.
const curve = (1 + errors) / (8 * pathCells * pathCells)

// A table has Φ, U and V at the nodes, rounded up, the two latter with what h may be above its corners in any cell
// beside a node: h is at most the greatest h of the table in all of them.
type table struct{ phi, u, v [][]float64 }

// tableOf evaluates h for a W.
//
// In a cell of side d, h is above the greatest of its corners by at most d²/8·(max(−h_ss)₊ + max(−h_tt)₊), as h + Ks²/2
// is convex in s where h_ss ≥ −K. Φ is convex in s and in t. With c = ρ/R ≥ 1 and v = 1 − c + c·e^(Ts), f′ is a
// multiple of v^−(η+1); v^−b has the second derivative b·c·T²·e^(Ts)·v^(−b−2)·(b·c·e^(Ts) − 1 + c) ≥ 0, and v^b has
// b·c·T²·e^(Ts)·v^(b−2)·(b·c·e^(Ts) + 1 − c), which is not negative where b ≥ c − 1: see convex. Of Poisson,
// e^(−b·e^(Ts)) is convex for b ≥ 1, which λ·m/R is, and e^(b·e^(Ts)) always. What is left is, but for R/T,
//
//	h_ss: L·e^(−Ts)·(W_sss − 2T·W_ss + T²·W_s) + e^(−Tt)·W_sst,
//	h_tt: L·e^(−Ts)·W_stt + e^(−Tt)·(W_ttt − 2T·W_tt + T²·W_t).
func (x *Bound) tableOf(order double.Interval, w polynomial) table {
	n := pathCells + 1
	ws, wt := w.along(0), w.along(1)
	sizes := [2]float64{ws.size() * errors, wt.size() * errors}
	rest := double.Int(1).Sub(order)
	rows := func() [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			out[i] = make([]float64, n)
		}
		return out
	}
	out := table{rows(), rows(), rows()}
	for i := range n {
		first := order.Mul(x.logs[i])
		from, to := x.near(i)
		for j := from; j <= to; j++ {
			out.phi[i][j] = first.Add(rest.Mul(x.logs[j])).Exp().Hi
			a, b := ws.at(x.nodes[i], x.nodes[j]), wt.at(x.nodes[i], x.nodes[j])
			out.u[i][j] = double.Interval{Lo: a - sizes[0], Hi: a + sizes[0]}.Mul(x.slope[i]).Hi
			out.v[i][j] = double.Interval{Lo: b - sizes[1], Hi: b + sizes[1]}.Mul(x.slope[j]).Hi
		}
	}
	falls := [4]*fall{x.newFall(ws, 0), x.newFall(ws, 1), x.newFall(wt, 0), x.newFall(wt, 1)}
	plus := [2][][]float64{rows(), rows()}
	for i := range pathCells {
		for j := x.from[i]; j < x.to[i]; j++ {
			withL := float64(x.slope[i].Hi*(falls[0].cell(i, j)+falls[1].cell(i, j))) * curve
			alone := float64(x.slope[j].Hi*(falls[2].cell(i, j)+falls[3].cell(i, j))) * curve
			for _, at := range [4][2]int{{i, j}, {i + 1, j}, {i, j + 1}, {i + 1, j + 1}} {
				plus[0][at[0]][at[1]] = max(plus[0][at[0]][at[1]], withL)
				plus[1][at[0]][at[1]] = max(plus[1][at[0]][at[1]], alone)
			}
		}
	}
	for i := range n {
		from, to := x.near(i)
		for j := from; j <= to; j++ {
			out.u[i][j] = double.Point(out.u[i][j]).Add(double.Point(plus[0][i][j])).Hi
			out.v[i][j] = double.Point(out.v[i][j]).Add(double.Point(plus[1][i][j])).Hi
		}
	}
	return out
}

// near are the first and the last node of t beside a cell with the node i of s.
func (x *Bound) near(i int) (from, to int) {
	a, b := max(i-1, 0), min(i, pathCells-1)
	return min(x.from[a], x.from[b]), max(x.to[a], x.to[b])
}

// A fall is a second derivative of U or V, without R/T and the exponential, of which the negative part counts.
type fall struct {
	at   [][]float64 // the nodes
	more float64     // what it is less in a cell than at all of its corners
}

// newFall is of W_s or of W_t, in the direction of s, k = 0, or of t: with the exponential in that direction, of three
// derivatives, and otherwise the second derivative.
func (x *Bound) newFall(w polynomial, k int) *fall {
	one := w.along(k)
	two := one.along(k)
	size := two.size()
	if w.direction == k {
		size += 2*x.t*one.size() + x.t*x.t*w.size()
		two = two.plus(one, -2*x.t).plus(w, x.t*x.t)
	}
	f := &fall{more: size * errors}
	for k := range 2 {
		f.more += two.along(k).along(k).size() * curve
	}
	for i := range pathCells + 1 {
		row := make([]float64, pathCells+1)
		from, to := x.near(i)
		for j := from; j <= to; j++ {
			row[j] = two.at(x.nodes[i], x.nodes[j])
		}
		f.at = append(f.at, row)
	}
	return f
}

// cell is by how much it is negative in a cell at most.
func (f *fall) cell(i, j int) float64 {
	return max(0, f.more-min(f.at[i][j], f.at[i+1][j], f.at[i][j+1], f.at[i+1][j+1])) * (1 + errors)
}

// convex reports that Φ is, see tableOf.
func (x *Bound) convex(lambda *big.Rat) bool {
	if x.law.Shape() == nil {
		return true
	}
	const w = interval.Prec(128)
	over := w.Sub(w.Div(x.law.Rho(), w.Expm1(double.Exactly(x.t))), interval.Int(1)) // c − 1
	b := new(big.Rat).Mul(new(big.Rat).Sub(lambda, big.NewRat(1, 1)), new(big.Rat).Add(x.law.Shape(), big.NewRat(1, 1)))
	return interval.Int(0).LessEq(over) == interval.True && over.LessEq(w.Rat(b)) == interval.True
}

// greatest is g at a knot: the greatest h, rounded up.
func (x *Bound) greatest(h table, l, power float64) float64 {
	best, size := math.Inf(-1), 0.0
	for i := range pathCells + 1 {
		from, to := x.near(i)
		phi, u, v := h.phi[i], h.u[i], h.v[i]
		for j := from; j <= to; j++ {
			a, b := float64(phi[j]*power), float64(u[j]*l)
			best = max(best, a+b+v[j])
			size = max(size, a, math.Abs(b), math.Abs(v[j]))
		}
	}
	return best + float64(size*errors) + 0x1p-1000
}

// bound is the bound of W.
func (x *Bound) bound(lambda *big.Rat, w polynomial, base func(*big.Rat) interval.Interval) interval.Interval {
	const prec = interval.Prec(128)
	if !x.convex(lambda) {
		return interval.PosInf()
	}
	order := double.Of(prec.Rat(lambda))
	h := x.tableOf(order, w)
	var gs []interval.Interval
	for _, l := range x.knots {
		power := 0.0
		if l > 0 {
			power = order.Mul(double.Point(l).Log()).Exp().Hi
		}
		g := x.greatest(h, l, power)
		if math.IsInf(g, 0) || math.IsNaN(g) {
			return interval.PosInf()
		}
		gs = append(gs, double.Exactly(g))
	}
	sum := w.rise().Neg()
	n := len(x.knots)
	for k, c := range x.cells[:n-1] { // g is convex: below its chord
		l, r := double.Exactly(x.knots[k]), double.Exactly(x.knots[k+1])
		width := prec.Sub(r, l)
		left := interval.Max(interval.Int(0), prec.Div(prec.Sub(prec.Mul(r, c.q), c.p), width))
		right := interval.Max(interval.Int(0), prec.Div(prec.Sub(c.p, prec.Mul(l, c.q)), width))
		sum = prec.Add(sum, prec.Add(prec.Mul(left, gs[k]), prec.Mul(right, gs[k+1])))
	}
	sum = prec.Add(sum, x.beyond(lambda, h, base))
	return prec.Log(interval.Max(interval.Int(0), sum)).Upper()
}

// beyond bounds what the losses beyond the last knot count for: E[L^λ] by a moment of a higher order, and Φ, U and V by
// their greatest values, at corners.
func (x *Bound) beyond(lambda *big.Rat, h table, base func(*big.Rat) interval.Interval) interval.Interval {
	const w = interval.Prec(128)
	rest := x.cells[len(x.cells)-1]
	if rest.p.IsZero() && rest.q.IsZero() {
		return interval.Int(0)
	}
	most := func(rows [][]float64) float64 {
		top := 0.0
		for _, row := range rows {
			top = max(top, slices.Max(row))
		}
		return top
	}
	last := w.Log(double.Exactly(x.knots[len(x.knots)-1]))
	best := interval.PosInf()
	for k := -2; k <= 6; k++ {
		over := interval.Pow2(k)
		m := base(new(big.Rat).Add(lambda, over))
		best = interval.Min(best, w.Exp(w.Sub(m, w.Mul(w.Rat(over), last))).Upper())
	}
	sum := w.Mul(double.Exactly(most(h.phi)), best)
	sum = w.Add(sum, w.Mul(double.Exactly(most(h.u)), rest.p))
	return w.Add(sum, w.Mul(double.Exactly(most(h.v)), rest.q)).Upper()
}
