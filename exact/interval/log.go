// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"

	"dpverify/exact/kernel"
)

// Log returns an enclosure of the natural logarithm of x. A part of x below 0
// is outside the domain and is ignored; at 0 the lower end is −∞; for x < 0 the
// result is [−∞, +∞].
//
// Width: a point argument gives a relative width ≤ 2^(3−p), also next to 1;
// tested, not proved.
//
// A narrow x = [a, b] takes log a alone: log b ≤ log a + (b − a)/a.
func (p Prec) Log(x Interval) Interval {
	p.check()
	if x.h().Sign() < 0 {
		return Entire()
	}
	if x.l().Sign() < 0 {
		x = Interval{zeroFloat, x.h()}
	}
	if y, ok := p.inWords(x, (*threeWords).log); ok {
		return y
	}
	if a := x.l(); a.Sign() > 0 && !x.IsPoint() {
		w := p + narrowGuard
		if d := w.quo(up, p.length(x), a); p.isNarrow(d) {
			y := w.logPoint(a)
			return Interval{p.set(down, y.l()), p.add(up, y.h(), d)}
		}
	}
	return p.increasing(x, p.logPoint)
}

// logPoint encloses log x for one x ≥ 0.
//
// With x = m·2^e, 2/3 ≤ m < 4/3: log x = e·log 2 + log m. For e ≠ 0 the sum is at
// least log 2 − log(4/3) > 0.4 in magnitude, so nothing cancels. For e = 0 the
// result is close to d = x − 1, and the scale is raised by −log2|d|.
//
// For e = 0 and |d| < 2^−(p+4): d − d² ≤ log(1 + d) ≤ d, true for |d| ≤ 1/2.
func (p Prec) logPoint(x *big.Float) Interval {
	if y, ok := p.inWords(Interval{x, x}, (*threeWords).log); ok {
		return y
	}
	switch {
	case x.Sign() == 0:
		return Interval{down.infinity(), down.largest()}
	case x.IsInf():
		return Interval{up.largest(), up.infinity()}
	}
	M, k := mantissa(x) // x = M·2^k
	e := k + M.BitLen()
	k = M.BitLen() // m = M·2^−k ∈ [1/2, 1)
	if t := new(big.Int).Mul(M, big.NewInt(3)); t.Cmp(new(big.Int).Lsh(oneInt, uint(k+1))) < 0 {
		e-- // m < 2/3: use 2m ∈ [1, 4/3)
		k--
	}
	w := int(p) + 12
	if e == 0 {
		d := new(big.Int).Lsh(oneInt, uint(k))
		d.Sub(M, d) // d·2^−k = x − 1
		if d.Sign() == 0 {
			return Interval{}
		}
		z := d.BitLen() - k // |x − 1| < 2^z
		if z < -int(p)-4 {
			lo, hi := p.fixed(down, d, k), p.fixed(up, d, k)
			return Interval{p.add(down, lo, new(big.Float).Neg(p.mul(up, lo, lo))), hi}
		}
		w += max(0, -z)
	}
	lo, hi := kernel.Log(M, k, e, w)
	return p.fromFixed(lo, hi, w)
}
