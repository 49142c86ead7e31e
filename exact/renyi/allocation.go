// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi/allocated"
)

// allocation is the moment of a random allocation, or of one reversed.
func allocation(x pair.Allocation) (LogMoment, bool) {
	single := pair.Product{{Pair: x.Base, Count: 1}}
	base, ok := Moments(single)
	inf, known := pair.InfMass(single)
	if !ok || !known || single.IsGuarantee() {
		return nil, false
	}
	a := &allocated.Moment{X: x, Base: base, Finite: new(big.Rat).Sub(ratOne, inf)}
	reverse := pair.Product{{Pair: x.Base.Reverse(), Count: 1}}
	mass, known := pair.InfMass(reverse)
	zeros := !known || mass.Sign() > 0 // the ratio may be 0, and its powers below 0 infinite
	if back, ok := Moments(reverse); ok && !zeros {
		a.Back = back
	}
	order := func(r *big.Rat) *big.Rat {
		if x.Reversed {
			return new(big.Rat).Sub(ratOne, r)
		}
		return r
	}
	dominating := LogMoment(nil)
	if blocks, ok := pair.Blocks(pair.Product{{Pair: x, Count: 1}}); ok {
		dominating, _ = Moments(blocks)
	}
	a.Above = func(p interval.Prec, r *big.Rat) interval.Interval {
		if alpha := order(r); dominating != nil && alpha.Cmp(ratOne) > 0 {
			return dominating(p, alpha)
		}
		return interval.Entire()
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		r := order(alpha)
		if zeros && r.Sign() <= 0 {
			return interval.Entire() // the moment is of finite losses
		}
		return p.Round(a.Log(p+8, r))
	}, true
}
