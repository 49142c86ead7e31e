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
	falls       [2]int     // how many steps bound |g| on the border of the strip, and behind the last point
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

// fine is the precision at k: where X is small, 1 − e^{−X} loses as many bits as X is below 1, at most −kh/log 2.
func (c layout) fine(w interval.Prec, k int64) interval.Prec {
	if below := new(big.Rat).Mul(c.step, big.NewRat(-3*k, 2)); below.Sign() > 0 {
		w += interval.Prec(new(big.Int).Quo(below.Num(), below.Denom()).Int64()) + 1
	}
	return w
}

// A node has X, t, and X·t′ times what the density of t is beside that of a normal variable.
type node struct{ x, t, rate interval.Complex }

// node encloses them at e^{kh}·turn. With E = e^{−X}, coth(X/2) = (1 + E)/(1 − E), and W^{−2} = 4a²E/(1 − E)².
//
// Of a replaced record τ = X + log((1 − E)(1 + S)/2a) and a·e^{−τ} = 2a²E/((1 − E)(1 + S)). The logarithm is the
// principal one, as both of 1 − E and 1 + S have real parts above 0.
func (l law) node(w interval.Prec, c layout, k int64, turn interval.Complex) node {
	w = c.fine(w, k)
	x := w.ScaleC(c.at(w, k), turn)
	unit := interval.Complex{Re: one}
	e := w.ExpC(x.Neg())
	rest := w.SubC(unit, e)
	if !l.replaced {
		return node{x, w.AddC(x, logarithm(w, rest)), w.DivC(x, rest)}
	}
	ratio := w.DivC(w.ScaleC(l.odds, interval.Complex{Re: one}), rest) // a/(1 − E)
	z := w.AddC(unit, w.ScaleC(interval.Int(4), w.MulC(e, w.SqrC(ratio))))
	// The root of z in the right half plane has the real part √((|z| + Re z)/2).
	s := interval.Complex{Re: w.Sqrt(w.Scale(w.Add(w.AbsC(z), z.Re), -1))}
	s.Im = w.Div(z.Im, w.Scale(s.Re, 1))
	both := w.AddC(unit, s)
	t := w.AddC(x, logarithm(w, w.MulC(rest, both)))
	t.Re = w.Add(w.Sub(t.Re, w.Log(w.Scale(l.odds, 1))), l.mean)
	slope := w.ScaleC(coarse.Scale(one, -1), w.AddC(unit, w.DivC(w.AddC(unit, e), w.MulC(rest, s))))
	beside := w.DivC(w.ScaleC(w.Scale(l.odds, 1), w.MulC(e, ratio)), both)
	return node{x, t, w.MulC(w.ScaleC(l.keep, x), w.MulC(slope, w.AddC(unit, beside)))}
}

// A rule is Σ a_k·e^{−sX_k}, which is off by at most err from the part X > 0 of N(s) where arg s = π/2 + d, or Σ
// a_k·e^{sX_k} for the part X < 0. Their moments are off by at most err, too: Σ a_k·(∓X_k)^n/n!.
type rule struct {
	first   int64
	sign    int64 // of X
	nodes   []node
	weights []interval.Complex
	err     interval.Interval
}

// rule returns the rule of a kind of steps for X > 0, by the nodes from one k to another one.
//
// Claim. a_k = h·f(X_k)·X_k, X_k = e^{kh−2id}, and err is at most 2·K(3d)/(e^{2πd/h} − 1), with r = 1, and what lemmas
// 2 and 3 say of nodes that are left out.
//
// Proof. The part is the integral of F(y)·e^{−sX} dy, X = e^{y−2id}, F = f(X)·X, which is analytic where |Im y| ≤ d:
// there X is on rays of α from d to 3d < π/4. On them sX has an argument in [π/2 − 2d, π/2], and |e^{−sX}| ≤ 1. So the
// trapezoidal rule is off by the integrals of |F| along both borders over e^{2πd/h} − 1. For coefficients |X^n/n!| ≤
// e^{|X|} stands in the place of |e^{−sX}|. f falls on both sides, uniformly in α, so that the integrals over the rays
// are those over the axis. ∎
func (s step) rule(w interval.Prec, c layout, from, to int64) rule {
	l := s.law(w)
	r := rule{first: from, sign: 1}
	fine := c.fine(w, from)
	turn := fine.ExpI(fine.Scale(fine.Rat(c.angle), 1).Neg()) // e^{−2id}
	for k := from; k <= to; k++ {
		n := l.node(w, c, k, turn)
		r.nodes = append(r.nodes, n)
		r.weights = append(r.weights, l.weight(w, c, n))
	}
	d := coarse.Rat(c.angle)
	along, border := newRay(coarse.Scale(d, 1), one), newRay(coarse.Mul(interval.Int(3), d), one)
	r.bound(s, c, to, along, along.cos, border)
	return r
}

// mirror returns the rule for X < 0 of a replaced record, by nodes at −X_k = −e^{kh}.
//
// Claim. a_k = h·e^{X_k}·f(X_k)·X_k, and err is as before, with r = 2 and d in the place of 2d and 3d.
//
// Proof. The part is ∫e^{sX}·e^X·f(X) dX over X > 0. In the strip X is on rays of α from −d to d, f(X̄) is the
// conjugate of f(X), and sX has an argument in [π/2, π/2 + 2d]. |e^X| ≤ e^{|X|}. At equal p all bounds rise with α, so
// that those of a ray hold on the axis. ∎
func (s step) mirror(w interval.Prec, c layout, from, to int64) rule {
	l := s.law(w)
	r := rule{first: from, sign: -1}
	for k := from; k <= to; k++ {
		n := l.node(w, c, k, interval.Complex{Re: one})
		r.nodes = append(r.nodes, n)
		r.weights = append(r.weights, w.MulC(w.ExpC(n.x), l.weight(w, c, n)))
	}
	border := newRay(coarse.Rat(c.angle), interval.Int(2))
	r.bound(s, c, to, border, one, border)
	return r
}

// weight is h·f(X)·X.
func (l law) weight(w interval.Prec, c layout, n node) interval.Complex {
	scale := w.Div(w.Rat(c.step), w.Mul(l.mu, w.Sqrt(w.Scale(w.Pi(), 1))))
	half := w.Inv(w.Scale(l.mu2, 1)).Neg()
	power := w.ScaleC(half, w.SqrC(w.SubC(n.t, interval.Complex{Re: l.mean})))
	return w.ScaleC(scale, w.MulC(w.ExpC(power), n.rate))
}

// bound is the err of a rule, of which nodes have |X|·cos as their p, are where the bounds of a ray hold, and are in a
// strip that ends at another one.
func (r *rule) bound(s step, c layout, to int64, along ray, cos interval.Interval, border ray) {
	l := s.law(coarse)
	p := func(k int64) interval.Interval { return coarse.Mul(c.at(coarse, k), cos) }
	r.err = coarse.Mul(coarse.Scale(l.size(border), 1), c.beside())
	r.err = coarse.Add(r.err, coarse.Add(l.left(along, p(r.first)), l.right(along, p(to)))).Upper()
}

// coefficients encloses those of the part of N at 0, up to an order: they are real. Of |X| ≤ 1 powers that are next to
// nothing are left out, as all higher ones are at most as large.
func (r rule) coefficients(w interval.Prec, order int) []interval.Interval {
	out := make([]interval.Interval, order+1)
	rest := interval.Int(0)
	for k, a := range r.weights {
		x := r.nodes[k].x
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
	over := one // (∓1)^n/n!
	for n := range out {
		if n > 0 {
			over = w.Div(over, interval.Int(-r.sign*int64(n)))
		}
		out[n] = w.Add(w.Mul(over, w.Add(out[n], left)), off)
	}
	return out
}
