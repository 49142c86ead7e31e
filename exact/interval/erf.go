// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// The error function family. erf and erfc take a = x², the normal tails a =
// x²/2; in both, √a is the argument of the error function. a is kept exactly.
// Small arguments use the series of erf in this file, the others the quadrature
// of erfc.go.

// Erfc returns an enclosure of 1 − erf(x), of full relative accuracy also where
// it is tiny: erfc(10^4) is about 10^−43429453. From x = 2^15 on the result is
// outside the range of the package, and the lower end is 0.
//
// Width: a point argument gives a relative width ≤ 2^(4−p); tested.
func (p Prec) Erfc(x Interval) Interval {
	p.check()
	if y, ok := p.narrowTail(x, Prec.erfcPoint, 0); ok {
		return y
	}
	return p.decreasing(x, p.erfcPoint)
}

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

func (p Prec) erfPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Interval{}
	case x.Sign() < 0:
		return p.erfPoint(new(big.Float).Neg(x)).Neg()
	case x.MantExp(nil) < 0: // x < 1/2
		return p.erfSmall(newGauss(x, 0))
	}
	// 1 − erfc(x) ≥ 1/2: a relative error of erfc is at most one of erf.
	return p.Sub(Int(1), (p + 4).erfcPoint(x))
}

func (p Prec) erfcPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Int(1)
	case x.Sign() < 0:
		return p.Add(Int(1), p.erfPoint(new(big.Float).Neg(x)))
	}
	return p.erfcPositive(newGauss(x, 0))
}

func (p Prec) normalSFPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return p.Scale(Int(1), -1)
	case x.Sign() < 0:
		return p.Sub(Int(1), p.normalSFPoint(new(big.Float).Neg(x)))
	}
	return p.Scale(p.erfcPositive(newGauss(x, 1)), -1)
}
