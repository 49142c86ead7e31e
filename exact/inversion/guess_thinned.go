// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/likely"
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
func (x *Transform) thinnedBits(ctx context.Context, p interval.Prec, eps interval.Interval) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok {
		return 0
	}
	bits, _ := remembered.Of(&x.thinning, lineKey{p: p, at: at.key()}, maxNeighbourhoods, func() (int, error) {
		return x.chooseThinned(ctx, p, at), ctx.Err()
	})
	return bits
}

// chooseThinned is thinnedBits without a memory. Where the product itself has a line, what it says about δ is near, and
// some bits are to spare. Else it may be far off: a line of what is left, if much is left out, says more.
func (x *Transform) chooseThinned(ctx context.Context, p interval.Prec, at neighbourhood) int {
	direct, ok := x.chooseAt(p, at)
	if ok && direct.far <= maxDirectTerms {
		return 0
	}
	bits := func(p int, logDelta float64) int { return (p + 4 - int(logDelta/math.Ln2)) / 4 * 4 } // few of them differ
	logDelta := at.logDelta
	if y := x.thinned(bits(fewBits, logDelta)); !ok && y != nil && at.center.Sign() > 0 {
		eps := double.Near(at.center)
		if _, saddle, ok := likely.LeastDelta(y.law(), eps); ok {
			if l, ok := likely.NewLine(ctx, y.law(), saddle, eps, logDelta); ok {
				if about := l.LogDelta(eps); about > logDelta-fewBits*math.Ln2/2 {
					logDelta = min(about, 0)
				}
			}
		}
	}
	best := bits(int(p), logDelta)
	if ok {
		best = (best + 19) / 16 * 16
	}
	y := x.thinned(best)
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
	return best
}

// fewBits are those of numbers that searches start from.
const fewBits = 16

// nearThinned is near without large losses.
func (x *Transform) nearThinned(ctx context.Context, logDelta float64) (eps float64, ok bool) {
	if x.mirror != nil || !(logDelta < 0) {
		return 0, false
	}
	x.mu.Lock()
	y := x.thinned(fewBits - int(logDelta/math.Ln2))
	x.mu.Unlock()
	if y == nil {
		return 0, false
	}
	return likely.NearOf(ctx, y.law(), logDelta)
}
