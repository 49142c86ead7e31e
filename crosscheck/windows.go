// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import "math/big"

// Where bigfloat v0.2.0 is wrong, or takes for ever. windows_test.go pins every one
// of these.

// expWindow reports whether bigfloat.Exp cannot be trusted at x.
//
// Exp starts Newton's iteration from a float64. Below −708 that start is subnormal
// and has fewer bits the smaller it is: down to about −728 the iteration still
// converges at all precisions, below −734 at none, and between it depends on how
// near the precision is to a power of two times the start's bits. From −745.13
// downwards the argument is halved until float64 can represent the exponential, so
// that multiples of the window by powers of two are hit as well. Large arguments
// take a time in proportion to their logarithm at growing precision: from 2^20 on
// they are left out.
func expWindow(x *big.Float) bool {
	if x.Sign() == 0 {
		return x.Prec() == 0 // e^0 is said to be 0
	}
	if x.MantExp(nil) > 20 {
		return true
	}
	if x.Sign() > 0 {
		return false
	}
	y := new(big.Float).SetPrec(64).Set(x)
	low, high := big.NewFloat(-745.14), big.NewFloat(-727)
	for y.Cmp(low) <= 0 {
		y.SetMantExp(y, -1)
	}
	return y.Cmp(high) < 0
}

// logWindow reports whether bigfloat.Log cannot be trusted at x > 0: next to 1, where
// at 1 ± 2^−k it loses up to k − 64 bits, and at exponents beyond ±2^20, where it loses
// as many as they have, and all at the very end of the range.
func logWindow(x *big.Float) bool {
	if e := x.MantExp(nil); e > 1<<20 || e < -1<<20 {
		return true
	}
	d := new(big.Float).SetPrec(x.Prec()+64).Sub(x, big.NewFloat(1))
	return d.Sign() != 0 && d.MantExp(nil) < -60
}

// maxLogPrec is the precision above which bigfloat.Log has a data race on a cache of
// its package.
const maxLogPrec = 900
