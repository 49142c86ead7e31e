// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A turn has the distance of j·step/N from the nearest integer, as a share of a turn.
type turn struct {
	step  *big.Int
	nodes *big.Int
	small int64 // N, if that is a small number, and then short is step
	short int64
}

// long is the distance at j as a rational, and whether the nearest integer is above.
func (t *turn) long(j int64) (share *big.Rat, above bool) {
	m := new(big.Int).Mul(t.step, big.NewInt(j))
	if m.Mod(m, t.nodes); new(big.Int).Lsh(m, 1).Cmp(t.nodes) > 0 {
		m.Sub(t.nodes, m)
		above = true
	}
	return new(big.Rat).SetFrac(m, t.nodes), above
}

// brief is the distance at j times N, for a small N.
func (t *turn) brief(j int64) (steps int64, above bool) {
	m := modulo(t.short, j, t.small)
	return min(m, t.small-m), m > t.small-m
}

// rough is about the distance at j, off by less than 2^−50.
func (t *turn) rough(j int64) float64 {
	if t.small > 0 {
		m, _ := t.brief(j)
		return float64(m) / float64(t.small)
	}
	share, _ := t.long(j)
	return double.Near(share)
}

// A turner is a turn in an arithmetic.
type turner[R any] struct {
	turn
	p    interval.Prec
	unit R // 1/N
}

func newTurner[R any](w fixed.Arithmetic[R], p interval.Prec, step, nodes *big.Int) turner[R] {
	t := turner[R]{turn: turn{step: new(big.Int).Mod(step, nodes), nodes: nodes}, p: p}
	if nodes.BitLen() < 62 {
		t.small, t.short = nodes.Int64(), t.step.Int64()
		t.unit = w.Of(p.Rat(new(big.Rat).SetFrac(big.NewInt(1), nodes)))
	}
	return t
}

// at returns the distance at j ≥ 0, j < N.
func (t *turner[R]) at(w fixed.Arithmetic[R], j int64) R {
	share, _ := t.both(w, j)
	return share
}

// signed is at, below 0 where the nearest integer is above.
func (t *turner[R]) signed(w fixed.Arithmetic[R], j int64) R {
	share, above := t.both(w, j)
	if above {
		return w.Neg(share)
	}
	return share
}

func (t *turner[R]) both(w fixed.Arithmetic[R], j int64) (R, bool) {
	if t.small > 0 {
		m, above := t.brief(j)
		return w.Times(t.unit, m), above
	}
	share, above := t.long(j)
	return w.Of(t.p.Rat(share)), above
}

// modulo returns ab mod n, 0 ≤ a, b < n.
func modulo(a, b, n int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	_, r := bits.Div64(hi, lo, uint64(n)) // hi < n, as ab < n²
	return int64(r)
}
