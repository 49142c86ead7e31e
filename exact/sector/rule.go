// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/big"

	"dpverify/exact/interval"
)

// A layout says where a line has its points and its nodes. Whatever it is, the bounds hold.
type layout struct {
	angle, step *big.Rat   // d and h
	first, last int64      // j₀ and j₁
	order       int        // m
	nodes       [][2]int64 // the first and the last k of each kind of steps, where X_k = e^{kh − 2id}
}

// valid reports whether 0 < d < π/12 and h > 0, and that points and nodes are in order.
func (c layout) valid() bool {
	if c.angle.Sign() <= 0 || c.angle.Cmp(big.NewRat(26, 100)) > 0 || c.step.Sign() <= 0 || c.first > c.last ||
		c.order < 1 {
		return false
	}
	for _, k := range c.nodes {
		if k[0] > k[1] {
			return false
		}
	}
	return true
}

// at encloses e^{kh}.
func (c layout) at(w interval.Prec, k int64) interval.Interval {
	return w.Exp((w + 32).Mul((w + 32).Rat(c.step), interval.Int(k)))
}

// beside encloses 1/(e^{2πd/h} − 1).
func (c layout) beside() interval.Interval {
	cycles := coarse.Rat(new(big.Rat).Quo(c.angle, c.step))
	return coarse.Inv(coarse.Expm1(coarse.Mul(coarse.Scale(coarse.Pi(), 1), cycles)))
}

// A node has X and t, and X·t′.
type node struct{ x, t, rate interval.Complex }

// fine is the precision at k: where X is small, 1 − e^{−X} loses as many bits as X is below 1, at most −kh/log 2.
func (c layout) fine(w interval.Prec, k int64) interval.Prec {
	if below := new(big.Rat).Mul(c.step, big.NewRat(-3*k, 2)); below.Sign() > 0 {
		w += interval.Prec(new(big.Int).Quo(below.Num(), below.Denom()).Int64()) + 1
	}
	return w
}

// node encloses them at e^{kh}·turn, turn = e^{−2id}.
func (c layout) node(w interval.Prec, k int64, turn interval.Complex) node {
	w = c.fine(w, k)
	x := w.ScaleC(c.at(w, k), turn)
	rest := w.SubC(interval.Complex{Re: one}, w.ExpC(x.Neg()))
	return node{x, w.AddC(x, logarithm(w, rest)), w.DivC(x, rest)}
}

// turn encloses e^{−2id}, for nodes from k on.
func (c layout) turn(w interval.Prec, k int64) interval.Complex {
	w = c.fine(w, k)
	return w.ExpI(w.Scale(w.Rat(c.angle), 1).Neg())
}

// A rule is Σ a_k·e^{−sX_k}, k = first, …, which is off by at most err from N(s) where arg s = π/2 + d. Its moments are
// off by at most err, too: Σ a_k·(−X_k)^n/n! from the coefficients of N.
type rule struct {
	first   int64
	weights []interval.Complex
	err     interval.Interval
}

// rule returns the rule of a kind of steps, by the nodes from k on.
//
// Claim. a_k = h·f(X_k)·X_k, and err is at most 2·K(3d)/(e^{2πd/h} − 1), with r = 1, and what lemmas 2 and 3 say of
// nodes that are left out.
//
// Proof. N(s) is the integral of F(y)·e^{−sX} dy, X = e^{y−2id}, F = f(X)·X, which is analytic where |Im y| ≤ d: there
// X is on rays of α from d to 3d < π/4. On them sX has an argument in [π/2 − 2d, π/2], and |e^{−sX}| ≤ 1. So the
// trapezoidal rule is off by the integrals of |F| along both borders over e^{2πd/h} − 1. For coefficients |X^n/n!| ≤
// e^{|X|} stands in the place of |e^{−sX}|. f falls on both sides, uniformly in α, so that the integrals over the rays
// are those over the axis. ∎
func (s step) rule(w interval.Prec, c layout, from, to int64, nodes []node) rule {
	l, rough := s.law(w), s.law(coarse)
	d := coarse.Rat(c.angle)
	r := rule{first: from}
	scale := w.Div(w.Rat(c.step), w.Mul(l.mu, w.Sqrt(w.Scale(w.Pi(), 1))))
	half := w.Inv(w.Scale(l.mu2, 1)).Neg()
	for _, n := range nodes {
		power := w.ScaleC(half, w.SqrC(w.SubC(n.t, interval.Complex{Re: l.mean})))
		r.weights = append(r.weights, w.ScaleC(scale, w.MulC(w.ExpC(power), n.rate)))
	}
	along, border := newRay(coarse.Scale(d, 1), one), newRay(coarse.Mul(interval.Int(3), d), one)
	p := func(k int64) interval.Interval { return coarse.Mul(c.at(coarse, k), along.cos) }
	r.err = coarse.Mul(coarse.Scale(rough.size(border), 1), c.beside())
	r.err = coarse.Add(r.err, coarse.Add(rough.left(along, p(from)), rough.right(along, p(to)))).Upper()
	return r
}

// coefficients encloses those of N at 0, up to an order: they are real. Of |X| ≤ 1 powers that are next to nothing are
// left out, as all higher ones are at most as large.
func (r rule) coefficients(w interval.Prec, nodes []node, order int) []interval.Interval {
	out := make([]interval.Interval, order+1)
	rest := interval.Int(0)
	for k, a := range r.weights {
		x := nodes[k].x
		for n := range out {
			if n > 0 {
				a = w.MulC(a, x)
			}
			size := coarse.Add(a.Re.Abs(), a.Im.Abs())
			if r.first+int64(k) <= 0 && size.LessEq(coarse.Scale(one, -int(w))) == interval.True {
				rest = coarse.Add(rest, size).Upper()
				break
			}
			out[n] = w.Add(out[n], a.Re)
		}
	}
	left, off := interval.Union(rest.Neg(), rest), interval.Union(r.err.Neg(), r.err)
	over := one // (−1)^n/n!
	for n := range out {
		if n > 0 {
			over = w.Div(over, interval.Int(-int64(n)))
		}
		out[n] = w.Add(w.Mul(over, w.Add(out[n], left)), off)
	}
	return out
}
