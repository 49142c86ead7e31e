// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package allocated encloses moments of random allocations.
package allocated

import (
	"math/big"

	"dpverify/exact/interval"
)

// Log encloses log E S^r, for a real r; with a base that may have Y = 0, r > 0.
func (a *Moment) Log(p interval.Prec, r *big.Rat) interval.Interval {
	switch {
	case r.Sign() == 0:
		return zero
	case a.X.Selected == 1 && r.IsInt() && r.Sign() > 0 && r.Cmp(big.NewRat(maxPower, 1)) <= 0:
		return a.power(p, r.Num().Int64())
	case a.X.Selected == 1:
		if y, ok := a.integral(p, r); ok {
			return y
		}
	case r.Cmp(big.NewRat(2, 1)) == 0:
		return a.second(p)
	}
	y := a.roughly(p, r)
	if r.Cmp(ratOne) > 0 || r.Sign() < 0 {
		y = interval.Bounds(y.Lo(), interval.Min(y, interval.Max(y.Lower(), a.Above(p, r))).Hi())
	}
	if a.X.Selected == 1 && r.Cmp(ratOne) > 0 {
		return a.between(p, r, y)
	}
	if two := big.NewRat(2, 1); a.X.Selected > 1 && r.Cmp(two) > 0 && a.Finite.Cmp(ratOne) == 0 {
		// the extension of the chord from 1, where the logarithm is 0
		low := p.Mul(p.Rat(minusOne(r)), a.second(p))
		y = interval.Bounds(interval.Max(low, y).Lo(), y.Hi())
	}
	return y
}
