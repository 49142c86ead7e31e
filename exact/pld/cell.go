// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A mesh is the points iΔ of a grid, lo ≤ i ≤ hi, that a factor is put on.
type mesh struct {
	delta  *big.Rat // Δ
	lo, hi int64
}

func (m mesh) at(i int64) *big.Rat { return new(big.Rat).Mul(m.delta, new(big.Rat).SetInt64(i)) }

// A cell is a range (x_lo, x_hi] of losses, x_i = iΔ, with enclosures of its P- and
// Q-mass. All its losses are finite.
type cell struct {
	lo, hi int64
	p, q   interval.Interval
}

// A wordCell is a cell in words. Enclosures of masses may reach below 0, which roundings down cut off.
type wordCell struct {
	lo, hi int64
	p, q   fixed.Real
}

// coarse reports p·h² > 1/n, h in units of the spacing.
func coarse(p interval.Interval, h int64, n int) bool {
	const w = interval.Prec(32)
	return w.Mul(p, interval.Int(h*h)).LessEqRat(big.NewRat(1, int64(n))) != interval.True
}

// mass returns a − b ≥ 0 without its negative part.
func mass(w interval.Prec, a, b interval.Interval) interval.Interval {
	return interval.Max(interval.Int(0), w.Sub(a, b))
}

const (
	splitBits = 30
	splitOne  = 1 << splitBits
)
