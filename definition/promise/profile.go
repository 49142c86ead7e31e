// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package promise

import (
	"math/big"
	"slices"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// profile promises Σ (P − e^ε·Q)₊ ≤ δ for some ε and δ.
type profile []limit

type limit struct{ least, delta *big.Rat } // least is at most e^ε, and nearly that

// shortened is x ≥ 0 rounded down to a hundred bits and to at most 2^1024, since promises of that size are compared
// often. Below 2^−1024 it is 0.
func shortened(x *big.Rat) *big.Rat {
	const far = 1024
	if x.Cmp(interval.Pow2(far)) > 0 {
		return interval.Pow2(far)
	}
	if x.Cmp(interval.Pow2(-far)) < 0 {
		return new(big.Rat)
	}
	out, _ := new(big.Float).SetPrec(100).SetMode(big.ToZero).SetRat(x).Rat(nil)
	return out
}

func NewProfile(points []mechanism.ProfilePoint) profile {
	out := make(profile, len(points))
	for i, x := range points {
		least, _ := masses.ExpRat(x.Epsilon)
		out[i] = limit{shortened(least), x.Delta}
	}
	return out
}

func (pr profile) Kept(p, q []*big.Rat) bool {
	return !slices.ContainsFunc(pr, func(l limit) bool {
		return excess(p, q, l.least).Cmp(l.delta) > 0 || excess(q, p, l.least).Cmp(l.delta) > 0
	})
}

// excess is Σ (p − e·q)₊.
func excess(p, q []*big.Rat, e *big.Rat) *big.Rat {
	total, x := new(big.Rat), new(big.Rat)
	for i := range p {
		if x.Sub(p[i], x.Mul(e, q[i])); x.Sign() > 0 {
			total.Add(total, x)
		}
	}
	return total
}

func (pr profile) seems(p, q []*big.Rat) bool {
	x, y := masses.Floats(p), masses.Floats(q)
	for _, l := range pr {
		e := number.Float64(l.least)
		there, back := 0.0, 0.0
		for i := range x {
			there += max(0, x[i]-e*y[i])
			back += max(0, y[i]-e*x[i])
		}
		if max(there, back) > number.Float64(l.delta) {
			return false
		}
	}
	return true
}

// Line is the greatest of 1 − δ − e^ε·α and its mirror image (1 − δ − α)/e^ε, over all points, and of 0.
func (pr profile) Line() []corner {
	lines := []linear{{new(big.Rat), new(big.Rat)}}
	for _, l := range pr {
		rest := new(big.Rat).Sub(big.NewRat(1, 1), l.delta)
		if l.least.Sign() == 0 { // where δ is below 1, all that surely keeps it tells nothing
			if rest.Sign() > 0 {
				lines = append(lines, linear{big.NewRat(-1, 1), big.NewRat(1, 1)})
			}
			continue
		}
		inverse := new(big.Rat).Inv(l.least)
		lines = append(lines, linear{new(big.Rat).Neg(l.least), rest},
			linear{new(big.Rat).Neg(inverse), new(big.Rat).Mul(rest, inverse)})
	}
	return upper(lines)
}
