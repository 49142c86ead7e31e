// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"

	"dpverify/exact/kernel"
)

// Exp returns an enclosure of e^x.
//
// Width: a point argument gives hi/lo − 1 ≤ 2^(2−p); tested, not proved.
//
// A narrow x = [a, b] takes e^a alone: with d = b − a < 2^−k, e^b ≤ e^a·(1 + d + d²) < e^a·(1 + d + d·2^−k), as
// e^d ≤ 1 + d + d² for d ≤ 1.
func (p Prec) Exp(x Interval) Interval {
	p.check()
	if y, ok := p.inWords(x, (*threeWords).exp); ok {
		return y
	}
	if d := p.length(x); p.isNarrow(d) {
		w := p + narrowGuard
		y := w.expPoint(x.l())
		d = w.add(up, d, new(big.Float).SetMantExp(d, -p.narrow()))
		return Interval{p.set(down, y.l()), p.add(up, y.h(), w.mul(up, y.h(), d))}
	}
	return p.increasing(x, p.expPoint)
}

// length returns a bound of the length of x.
func (p Prec) length(x Interval) *big.Float {
	return (p + narrowGuard).add(up, x.h(), new(big.Float).Neg(x.l()))
}

// narrowGuard is the number of bits more with which images of narrow arguments are computed, so that what is added and
// rounded on the way does not show.
const narrowGuard = 8

// isNarrow reports whether 0 < d < 2^−k for k of narrow: d² is less than 2^−p or about that.
func (p Prec) isNarrow(d *big.Float) bool {
	return d.Sign() > 0 && !d.IsInf() && d.MantExp(nil) <= -p.narrow()
}

func (p Prec) narrow() int { return int(p) / 2 }

// increasing encloses a non-decreasing f on x from enclosures at the endpoints.
func (p Prec) increasing(x Interval, f func(*big.Float) Interval) Interval {
	lo := f(x.l())
	if x.IsPoint() {
		return lo
	}
	return Interval{lo.lo, f(x.h()).hi}
}

// decreasing encloses a non-increasing f on x.
func (p Prec) decreasing(x Interval, f func(*big.Float) Interval) Interval {
	at := f(x.h())
	if x.IsPoint() {
		return at
	}
	return Interval{at.lo, f(x.l()).hi}
}

// maxExpArg is the exponent from which e^x leaves the range on either side:
// |x| ≥ 2^29 gives e^|x| > 2^MaxExp because log2 e > 1.
const maxExpArg = 30

// expPoint encloses e^x for one number x, possibly infinite.
//
// For |x| < 2^−(p+4): 1 + x ≤ e^x ≤ 1 + x + x² ≤ 1 + x ± |x|/8 (all |x| ≤ 1/8),
// so e^x lies between 1 + x and 1 + 2x or 1 + x/2.
func (p Prec) expPoint(x *big.Float) Interval {
	if y, ok := p.inWords(Interval{x, x}, (*threeWords).exp); ok {
		return y
	}
	switch {
	case x.Sign() == 0:
		return Int(1)
	case x.Sign() < 0 && (x.IsInf() || x.MantExp(nil) >= maxExpArg):
		return Interval{zeroFloat, up.smallest()}
	case x.IsInf() || x.MantExp(nil) >= maxExpArg:
		return Interval{up.largest(), up.infinity()}
	case x.MantExp(nil) < -int(p)-4:
		k := 1
		if x.Sign() < 0 {
			k = -1
		}
		return Interval{p.add(down, oneFloat, x), p.add(up, oneFloat, new(big.Float).SetMantExp(x, k))}
	}
	w := int(p) + 12
	lo, hi, n, v := kernel.Exp(x, w, -1)
	return p.fromFixed(lo, hi, v-n)
}
