// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// Log1p returns an enclosure of log(1 + x), of full relative accuracy for small
// x. The domain is treated as in Log.
func (p Prec) Log1p(x Interval) Interval {
	p.check()
	if x.h().Cmp(minusOne) < 0 {
		return Entire()
	}
	if x.l().Cmp(minusOne) < 0 {
		x = Interval{minusOne, x.h()}
	}
	return p.increasing(x, p.log1pPoint)
}

// log1pPoint encloses log(1 + x) for one x ≥ −1.
//
// For |x| < 2^−(p+4): x − x² ≤ log(1 + x) ≤ x, as in logPoint. Otherwise 1 + x is
// enclosed with p + 16 bits more than the cancellation in 1 + x can cost, which
// is none for x ≥ 0, and exact when that many bits hold it.
func (p Prec) log1pPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Interval{}
	case x.IsInf():
		return p.logPoint(x)
	case x.MantExp(nil) < -int(p)-4:
		return Interval{p.add(down, x, new(big.Float).Neg(p.mul(up, x, x))), p.set(up, x)}
	}
	q := Prec(min(2*int(p)+int(x.Prec())+32, 4*MaxPrec))
	lo, hi := q.add(down, oneFloat, x), q.add(up, oneFloat, x)
	a := p.logPoint(lo)
	if lo.Cmp(hi) == 0 {
		return a
	}
	return Interval{a.lo, p.logPoint(hi).hi}
}
