// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"dpverify/exact/fraction"
	"dpverify/exact/interval"
	"math/big"
)

// Add returns an enclosure of x + y.
//
// With x.exp() ≥ y.exp() by d: y's mantissa, shifted, is low by [0, 1) ulp of x, and its error
// less than ⌊err·2^−d⌋ + 1 such ulps. A carry halves the sum, which pack's rule bounds.
func (Three) Add(x, y Real) Real {
	if x.err() > maxErr || y.err() > maxErr {
		return Unknown()
	}
	if x.exp() < y.exp() {
		x, y = y, x
	}
	if x.isZero() { // a point 0 has no scale
		return y
	}
	if y.isZero() {
		return x
	}
	m, err := y.m, x.err()+y.err()
	if d := uint(x.exp() - y.exp()); d > 0 {
		m, err = m.Shr(d), x.err()+y.err()>>d+2
	}
	if x.neg() == y.neg() {
		s, c := fraction.AddCarry(x.m, m)
		if c == 0 {
			return pack(x.neg(), s, err, x.exp())
		}
		s = s.Shr(1)
		s.Hi |= 1 << 63
		return pack(x.neg(), s, err>>1+2, x.exp()+1)
	}
	d, b := fraction.SubBorrow(x.m, m)
	if b != 0 {
		return pack(y.neg(), fraction.Sub(frac{}, d), err, x.exp())
	}
	return pack(x.neg(), d, err, x.exp())
}

// Sub returns an enclosure of x − y.
func (w Three) Sub(x, y Real) Real {
	return w.Add(x, y.Neg())
}

// Scale returns x·2^k, exactly.
func (Three) Scale(x Real, k int) Real {
	if x.isZero() {
		return x
	}
	return pack(x.neg(), x.m, x.err(), x.exp()+max(min(k, 2*maxExp), -2*maxExp))
}

// Mul returns an enclosure of x·y.
//
// With mantissas m, n < 1 and errors d, e < 2^62 in ulps, |(m ± d)(n ± e) − m·n| ≤ m·e + n·d + d·e·2^−192, and the
// kernel is low by [0, 6). That is less than d + e + 7 ulps. And as m exceeds its leading word by less than 2^−64, m·e
// is less than 1 + 2^−2 ulps above the leading word of that word times e: all is less than 9 ulps above two of these.
// The second bound is the better one where errors are large: it does not double those of products near 1/4, which are
// shifted by a bit.
func (Three) Mul(x, y Real) Real {
	d, e := x.err(), y.err()
	if d > maxErr || e > maxErr {
		return Unknown()
	}
	if x.isZero() || y.isZero() {
		return Real{}
	}
	err := min(d+e+7, fraction.MulHi(x.m.Hi, e)+fraction.MulHi(y.m.Hi, d)+9)
	return pack(x.neg() != y.neg(), fraction.Mul(x.m, y.m), err, x.exp()+y.exp())
}

// Sqr returns an enclosure of x².
func (w Three) Sqr(x Real) Real { return w.Mul(x, x) }

// Div returns an enclosure of x/y. It is Unknown unless y has at least 128 leading bits, or so,
// that are known.
//
// Let q = m/n for mantissas m < n, n ≥ 1/2, and errors d, e < 2^62. (m ± d)/(n ± e) differs from q by at most
// (d + q·e)/(n − e·2^−192) ≤ 2·(d + e)·(1 + 2^−128) < 2·(d + e) + 1 ulps, and quo is low by [0, 1).
// If m ≥ n, m is halved first, which costs 1 + 1 ulps as in pack.
func (Three) Div(x, y Real) Real {
	if x.err() > maxErr || y.err() > maxErr || y.m.Hi>>63 == 0 {
		return Unknown()
	}
	if x.isZero() {
		return Real{}
	}
	m, d, exp := x.m, x.err(), x.exp()-y.exp()
	if _, b := fraction.SubBorrow(m, y.m); b == 0 {
		m, d, exp = m.Shr(1), d>>1+2, exp+1
	}
	d += y.err()
	if d > maxErr/2 {
		// 2d + 2 would not fit: shorten the quotient by two bits.
		return pack(x.neg() != y.neg(), fraction.Quo(m, y.m).Shr(2), d>>1+3, exp+2)
	}
	return pack(x.neg() != y.neg(), fraction.Quo(m, y.m), 2*d+2, exp)
}

// Inv returns an enclosure of 1/x.
func (w Three) Inv(x Real) Real { return w.Div(Int(1), x) }

// Sqrt returns an enclosure of √x. It is Unknown unless x is known to be positive, by 128 bits or so.
//
// For every y > 0, √x lies between y and x/y, and their mean y′ is at least √x and at most that by
// (y − √x)²/2y [Heron]. The guess is good to 2^−3, and the steps to 2^−7, 2^−15, 2^−31, 2^−63, 2^−127 and
// 2^−255; the enclosure does not rely on it.
func (w Three) Sqrt(x Real) Real {
	if x.isZero() {
		return Real{}
	}
	if x.err() > maxErr || x.neg() || x.m.Hi>>63 == 0 {
		return Unknown()
	}
	// x = m·2^2k, 1/4 ≤ m < 1
	k := (x.exp() + 1) >> 1
	m := w.Scale(x, -2*k)
	// √m is within 1/8 of (m + 1)/2 − 1/16 on [1/4, 1].
	y := w.Sub(w.Scale(w.Add(m, Int(1)), -1), w.Scale(Int(1), -4)).exact()
	for range 6 {
		y = w.Scale(w.Add(y, w.Div(m, y)), -1).exact() // any y serves
	}
	z := w.Div(m, y)
	half := w.Scale(w.Sub(y, z), -1)
	return w.Scale(w.widen(w.Scale(w.Add(y, z), -1), half), k)
}

// exact returns the middle of x.
func (x Real) exact() Real { return pack(x.neg(), x.m, 0, x.exp()) }

// FromInterval returns an enclosure of x: the endpoints, rounded to 192 bits, are within
// err of their mean.
func FromInterval(x interval.Interval) Real {
	if !x.IsFinite() {
		return Unknown()
	}
	lo := fromFloat(x.Lo())
	if x.IsPoint() {
		return lo
	}
	w := Three{}
	hi := fromFloat(x.Hi())
	half := w.Scale(w.Sub(hi, lo), -1)
	mid := w.Scale(w.Add(lo, hi), -1)
	// x lies in mid ± half, and either enclosure adds its own error.
	return w.widen(mid, half)
}

// Less answers x < y.
func (x Real) Less(y Real) interval.Truth { return Three{}.Sub(y, x).Positive() }

// Rat returns an enclosure of r: a point if it is a dyadic number of at most 192 bits.
func (Three) Rat(r *big.Rat) Real {
	n, d := r.Num(), r.Denom()
	if k := int(d.TrailingZeroBits()); k == d.BitLen()-1 && n.BitLen() <= 192 {
		return pack(n.Sign() < 0, fraction.Of(n), 0, 192-k)
	}
	return FromInterval(interval.Prec(256).Rat(r))
}
