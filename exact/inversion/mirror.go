// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// The profile of a product by the one of its reverse. For any two probability measures,
//
//	δ_{P‖Q}(ε) = ∫(p − e^ε·q)₊ = ∫(p − e^ε·q) + ∫(e^ε·q − p)₊ = 1 − e^ε + e^ε·δ_{Q‖P}(−ε).
//
// Poisson samples (C, 1) of a small probability q have rare losses that are a million times as large as all others, so that M(−λ) and M(−λ′) are
// finite, and useless, where λ suits the others: there is a line for λ of about 1 over the largest loss only, and as many
// terms as the others are smaller. The reverse (1, C) has no loss above −log(1 − q). What is small in its profile at −ε is not δ but
// δ − (1 − e^ε): the difference costs precision, log₂(1 − e^{−ε}) − log₂ δ bits or so, and no terms.

// newMirror returns the transform of the reverse, if the product is of pairs (C, 1); else nil.
func (x *Transform) newMirror(prod pair.Product) *Transform {
	if x.continued == nil || x.continued.reversed {
		return nil
	}
	y, ok := x.memo.newTransform(prod.Reverse())
	if !ok {
		return nil
	}
	y.quantum = x.quantum
	return y
}

// mostDirect is the number of terms from which on a line is compared with the one of the reverse, and mirrorGain how many times less that
// must cost.
const (
	mostDirect = 1 << 8
	mirrorGain = 3
)

// mirrors reports whether δ(ε) comes from the reverse at a precision, and how many bits more that takes.
func (x *Transform) mirrors(p interval.Prec, eps interval.Interval) (extra interval.Prec, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok || x.mirror == nil {
		return 0, false
	}
	key := lineKey{p, at.key()}
	if extra, known := x.mirrored[key]; known {
		return extra, extra > 0
	}
	extra = x.mirrorBits(p, at, eps)
	if x.mirrored == nil || len(x.mirrored) >= 1024 {
		x.mirrored = make(map[lineKey]interval.Prec)
	}
	x.mirrored[key] = extra
	return extra, extra > 0
}

// mirrorBits is 0 where the reverse is not asked.
func (x *Transform) mirrorBits(p interval.Prec, at neighbourhood, eps interval.Interval) interval.Prec {
	direct, ok := x.chooseAt(p, at)
	if ok && direct.far <= mostDirect {
		return 0
	}
	e := float64Of(at.last())
	lost := max(0, math.Log(max(-math.Expm1(-e), 0))-x.aboutDelta(e, at.logDelta)) / math.Ln2
	const most = 256
	if !(lost < most) {
		return 0
	}
	extra := interval.Prec(lost) + 12
	y := x.mirror
	y.mu.Lock()
	defer y.mu.Unlock()
	other, ok2 := y.around(eps.Neg())
	if !ok2 {
		return 0
	}
	c, ok2 := y.chooseAt(p+extra, other)
	if !ok2 || ok && y.termsCost(c)*mirrorGain > x.termsCost(direct) {
		return 0
	}
	return extra
}

// termsCost is about what the terms of a line cost, in terms of words.
func (x *Transform) termsCost(c parameters) int {
	const beyondWords = 8
	if x.fitWords(c) {
		return c.far
	}
	return beyondWords * c.far
}

// aboutDelta is about log d(ε), where roughDelta and bulkDelta stay below it; other is returned if that is not known.
func (x *Transform) aboutDelta(eps, other float64) float64 {
	about := func(best, saddle float64) float64 { return best - double.Log64(saddle+2) - 2 }
	best, saddle, ok := leastMoment(x, eps)
	if !ok {
		return other
	}
	y := about(best, saddle)
	if b, ok := x.bulkAt(y); ok {
		if best, saddle, ok = leastMoment(b, eps); ok {
			y = min(y, about(best, saddle))
		}
	}
	return max(y, other)
}

// throughMirror encloses δ(ε) by the reverse: to p bits, if extra are as many as the difference costs, or little more.
func (x *Transform) throughMirror(ctx context.Context, p, extra interval.Prec, eps interval.Real) (interval.Interval, error) {
	var d interval.Interval
	for range 3 {
		w := p + extra
		y, err := x.mirror.Delta(ctx, w, func(q interval.Prec) interval.Interval { return eps(q).Neg() })
		if err != nil {
			return interval.Union(interval.Int(0), one), err
		}
		w += 32
		at := eps(w + 32)
		d = interval.Clamp(w.Sub(w.Mul(w.Exp(at), y), w.Expm1(at)), 0, 1)
		short := int(p) - d.RelativeBits(int(p))
		if short <= 2 || d.Hi().Sign() == 0 {
			break
		}
		extra += (interval.Prec(min(short, 64)) + 4 + 15) / 16 * 16 // few lines for many ε
	}
	return (p + guard).Round(d), nil
}
