// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/inversion/remembered"
)

const (
	// maxDirectTerms is the number of terms up to which a line is not compared with the one of the reverse.
	maxDirectTerms = 1 << 8
	// mirrorGain is the factor by which the reverse has to cost less.
	mirrorGain = 3
)

// mirrors reports whether δ(ε) is computed by the reverse at a precision, and how many more bits that takes.
func (x *Transform) mirrors(p interval.Prec, eps interval.Interval) (extra interval.Prec, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok || x.mirror == nil {
		return 0, false
	}
	extra, _ = remembered.Of(&x.mirrored, lineKey{p: p, at: at.key()}, maxNeighbourhoods, func() (interval.Prec, error) {
		return x.mirrorBits(p, at), nil
	})
	return extra, extra > 0
}

// mirrorBits is the number of bits, 0 where the reverse is not used.
func (x *Transform) mirrorBits(p interval.Prec, at neighbourhood) interval.Prec {
	direct, ok := x.chooseAt(p, at)
	if ok && direct.far <= maxDirectTerms {
		return 0
	}
	e := double.Near(at.last())
	lost := max(0, math.Log(max(-math.Expm1(-e), 0))-x.aboutDelta(e, at.logDelta)) / math.Ln2
	const maxLost = 256
	if !(lost < maxLost) {
		return 0
	}
	extra := interval.Prec(lost) + 12
	y := x.mirror
	y.mu.Lock()
	defer y.mu.Unlock()
	other, ok2 := y.around(coarse.Rat(at.center).Neg())
	if !ok2 {
		return 0
	}
	c, ok2 := y.chooseAt(p+extra, other)
	if !ok2 || ok && y.termsCost(c)*mirrorGain > x.termsCost(direct) {
		return 0
	}
	return extra
}

// termsCost is near the cost of the terms of a line, in units of terms in words.
func (x *Transform) termsCost(c parameters) int {
	const beyondWords = 8
	if x.fitWords(c) {
		return c.far
	}
	return beyondWords * c.far
}

// aboutDelta is near log d(ε), whereas guessDelta and bulkDelta stay below it. It returns other if that is not known.
func (x *Transform) aboutDelta(eps, other float64) float64 {
	about := func(best, saddle float64) float64 { return best - double.Log64(saddle+2) - 2 }
	best, saddle, ok := likely.LeastMoment(x.law(), eps)
	if !ok {
		return other
	}
	y := about(best, saddle)
	if b, _, ok := x.bulkAt(y); ok {
		if best, saddle, ok = likely.LeastMoment(b, eps); ok {
			y = min(y, about(best, saddle))
		}
	}
	return max(y, other)
}
