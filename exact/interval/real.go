// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// A Real is a real number, or ±∞, given by an enclosure at every precision. More
// bits should give narrower enclosures, down to about 2^−p relatively; nothing
// but width depends on it.
type Real func(Prec) Interval

// RealRat returns the rational r.
func RealRat(r *big.Rat) Real {
	return func(p Prec) Interval { return p.Rat(r) }
}

// Neg returns −x.
func (x Real) Neg() Real {
	return func(p Prec) Interval { return x(p).Neg() }
}

// RelativeBits returns about −log2 of the relative width of x, at most limit: the
// number of its leading bits that are settled. It is limit for a point.
func (x Interval) RelativeBits(limit int) int {
	if x.IsPoint() {
		return limit
	}
	if !x.IsFinite() {
		return -limit
	}
	if x.l().Sign()*x.h().Sign() <= 0 {
		return 0
	}
	width := Prec(8).add(up, x.h(), new(big.Float).Neg(x.l()))
	return min(limit, x.Abs().l().MantExp(nil)-width.MantExp(nil))
}

// Refine evaluates f, an enclosure of one number, at rising precision until its
// leading p bits are settled, and returns the last enclosure rounded to p + 8
// bits. It gives up when the working precision exceeds limit: cancellation can
// eat any number of bits, and all of them if the number is 0.
func (p Prec) Refine(start, limit Prec, f func(Prec) Interval) Interval {
	p.check()
	w := max(start, p)
	for {
		y := f(w)
		if y.RelativeBits(int(p)) >= int(p) || 2*w-p > limit {
			return (p + 8).Round(y)
		}
		// Double the bits beyond p.
		w = p + 2*(w-p) + 32
	}
}
