// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package promise

import (
	"math/big"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// profile promises Σ (P − e^ε·Q)₊ ≤ δ for some ε and δ.
type profile []limit

type limit struct{ least, delta *big.Rat } // least is at most e^ε, and nearly that

// shortened is x rounded down to a hundred fraction bits.
func shortened(x *big.Rat) *big.Rat {
	const bits = 100
	n := new(big.Int).Lsh(x.Num(), bits)
	return new(big.Rat).SetFrac(n.Quo(n, x.Denom()), new(big.Int).Lsh(big.NewInt(1), bits))
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
	for _, l := range pr {
		if excess(p, q, l.least).Cmp(l.delta) > 0 || excess(q, p, l.least).Cmp(l.delta) > 0 {
			return false
		}
	}
	return true
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
		e, _ := l.least.Float64()
		delta, _ := l.delta.Float64()
		there, back := 0.0, 0.0
		for i := range x {
			there += max(0, x[i]-e*y[i])
			back += max(0, y[i]-e*x[i])
		}
		if max(there, back) > delta {
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
		inverse := new(big.Rat).Inv(l.least)
		lines = append(lines, linear{new(big.Rat).Neg(l.least), rest},
			linear{new(big.Rat).Neg(inverse), new(big.Rat).Mul(rest, inverse)})
	}
	return upper(lines)
}
