// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
)

// Rat returns the tightest p-bit enclosure of r; a point when r is a dyadic
// number of at most p bits.
func (p Prec) Rat(r *big.Rat) Interval {
	p.check()
	if d := r.Denom(); d.BitLen() == int(d.TrailingZeroBits())+1 { // a dyadic number: no division
		n := p.BigInt(r.Num())
		return p.Scale(n, -int(d.TrailingZeroBits()))
	}
	return Interval{clip(down, p.zero(down).SetRat(r)), clip(up, p.zero(up).SetRat(r))}
}

// BigInt returns the tightest p-bit enclosure of n.
func (p Prec) BigInt(n *big.Int) Interval {
	p.check()
	return Interval{clip(down, p.zero(down).SetInt(n)), clip(up, p.zero(up).SetInt(n))}
}

// Rationals returns the endpoints of a finite x, exactly. It reports false
// when an endpoint is infinite or has an exponent beyond ±2^20, where the
// rational would be too long to be useful.
func (x Interval) Rationals() (lo, hi *big.Rat, ok bool) {
	for _, f := range []*big.Float{x.l(), x.h()} {
		if f.IsInf() {
			return nil, nil, false
		}
		if e := f.MantExp(nil); e > 1<<20 || e < -1<<20 {
			return nil, nil, false
		}
	}
	lo, _ = x.l().Rat(nil)
	hi, _ = x.h().Rat(nil)
	return lo, hi, true
}

// UpperRat returns a rational ≥ x, the upper endpoint itself unless its exponent
// is below −2^16. It reports false when x is unbounded or astronomically large.
func (x Interval) UpperRat() (*big.Rat, bool) {
	h := x.h()
	if h.Sign() <= 0 && !h.IsInf() {
		return new(big.Rat), true
	}
	if h.IsInf() || h.MantExp(nil) > 1<<20 {
		return nil, false
	}
	if h.MantExp(nil) < -(1 << 16) {
		h = pow2(-(1 << 16))
	}
	r, _ := h.Rat(nil)
	return r, true
}
