// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/fraction"

// Exp returns an enclosure of e^x. It is Unknown for |x| ≥ 2^20, and where x is not known to
// 2^−131.
//
// For |t| ≤ r: |e^t − 1| ≤ r + r², so that an error of the argument of r < 2^−130 adds less than
// 0.51·r·(1 + 2^−130) to m, which is less than r.
func (Three) Exp(x Real) Real {
	n, f, r, ok := x.split()
	if !ok {
		return Unknown()
	}
	m, e := fraction.Exp(n, f)
	return pack(false, m, fraction.ExpErr+r, e)
}

// split returns n, f and r such that x is within r ulps of n + f. It reports false unless |x| < 2^20
// and r ≤ 2^61.
func (x Real) split() (n int64, f frac, r uint64, ok bool) {
	if x.err() > maxErr || x.exp() > 20 {
		return 0, f, 0, false
	}
	u, f := uint64(0), x.m
	r = x.err()
	switch {
	case x.exp() > 0:
		if r>>(61-x.exp()) != 0 {
			return 0, f, 0, false
		}
		u, f, r = f.Hi>>(64-x.exp()), f.Shl(uint(x.exp())), r<<x.exp()
	case x.exp() < 0:
		f, r = f.Shr(uint(-x.exp())), r>>min(-x.exp(), 63)+2
	}
	if r > 1<<61 {
		return 0, f, 0, false
	}
	n = int64(u)
	if x.neg() {
		n = -n
		if !f.IsZero() {
			n, f = n-1, fraction.Sub(frac{}, f)
		}
	}
	return n, f, r, true
}
