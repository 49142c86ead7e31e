// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// Expm1 returns an enclosure of e^x − 1, of full relative accuracy for small x.
func (p Prec) Expm1(x Interval) Interval {
	p.check()
	return p.increasing(x, p.expm1Point)
}

// expm1Point encloses e^x − 1 for one x.
//
// For |x| < 2^−(p+4): x ≤ e^x − 1 ≤ x + x², true for x ≤ 1. Otherwise the
// difference is taken with as many more bits as it cancels: |e^x − 1| ≥ |x|/2 for
// |x| ≤ 1.
func (p Prec) expm1Point(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Interval{}
	case x.IsInf():
		return p.Sub(p.expPoint(x), Int(1))
	}
	e := x.MantExp(nil)
	if e < -int(p)-4 {
		return Interval{p.set(down, x), p.add(up, x, p.mul(up, x, x))}
	}
	q := p + 8 + Prec(max(0, -e))
	return p.Sub(q.expPoint(x), Int(1))
}
