// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// Sin returns an enclosure of sin x.
//
// Width: a point argument gives a relative width ≤ 2^(4−p), also next to the
// multiples of π; tested, not proved. An interval gets |sin s − sin t| ≤ |s − t|
// on either side of the value at its middle.
func (p Prec) Sin(x Interval) Interval { return p.trig(x, true) }

// Cos returns an enclosure of cos x; its width is as for Sin.
func (p Prec) Cos(x Interval) Interval { return p.trig(x, false) }

// SinCos returns enclosures of sin x and cos x of absolute width about 2^(2−p),
// not relative to their size: all that e^{ix} needs.
func (p Prec) SinCos(x Interval) (sin, cos Interval) {
	p.check()
	m, r, ok := p.around(x)
	if !ok {
		return unitRange, unitRange
	}
	if m.Sign() == 0 {
		return p.spread(Interval{}, r), p.spread(Int(1), r)
	}
	c, s, e, v := expiFixed(m, int(p)+8, -1)
	return p.spread(p.FromFixed(s, e, v), r), p.spread(p.FromFixed(c, e, v), r)
}

var unitRange = Interval{minusOne, oneFloat}

// maxTrigExp bounds the exponents of arguments that are reduced: beyond it π would
// be needed to as many bits.
const maxTrigExp = 1 << 16

// around returns a number m and r with x ⊆ [m − r, m + r]. It reports false if sin
// and cos are to be given up: x spans more than a period, or is out of range.
func (p Prec) around(x Interval) (m *big.Float, r *big.Float, ok bool) {
	if !x.IsFinite() {
		return nil, nil, false
	}
	m, r = x.l(), zeroFloat
	if !x.IsPoint() {
		m = p.Mid(x).l()
		r = maxFloat(p.add(up, x.h(), new(big.Float).Neg(m)), p.add(up, m, new(big.Float).Neg(x.l())))
	}
	return m, r, m.MantExp(nil) <= maxTrigExp && r.MantExp(nil) <= 2
}

// spread returns (y ± r) ∩ [−1, 1] for a y that meets [−1, 1].
func (p Prec) spread(y Interval, r *big.Float) Interval {
	if r.Sign() != 0 {
		y = p.Add(y, Interval{new(big.Float).Neg(r), r})
	}
	return Clamp(y, -1, 1)
}

// FromFixed returns an enclosure of [n − e, n + e]·2^−v, e ≥ 0.
func (p Prec) FromFixed(n, e *big.Int, v int) Interval {
	return p.fromFixed(new(big.Int).Sub(n, e), new(big.Int).Add(n, e), v)
}

func (p Prec) trig(x Interval, sine bool) Interval {
	p.check()
	m, r, ok := p.around(x)
	if !ok {
		return unitRange
	}
	return p.spread(p.trigPoint(m, sine), r)
}

// trigPoint encloses sin x or cos x for one number x, |x| < 2^maxTrigExp.
//
// For |x| < 2^−(p+4): |x| − |x|³ ≤ |sin x| ≤ |x| and 1 − x² ≤ cos x ≤ 1. Otherwise the
// scale is raised until the leading p bits are settled. That ends, because sin and
// cos have no zero among the dyadic numbers but sin 0.
func (p Prec) trigPoint(x *big.Float, sine bool) Interval {
	e := x.MantExp(nil)
	switch {
	case x.Sign() == 0 && sine:
		return Interval{}
	case x.Sign() == 0:
		return Int(1)
	case e < -int(p)-4 && sine:
		a := Interval{x, x}.Abs()
		y := Interval{p.add(down, a.l(), new(big.Float).Neg(p.mul(up, a.l(), p.mul(up, a.l(), a.l())))),
			p.set(up, a.l())}
		if x.Sign() < 0 {
			return y.Neg()
		}
		return y
	case e < -int(p)-4:
		return Interval{p.add(down, oneFloat, new(big.Float).Neg(p.mul(up, x, x))), oneFloat}
	}
	w := int(p) + 12
	if sine {
		w += max(0, -e)
	}
	for {
		c, s, err, v := expiFixed(x, w, -1)
		n := c
		if sine {
			n = s
		}
		short := int(p) + 4 - (n.BitLen() - err.BitLen())
		if short <= 0 {
			return p.FromFixed(n, err, v)
		}
		w += short + 4
	}
}

// expiFixed returns c, s, e, v with |(c + i·s)·2^−v − e^{ix}| ≤ e·2^−v; e is a few
// units of 2^(v−w). The Taylor sum is cut at the given degree as in expFixed.
//
// Requires: x ≠ 0, w ≥ 8.
//
// Reduction. Let |x| < 2^z with z ≥ 0, w′ = w + 32 + z, X = ⌊x·2^w′⌋ and H = ⌊(π/2)·2^w′⌋ up
// to the error of constant.fixed: H ≤ (π/2)·2^w′ < H + 2. With n = ⌊X/H⌋ and R = X − n·H ∈
// [0, H), the number r = x − n·π/2 satisfies r·2^w′ ∈ R + (−2|n|, 2|n| + 1). Here |n| ≤
// |X|/H + 1 ≤ 2^z + 2, so |r·2^w′ − R| < 2^(z+1) + 5 < 2^(z+4). With T = ⌊R/2^(32+z)⌋,
// r·2^w ∈ (T − 2^−28, T + 1 + 2^−28), hence |r − T·2^−w| < 2·2^−w.
//
// Series. With s ≥ 2 halvings, u = T·2^−(w+s) exactly, in scale v = w + s, and 0 ≤ u ≤
// (π/2)/4 < 1/2. expiSeries encloses e^{iu} in a disc. Squaring s times: if |ζ̃ − ζ| ≤
// ε, |ζ| = 1, then |ζ̃² − ζ²| = |ζ̃ − ζ|·|ζ̃ + ζ| ≤ ε(2 + ε), and rounding both parts down
// adds less than √2 units: e becomes at most 2e + e²·2^−v + 2.
//
// Argument error. |e^{ir} − e^{iu·2^s}| ≤ |r − T·2^−w| < 2·2^−w = 2^(s+1) units. At last e^{ix} =
// i^n·e^{ir}, exactly.
func expiFixed(x *big.Float, w, degree int) (c, s, e *big.Int, v int) {
	extra := 32 + max(0, x.MantExp(nil))
	X := fixedFloor(x, w+extra)
	H := piConstant.fixed(w + extra - 1)
	q, R := new(big.Int), new(big.Int)
	q.DivMod(X, H, R) // Euclidean: R ≥ 0
	T := R.Rsh(R, uint(extra))

	halvings := max(2, expHalvings(w))
	v = w + halvings
	c, s, e = expiSeries(T, v, degree)
	a, b := new(big.Int), new(big.Int)
	for range halvings {
		a.Mul(c, c)
		b.Mul(s, s)
		a.Sub(a, b)
		s.Mul(s, c)
		s.Rsh(s, uint(v-1))
		c.Rsh(a, uint(v))
		a.Mul(e, e)
		a.Rsh(a, uint(v))
		e.Lsh(e, 1)
		e.Add(e, a)
		e.Add(e, threeInt) // 2, and 1 for the bits of e² shifted out
	}
	e.Add(e, a.Lsh(oneInt, uint(halvings+1)))
	switch new(big.Int).And(q, threeInt).Int64() {
	case 1:
		c, s = s.Neg(s), c
	case 2:
		c, s = c.Neg(c), s.Neg(s)
	case 3:
		c, s = s, c.Neg(c)
	}
	return c, s, e, v
}

var threeInt = big.NewInt(3)

// expiSeries returns c, s, e with |(c + i·s)·2^−v − e^{iu}| ≤ e·2^−v for u = U·2^−v ∈ [0, 1/2],
// from the Taylor sum of the given degree or, for degree < 0, from all terms that do
// not vanish.
//
// The terms T_j of expSeries err by 0 ≤ τ_j − T_j < 2 from τ_j = 2^v·u^j/j!, and the terms of
// e^{iu} are i^j·τ_j. So the sum of the terms j ≤ N errs by less than 2N in modulus, and
// the terms left out by less than Σ_{j>N} τ_j < 2T_{N+1} + 4.
func expiSeries(U *big.Int, v, degree int) (c, s, e *big.Int) {
	term := new(big.Int).Lsh(oneInt, uint(v))
	c, s = new(big.Int).Set(term), new(big.Int)
	t, d := new(big.Int), new(big.Int)
	next := func(j int) { // term = T_j
		t.Mul(term, U)
		t.Rsh(t, uint(v))
		term.Quo(t, d.SetInt64(int64(j)))
	}
	j := 1
	for next(j); j <= degree || degree < 0 && term.Sign() > 0; next(j) {
		switch j & 3 {
		case 0:
			c.Add(c, term)
		case 1:
			s.Add(s, term)
		case 2:
			c.Sub(c, term)
		case 3:
			s.Sub(s, term)
		}
		j++
	}
	// Terms 0..j−1 are summed and term = T_j is the first left out.
	e = term.Lsh(term, 1)
	return c, s, e.Add(e, d.SetInt64(int64(2*(j-1)+4)))
}
