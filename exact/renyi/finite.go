// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// InfiniteMass encloses the mass of infinite loss; false if it is not known.
func InfiniteMass(p interval.Prec, prod pair.Product) (interval.Interval, bool) {
	inf := zero
	for _, t := range prod {
		if HasInfiniteLoss(t.Pair) == interval.False {
			continue
		}
		if f, ok := logFinite(p, t.Pair); ok {
			m := interval.Clamp(p.Expm1(p.Mul(interval.Int(t.Count), f)).Neg(), 0, 1)
			inf = pair.Union(p, inf, m)
			continue
		}
		m, ok := infiniteOfOne(p, t.Pair)
		if !ok {
			return inf, false
		}
		inf = pair.Union(p, inf, pair.UnionPower(p, m, t.Count))
	}
	return inf, true
}

// infiniteOfOne is infinite of one copy of a pair.
func infiniteOfOne(p interval.Prec, x pair.Pair) (interval.Interval, bool) {
	if m, ok := pair.InfMass(pair.Product{{Pair: x, Count: 1}}); ok {
		return p.Rat(m), true
	}
	switch x := x.(type) {
	case pair.Sampled: // where Q = 0, (1−γ)Q + γP has only the mass of γP
		if !x.Reversed {
			m, ok := InfiniteMass(p, x.Base)
			return p.Mul(p.Rat(x.Rate), m), ok
		}
	case pair.Mean:
		sum := zero
		for i, o := range x.Of {
			m, ok := InfiniteMass(p, o)
			if !ok {
				return m, false
			}
			sum = p.Add(sum, p.Mul(p.Rat(x.Shares[i]), m))
		}
		return interval.Clamp(sum, 0, 1), true
	}
	os, rest, ok := x.Outcomes(p, maxOutcomes)
	if !ok {
		return zero, false
	}
	m := zero // its outcomes exclude each other
	for _, o := range os {
		if o.Q.IsZero() {
			m = p.Add(m, o.P)
		}
	}
	if !rest.IsZero() {
		m = p.Add(m, interval.Union(zero, rest))
	}
	return interval.Clamp(m, 0, 1), true
}

// logFinite encloses log P(L < ∞).
func logFinite(p interval.Prec, x pair.Pair) (interval.Interval, bool) {
	if m, ok := pair.InfMass(pair.Product{{Pair: x, Count: 1}}); ok {
		if m.Cmp(ratOne) == 0 {
			return interval.Interval{}, false
		}
		return p.Log1p(p.Rat(m).Neg()), true
	}
	y, ok := x.(pair.Truncated)
	switch {
	case !ok:
	case y.Noise == pair.GaussianNoise: // what lies left of s − r has no mass under Q
		s, r := new(big.Rat).Quo(y.Sensitivity, y.Width), new(big.Rat).Quo(y.Radius, y.Width)
		return p.Sub(p.Log(between(p, new(big.Rat).Sub(s, r), r)), p.Log(between(p, new(big.Rat).Neg(r), r))), true
	default:
		return truncatedLaplace(y)(p, ratOne), true // M(1): no tilt at all
	}
	return interval.Interval{}, false
}
