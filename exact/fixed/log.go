// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/fraction"

// Log returns an enclosure of log x. It is Unknown unless x is known to be positive, by 128 bits or so.
//
// x = m·2^e: log x = e·log 2 − (−log m). An error of err ulps of m ≥ 1/2 is one of at most 2·err·(1 + 2^−128) < 2·err +
// 1 ulps of the logarithm.
func (Three) Log(x Real) Real {
	if x.err() > maxErr/2 || x.neg() || x.m.Hi>>63 == 0 {
		return Unknown()
	}
	err := uint64(fraction.LogErr + 2)
	if x.err() > 0 {
		err += 2*x.err() + 1
	}
	y := fraction.Log(x.m)
	t := fraction.Times(uint64(max(x.exp(), -x.exp())), &fraction.Ln2)
	if x.exp() <= 0 {
		f, c := fraction.AddCarry(t.F, y)
		return fromFixed(true, t.N+c, f, err)
	}
	f, b := fraction.SubBorrow(t.F, y)
	if b > t.N { // next to 1
		return fromFixed(true, 0, fraction.Sub(frac{}, f), err)
	}
	return fromFixed(false, t.N-b, f, err)
}
