// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/bits"
)

// Neg returns −x, exactly.
func (x Interval) Neg() Interval {
	return Interval{new(big.Float).Neg(x.h()), new(big.Float).Neg(x.l())}
}

// Abs returns |x|, exactly.
func (x Interval) Abs() Interval {
	switch {
	case x.l().Sign() >= 0:
		return x
	case x.h().Sign() <= 0:
		return x.Neg()
	}
	m := new(big.Float).Neg(x.l())
	if m.Cmp(x.h()) < 0 {
		m = x.h()
	}
	return Interval{zeroFloat, m}
}

// Round returns the tightest enclosure of x whose endpoints have p bits.
func (p Prec) Round(x Interval) Interval {
	p.check()
	return Interval{p.set(down, x.l()), p.set(up, x.h())}
}

// Add returns an enclosure of x + y.
func (p Prec) Add(x, y Interval) Interval {
	p.check()
	return Interval{p.add(down, x.l(), y.l()), p.add(up, x.h(), y.h())}
}

// Sub returns an enclosure of x − y.
func (p Prec) Sub(x, y Interval) Interval { return p.Add(x, y.Neg()) }

// Mul returns an enclosure of x·y.
func (p Prec) Mul(x, y Interval) Interval {
	p.check()
	// Normalise to hi(x) > 0 and hi(y) > 0, or a zero factor.
	if x.h().Sign() <= 0 {
		return p.mulPositive(x.Neg(), y).Neg()
	}
	return p.mulPositive(x, y)
}

// mulPositive multiplies when hi(x) ≥ 0.
func (p Prec) mulPositive(x, y Interval) Interval {
	xl, xh, yl, yh := x.l(), x.h(), y.l(), y.h()
	switch {
	case xl.Sign() >= 0 && yl.Sign() >= 0:
		return Interval{p.mul(down, xl, yl), p.mul(up, xh, yh)}
	case xl.Sign() >= 0 && yh.Sign() <= 0:
		return Interval{p.mul(down, xh, yl), p.mul(up, xl, yh)}
	case xl.Sign() >= 0:
		return Interval{p.mul(down, xh, yl), p.mul(up, xh, yh)}
	case yl.Sign() >= 0: // xl < 0 < xh from here on
		return Interval{p.mul(down, xl, yh), p.mul(up, xh, yh)}
	case yh.Sign() <= 0:
		return Interval{p.mul(down, xh, yl), p.mul(up, xl, yl)}
	}
	return Interval{
		minFloat(p.mul(down, xl, yh), p.mul(down, xh, yl)),
		maxFloat(p.mul(up, xl, yl), p.mul(up, xh, yh)),
	}
}

// Sqr returns an enclosure of x².
func (p Prec) Sqr(x Interval) Interval {
	a := x.Abs()
	return p.Mul(a, a)
}

// Div returns an enclosure of x/y. It is [−∞, +∞] when y contains 0, unless y
// touches 0 only at an endpoint, where one side stays bounded.
func (p Prec) Div(x, y Interval) Interval {
	p.check()
	if y.h().Sign() <= 0 {
		x, y = x.Neg(), y.Neg()
	}
	switch {
	case y.l().Sign() < 0 || y.h().Sign() == 0:
		return Entire()
	case y.l().Sign() == 0: // 0 < t ≤ hi(y)
		switch {
		case x.IsZero():
			return Interval{}
		case x.l().Sign() >= 0:
			return Interval{p.quo(down, x.l(), y.h()), up.infinity()}
		case x.h().Sign() <= 0:
			return Interval{down.infinity(), p.quo(up, x.h(), y.h())}
		}
		return Entire()
	}
	// 0 < lo(y): the quotient falls with the denominator where x is positive and
	// rises where it is negative.
	dl, dh := y.h(), y.h()
	if x.l().Sign() < 0 {
		dl = y.l()
	}
	if x.h().Sign() > 0 {
		dh = y.l()
	}
	return Interval{p.quo(down, x.l(), dl), p.quo(up, x.h(), dh)}
}

// Inv returns an enclosure of 1/x.
func (p Prec) Inv(x Interval) Interval { return p.Div(Int(1), x) }

// Scale returns an enclosure of x·2^k: exact unless out of range.
func (p Prec) Scale(x Interval, k int) Interval {
	p.check()
	return Interval{p.scale(down, x.l(), k), p.scale(up, x.h(), k)}
}

// PowInt returns an enclosure of x^n for any integer n; x^0 is 1.
//
// Width: binary powering loses at most 2·log2|n| + 2 units of relative
// uncertainty, so that many guard bits keep the result near p bits.
func (p Prec) PowInt(x Interval, n int64) Interval {
	p.check()
	switch {
	case n == 0:
		return Int(1)
	case n < 0:
		if n == -1<<63 {
			return p.Inv(p.PowInt(p.PowInt(x, 1<<31), 1<<32)) // −n does not fit
		}
		return p.Inv((p + 8).PowInt(x, -n))
	}
	even := n&1 == 0
	base := x
	if even {
		base = x.Abs()
	}
	// A power is monotone in each endpoint of a same-signed base: powers of the
	// two endpoints apart avoid the dependency of repeated interval products.
	switch {
	case base.l().Sign() >= 0:
		return Interval{p.pow(down, base.l(), n), p.pow(up, base.h(), n)}
	case base.h().Sign() <= 0: // odd n
		b := base.Neg()
		return Interval{p.pow(down, b.l(), n), p.pow(up, b.h(), n)}.Neg()
	}
	return Interval{
		new(big.Float).Neg(p.pow(up, new(big.Float).Neg(base.l()), n)),
		p.pow(up, base.h(), n),
	}
}

// pow returns a bound of x^n, x ≥ 0, n ≥ 1: every partial product of
// non-negative bounds is one.
func (p Prec) pow(to direction, x *big.Float, n int64) *big.Float {
	w := p + Prec(2*bits.Len64(uint64(n))) + 2
	z := x
	for i := bits.Len64(uint64(n)) - 2; i >= 0; i-- {
		z = w.mul(to, z, z)
		if n>>i&1 == 1 {
			z = w.mul(to, z, x)
		}
	}
	return p.set(to, z)
}
