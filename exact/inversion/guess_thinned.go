// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
)

// chooseRate returns ρ for so many bits of the mass that is left out. ρ has a few bits.
//
// The outcomes are left out from about x = nats/ρ + ρ/2 on, which is least for ρ = √(2·nats).
// The larger ρ, the narrower are strips.
func (m *mixture) chooseRate(bits int) float64 {
	nats := float64(bits) * math.Ln2
	best, rate := math.Inf(1), 0.0
	for i := 2; i <= 8; i++ {
		r := float64(math.Ceil(math.Sqrt(2*nats)*float64(i)/2)) / 4
		x := nats/r + r/2
		la, lb := m.logsAt(double.Point(x))
		if cost := (la.Mid() - lb.Mid()) * max(1.5*r, m.farthest().Mid()); cost < best {
			best, rate = cost, r
		}
	}
	return rate
}

// thinnedBits is the number of bits of throughThinned, or 0 where nothing is left out.
func (x *Transform) thinnedBits(p interval.Prec, eps interval.Interval) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok {
		return 0
	}
	key := lineKey{p: p, at: at.key()}
	if bits, known := x.thinning[key]; known {
		return bits
	}
	bits := x.chooseThinned(p, at)
	remembered.Put(&x.thinning, key, bits, maxNeighbourhoods)
	return bits
}

func (x *Transform) chooseThinned(p interval.Prec, at neighbourhood) int {
	direct, ok := x.chooseAt(p, at)
	if ok && direct.far <= maxDirectTerms {
		return 0
	}
	bits := (int(p) + guard - int(at.logDelta/math.Ln2) + 15) / 16 * 16
	y := x.thinned(bits)
	if y == nil {
		return 0
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	other, ok2 := y.around(coarse.Rat(at.center))
	if !ok2 {
		return 0
	}
	c, ok2 := y.chooseAt(p, other)
	if !ok2 || ok && y.termsCost(c)*mirrorGain > x.termsCost(direct) {
		return 0
	}
	return bits
}
