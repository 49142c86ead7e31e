// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"

	"dpverify/exact/kernel"
)

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
	c, s, e, v := kernel.Circle(m, int(p)+8, -1)
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
		c, s, err, v := kernel.Circle(x, w, -1)
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
