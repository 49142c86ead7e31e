// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"

	"dpverify/exact/interval"
)

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

// upper returns the upper end of x as a point.
func upper(x interval.Interval) interval.Interval { return interval.Point(x.Hi()) }

// Integer returns an integer m and e with |x·2^v − m| ≤ e for every member of a finite x.
func Integer(x interval.Interval, v int) (m, e *big.Int) {
	lo, hi := floorScaled(x.Lo(), v), floorScaled(x.Hi(), v)
	hi.Add(hi, big.NewInt(1))
	m = new(big.Int).Add(lo, hi)
	m.Rsh(m, 1)
	return m, hi.Sub(hi, m)
}

// floorScaled returns ⌊f·2^v⌋ for a finite f.
func floorScaled(f *big.Float, v int) *big.Int {
	if f.Sign() == 0 {
		return new(big.Int)
	}
	e := f.MantExp(nil) + v // |f|·2^v < 2^e
	switch {
	case e < 0 && f.Sign() > 0:
		return new(big.Int)
	case e < 0:
		return big.NewInt(-1)
	}
	g := new(big.Float).SetMantExp(f, v)
	n, _ := g.Int(nil) // towards zero
	if g.Sign() < 0 && !g.IsInt() {
		n.Sub(n, big.NewInt(1))
	}
	return n
}
