// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An extent is a range of losses outside of which a source has next to no mass, and
// the variance of its loss under P or Q, whichever is larger, roughly: numbers that
// steer the choice of grids and bound nothing.
type extent struct {
	lo, hi   *big.Rat
	variance interval.Interval
}

// maxExtent is log2 of the largest losses that extents tell from ±∞.
const maxExtent = 40

// edge returns a point beyond which far(x) is false, to about 3 %, to the right for
// sign = +1 and to the left for −1.
func edge(far func(*big.Rat) bool, sign int64) *big.Rat {
	at := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, new(big.Rat).SetInt64(sign)) }
	const least, most = -40, maxExtent
	k := 0
	if far(at(interval.Pow2(0))) {
		for k < most && far(at(interval.Pow2(k))) {
			k++
		}
	} else {
		for k > least && !far(at(interval.Pow2(k-1))) {
			k--
		}
	}
	if k == least && !far(new(big.Rat)) {
		// Everything lies on the other side of 0, or close to 0.
		j := least
		for j < most && !far(at(new(big.Rat).Neg(interval.Pow2(j)))) {
			j++
		}
		if j == least {
			return at(interval.Pow2(least))
		}
		return at(new(big.Rat).Neg(interval.Pow2(j - 1)))
	}
	// far(2^(k−1)) holds, or k is the least; refine between 2^(k−1) and 2^k.
	x, step := interval.Pow2(k), interval.Pow2(k-2)
	for range 4 {
		y := new(big.Rat).Sub(x, step)
		if !far(at(y)) {
			x = y
		}
		step = new(big.Rat).Mul(step, big.NewRat(1, 2))
	}
	return at(x)
}

// ceilRat returns a rational ≥ x for a finite x of either sign.
func ceilRat(x interval.Interval) *big.Rat {
	if _, hi, ok := x.Rationals(); ok {
		return hi
	}
	return new(big.Rat)
}

// discreteExtent covers all outcomes of finite loss, by enclosures in float64 where these are finite.
func discreteExtent(os []pair.Outcome) extent {
	const p = interval.Prec(64)
	e := extent{lo: new(big.Rat), hi: new(big.Rat)}
	var span double.Interval
	var m1, m2 [2]double.Interval
	found := false
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		ws := [2]double.Interval{double.Of(o.P), double.Of(o.Q)}
		l := ws[0].Div(ws[1]).Log()
		if !l.IsFinite() {
			l = double.Of(o.EncloseLoss(p))
		}
		if !found {
			span, found = l, true
		}
		span = double.Union(span, l)
		for k, w := range ws {
			m1[k] = m1[k].Add(w.Mul(l))
			m2[k] = m2[k].Add(w.Mul(l.Sqr()))
		}
	}
	if found && span.IsFinite() {
		e.hi, e.lo = ceilRat(span.Exact()), new(big.Rat).Neg(ceilRat(span.Exact().Neg()))
	}
	for k := range m1 {
		if v := m2[k].Sub(m1[k].Sqr()); v.IsFinite() {
			e.variance = interval.Max(e.variance, p.Mid(v.Exact()))
		}
	}
	return e
}
