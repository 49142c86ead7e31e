// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// coarsen doubles the spacing of a lattice that bounds from above: the mass a of an
// odd point x splits onto x − Δ and x + Δ so that P- and Q-mass are preserved (as in
// leaf.upper), a/(1 + e^Δ) below and a·e^Δ/(1 + e^Δ) above. The share below is rounded
// down and the rest goes above, which only raises losses.
//
// Requires: a rational step and no offset.
func (l *lattice) coarsen() *lattice {
	prec := l.v.Prec()
	delta := l.step.rat
	p := interval.Prec(prec) + 16
	share := p.Inv(p.Add(interval.Int(1), p.Exp(p.Rat(delta)))) // 1/(1 + e^Δ)
	s := interval.FloorScaled(share, prec)
	first, last := floorHalf(l.first), floorHalf(l.first+int64(l.v.Len()))
	out := &lattice{step: step{rat: new(big.Rat).Add(delta, delta)}, first: first,
		v: convolve.NewVector(int(last-first)+1, prec), rounding: l.rounding}
	m, low := new(big.Int), new(big.Int)
	add := func(j int64, m *big.Int) { out.v.Add(int(j-first), m) }
	for k := range l.v.Len() {
		i := l.first + int64(k)
		l.v.Load(m, k)
		if i&1 == 0 {
			add(i/2, m)
			continue
		}
		low.Mul(m, s)
		low.Rsh(low, prec)
		add((i+1)/2, m.Sub(m, low))
		add((i-1)/2, low)
	}
	v, skip := out.v.Trim()
	out.v, out.first = v, out.first+int64(skip)
	return out
}
