// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"math/big"

	"dpverify/exact/interval"
)

// trivial encloses the least and the greatest value that a quantity has for any event.
type trivial struct{ least, most interval.Interval }

// trivialPrec is the precision of such values.
const trivialPrec = interval.Prec(64)

// interval returns all values between the two.
func (t trivial) interval() interval.Interval { return interval.Bounds(t.least.Lo(), t.most.Hi()) }

// isBetter reports whether an enclosure excludes some value between the two for certain.
func (t trivial) isBetter(y interval.Interval) bool {
	return y.Lo().Cmp(t.least.Hi()) > 0 || y.Hi().Cmp(t.most.Lo()) < 0
}

// trivialDelta: max(0, 1 − e^ε) ≤ δ(ε) ≤ 1, the profile of two equal distributions and that
// of two that have nothing in common.
func trivialDelta(eps *big.Rat) trivial {
	const p = trivialPrec
	return trivial{interval.Max(interval.Int(0), p.Expm1(p.Rat(eps)).Neg()), interval.Int(1)}
}

// trivialEpsilon: log(1 − δ) ≤ ε(δ) for δ < 1, from δ(ε) ≥ 1 − e^ε.
func trivialEpsilon(delta *big.Rat) trivial {
	const p = trivialPrec
	all := interval.Entire()
	t := trivial{interval.Point(all.Lo()), interval.Point(all.Hi())}
	if delta.Cmp(one) < 0 {
		t.least = p.Log1p(p.Rat(delta).Neg())
	}
	return t
}

// trivialTradeOff: 0 ≤ f(x) ≤ 1 − x, which a test that flips a coin reaches. Beyond 1 there is no f, which the engine
// says.
func trivialTradeOff(x *big.Rat) trivial {
	return trivial{interval.Int(0), interval.Max(interval.Int(0), trivialPrec.Rat(new(big.Rat).Sub(one, x)))}
}

// one is 1.
var one = big.NewRat(1, 1)
