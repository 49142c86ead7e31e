// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A step is the positive spacing of a lattice of losses: a rational number, or
// the logarithm of a rational base > 1. The zero value is the spacing of a
// single point.
type step struct{ rat, base *big.Rat }

func (s step) zero() bool { return s.rat == nil && s.base == nil }

// loss returns k steps.
func (s step) loss(k int64) pair.Loss {
	switch {
	case s.rat != nil:
		return pair.RatLoss(new(big.Rat).Mul(s.rat, new(big.Rat).SetInt64(k)))
	case s.base != nil:
		return pair.LogLoss(s.base).Times(k)
	}
	return pair.Loss{}
}

func (s step) enclose(p interval.Prec) interval.Interval { return s.loss(1).Enclose(p) }

// common returns the largest step of which a and b are multiples, and the
// multiples. It reports false if there is none: a rational and the logarithm of
// a rational ≠ 1 never are commensurable (Lindemann), two logarithms are iff their
// bases are powers of one rational.
func common(a, b step) (s step, m, n int64, ok bool) {
	switch {
	case a.zero():
		return b, 0, 1, true
	case b.zero():
		return a, 1, 0, true
	case a.rat != nil && b.rat != nil:
		g := gcdRat(a.rat, b.rat)
		mr, nr := new(big.Rat).Quo(a.rat, g), new(big.Rat).Quo(b.rat, g)
		if !mr.Num().IsInt64() || !nr.Num().IsInt64() {
			return s, 0, 0, false
		}
		return step{rat: g}, mr.Num().Int64(), nr.Num().Int64(), true
	case a.base != nil && b.base != nil:
		g, m, n, ok := rootRat(a.base, b.base)
		return step{base: g}, m, n, ok
	}
	return s, 0, 0, false
}

// gcdRat returns the largest rational of which a, b > 0 are integer multiples.
func gcdRat(a, b *big.Rat) *big.Rat {
	// Over the common denominator d: gcd(a·d, b·d)/d.
	d := new(big.Int).Mul(a.Denom(), b.Denom())
	x := new(big.Int).Mul(a.Num(), b.Denom())
	y := new(big.Int).Mul(b.Num(), a.Denom())
	return new(big.Rat).SetFrac(x.GCD(nil, nil, x, y), d)
}

// rootRat returns g > 1, m and n with a = g^m and b = g^n, g as large as possible,
// for a, b > 1, or reports false if there is no such g: Euclid's algorithm on the
// exponents.
//
// The height (numerator times denominator) of g^m is h(g)^m, which grows with m.
// So if a = g^m and b = g^n with m > n, then a/b = g^(m−n) > 1 has a smaller height
// than a; if a quotient is not above 1 or not lower than its dividend, there is no
// g. Heights fall, hence the loop ends; it ends with success only if the last two
// numbers are equal, and every number before is a product of powers of them.
func rootRat(a, b *big.Rat) (g *big.Rat, m, n int64, ok bool) {
	// Invariant: x = Π in terms of a, b; (xa, xb), (ya, yb) are not needed: the
	// exponents follow from g at the end.
	x, y := a, b
	for x.Cmp(y) != 0 {
		hx, hy := height(x), height(y)
		if hx.Cmp(hy) < 0 {
			x, y, hx = y, x, hy
		}
		q := new(big.Rat).Quo(x, y)
		if q.Cmp(ratOne) <= 0 || height(q).Cmp(hx) >= 0 {
			return nil, 0, 0, false
		}
		x = q
	}
	return x, exponent(a, x), exponent(b, x), true
}

var ratOne = big.NewRat(1, 1)

func height(r *big.Rat) *big.Int { return new(big.Int).Mul(r.Num(), r.Denom()) }

// exponent returns the m with g^m = a.
func exponent(a, g *big.Rat) int64 {
	m := int64(0)
	for x := new(big.Rat).Set(a); x.Cmp(ratOne) != 0; m++ {
		x.Quo(x, g)
	}
	return m
}
