// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// The error function family. erf and erfc take a = x², the normal tails a =
// x²/2; in both, √a is the argument of the error function. a is kept exactly.
// Small arguments use the series of erf in this file, the others the quadrature
// of erfc.go.

// NormalCDF returns an enclosure of Φ(x), the probability that a standard
// normal variable is at most x; of full relative accuracy for negative x.
func (p Prec) NormalCDF(x Interval) Interval { return p.NormalSF(x.Neg()) }

// NormalSF returns an enclosure of 1 − Φ(x) = erfc(x/√2)/2, of full relative
// accuracy for positive x.
func (p Prec) NormalSF(x Interval) Interval {
	p.check()
	if y, ok := p.narrowTail(x, Prec.normalSFPoint, 1); ok {
		return y
	}
	return p.decreasing(x, p.normalSFPoint)
}

// narrowTail returns f(x) of a narrow x = [a, b] from f(a), for erfc and half = 0 or for 1 − Φ and half = 1.
//
// f(a) − f(b) ≤ (b − a)·max |f′| on x, and |f′| = 2^(1−half)·e^(−t²·2^−half)/√(π·2^half) is greatest at the t next
// to 0.
func (p Prec) narrowTail(x Interval, f func(Prec, *big.Float) Interval, half int) (y Interval, ok bool) {
	d := p.length(x)
	t := zeroFloat
	switch {
	case x.l().Sign() > 0:
		t = x.l()
	case x.h().Sign() < 0:
		t = x.h()
	}
	g := newGauss(t, half)
	if g.a == nil || !p.isNarrow(new(big.Float).SetMantExp(d, max(0, t.MantExp(nil)))) {
		return y, false
	}
	const coarse = Prec(40)
	w := p + narrowGuard
	y = f(w, x.l())
	slope := coarse.Scale(coarse.Mul(coarse.expPoint(g.a.Neg(g.a)), Int(steepest[half])), -13)
	low := p.add(down, y.l(), new(big.Float).Neg(w.mul(up, d, slope.h())))
	if low.Sign() < 0 && y.l().Sign() >= 0 {
		low = zeroFloat
	}
	return Interval{low, p.set(up, y.h())}, true
}

// steepest is at least 2^13 times 2/√π = 1.12837… and 1/√(2π) = .39894…, the greatest |f′| of narrowTail.
var steepest = [2]int64{9244, 3269}

func (p Prec) normalSFPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return p.Scale(Int(1), -1)
	case x.Sign() < 0:
		return p.Sub(Int(1), p.normalSFPoint(new(big.Float).Neg(x)))
	}
	return p.Scale(p.erfcPositive(newGauss(x, 1)), -1)
}
