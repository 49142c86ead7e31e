// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"cmp"
	"math"
	"math/big"
)

func minFloat(x, y *big.Float) *big.Float {
	if y.Cmp(x) < 0 {
		return y
	}
	return x
}

func maxFloat(x, y *big.Float) *big.Float {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
}

// Min returns {min(s, t) : s ∈ x, t ∈ y}, exactly.
func Min(x, y Interval) Interval {
	return Interval{minFloat(x.l(), y.l()), minFloat(x.h(), y.h())}
}

// Max returns {max(s, t) : s ∈ x, t ∈ y}, exactly.
func Max(x, y Interval) Interval {
	return Interval{maxFloat(x.l(), y.l()), maxFloat(x.h(), y.h())}
}

// Union returns the least interval that contains x and y.
func Union(x, y Interval) Interval {
	return Interval{minFloat(x.l(), y.l()), maxFloat(x.h(), y.h())}
}

// Intersect returns x ∩ y. It reports false when x and y have no common point:
// two enclosures of one number never do, so false proves that one is wrong.
func Intersect(x, y Interval) (Interval, bool) {
	lo, hi := maxFloat(x.l(), y.l()), minFloat(x.h(), y.h())
	if lo.Cmp(hi) > 0 {
		return Interval{}, false
	}
	return Interval{lo, hi}, true
}

// Clamp returns x ∩ [lo, hi] for an x that is known to enclose a number of
// [lo, hi]. It panics if that cannot be.
func Clamp(x Interval, lo, hi int64) Interval {
	z, ok := Intersect(x, Interval{new(big.Float).SetInt64(lo), new(big.Float).SetInt64(hi)})
	if !ok {
		panic("interval: internal error: Clamp of an enclosure outside the range of its value")
	}
	return z
}

// Contains reports whether the number f is in x. ±∞ is in x when it is an
// endpoint.
func (x Interval) Contains(f *big.Float) bool {
	return x.l().Cmp(f) <= 0 && f.Cmp(x.h()) <= 0
}

// ContainsRat reports whether r is in x.
func (x Interval) ContainsRat(r *big.Rat) bool {
	return cmpRat(x.l(), r) <= 0 && cmpRat(x.h(), r) >= 0
}

// Encloses reports whether y ⊆ x.
func (x Interval) Encloses(y Interval) bool {
	return x.l().Cmp(y.l()) <= 0 && y.h().Cmp(x.h()) <= 0
}

// cmpRat compares a float with a rational exactly and without allocating in
// proportion to the float's exponent.
func cmpRat(f *big.Float, r *big.Rat) int {
	if f.IsInf() || f.Sign() == 0 || f.Sign() != r.Sign() {
		if f.IsInf() {
			return f.Sign()
		}
		return cmp.Compare(f.Sign(), r.Sign())
	}
	// 2^(e−1) ≤ |f| < 2^e and 2^(k−1) < |r| < 2^(k+1): decide by magnitude first.
	e := f.MantExp(nil)
	k := r.Num().BitLen() - r.Denom().BitLen()
	switch {
	case e < k-1:
		return -f.Sign()
	case e-1 > k+1:
		return f.Sign()
	}
	q, _ := f.Rat(nil)
	return q.Cmp(r)
}

// AtLeastZero returns x without its negative part, for an x that is known to
// enclose a non-negative number.
func (x Interval) AtLeastZero() Interval {
	if x.l().Sign() >= 0 {
		return x
	}
	if x.h().Sign() < 0 {
		panic("interval: internal error: a negative enclosure of a non-negative number")
	}
	return Interval{zeroFloat, x.h()}
}

// Mid returns a point near the middle of a finite x; x itself otherwise.
func (p Prec) Mid(x Interval) Interval {
	if !x.IsFinite() || x.IsPoint() {
		return x
	}
	return Point(p.scale(down, p.add(down, x.l(), x.h()), -1))
}

// IndexAbove returns the least index i in [0, n] with i > f; n if there is none.
func IndexAbove[T int | int64](f *big.Float, n T) T {
	switch {
	case f.Sign() < 0:
		return 0
	case f.IsInf() || f.MantExp(nil) > 62:
		return n
	}
	i, _ := f.Int64() // truncates
	return T(min(i+1, int64(n)))
}

// Ceil returns ⌈f⌉, or the nearest integer of 63 bits.
func Ceil(f *big.Float) int64 {
	n, acc := f.Int64() // truncates towards 0, saturates
	if acc == big.Below && n < math.MaxInt64 {
		n++
	}
	return n
}
