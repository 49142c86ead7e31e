// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/least"
)

// Near returns a number near ε(δ) for δ = delta, for a search to start from. It bounds nothing.
// It reports false if it has none.
//
// The saddle point method gives a first number.
// Then (1) is summed in complex128 along a line close to the saddle point, where little cancels, and solved for ε.
// The answer is rounded to fewer bits than machines may differ by.
func (x *Transform) Near(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
	d := coarse.Rat(delta)
	inf, _ := x.infinite(coarse)
	d = coarse.Sub(d, inf)
	if d.Positive() != interval.True {
		return nil, false
	}
	eps, ok := x.near(ctx, double.Of(coarse.Log(d)).Mid())
	if !ok {
		return nil, false
	}
	y, _, ok := interval.Prec(24).Round(double.Point(eps).Exact()).Rationals()
	return y, ok
}

// About returns a number that is nearer to ε(δ) than those of most other products: of several, a search begins with the
// greatest. It costs a fraction of Near, and bounds nothing.
//
// Of samples and their reverse, whose losses are bounded, the samples have the greater one where that is above 0: it is
// for a δ that is small beside the scale of the losses, and two numbers are enough to say so.
func (x *Transform) About(delta *big.Rat) (*big.Rat, bool) {
	logDelta := double.Of(coarse.Log(coarse.Rat(delta))).Mid()
	const small = 4 // bits
	if c := x.continued; c != nil && logDelta < float64(x.quantum-small)*math.Ln2 {
		if c.Reversed {
			return new(big.Rat), true
		}
		return big.NewRat(1, 1), true
	}
	b, ok := x.newBulk(logDelta)
	if !ok {
		return nil, false
	}
	eps, ok := b.Jump(logDelta)
	if !ok {
		eps, _ = likely.SaddlePoint(b, logDelta)
	}
	return likely.Below(eps), isNumber(eps)
}

// near is Near for log δ, without infinite losses.
func (x *Transform) near(ctx context.Context, logDelta float64) (eps float64, ok bool) {
	y := double.Exp64(logDelta)
	if y > math.Ldexp(4, x.quantum) && y < 1 {
		return math.Log1p(-y), true // below nearly all losses, where δ(ε) is next to 1 − e^ε
	}
	b, mixed := x.newBulk(logDelta)
	var jump float64
	jumps := false
	if mixed {
		if eps, ok := b.Negative(y); ok {
			return eps, true
		}
		jump, jumps = b.Jump(logDelta)
	}
	const off = 8
	nearJump := func(eps float64) bool { return !jumps || math.Abs(eps-jump) < jump/off }
	_, start, ok := x.bulkAt(logDelta)
	if !ok {
		start, _ = likely.SaddlePoint(x.law(), logDelta)
	}
	if !nearJump(start) {
		start = jump
	}
	if eps, ok := x.nearInDouble(start, logDelta); ok && nearJump(eps) {
		return eps, true
	}
	if mixed {
		if eps, ok := nearReversed(ctx, b, y); ok && nearJump(eps) {
			return eps, true
		}
		if eps, ok := likely.NearOf(ctx, b, logDelta); ok && nearJump(eps) {
			return eps, true
		}
	}
	if jumps {
		return jump, true
	}
	if eps, ok := x.nearThinned(ctx, logDelta); ok {
		return eps, true
	}
	if eps, ok := likely.NearOf(ctx, x.law(), logDelta); ok {
		return eps, true
	}
	const below = 10
	return math.Log1p(-y), y > math.Ldexp(1, x.quantum-below) && y < 1
}

// nearInDouble is near by the lines in double precision that a search for a few digits goes on with, from a number
// that may be off by little.
func (x *Transform) nearInDouble(eps, logDelta float64) (float64, bool) {
	const bits, attempts = 16, 4
	for range attempts {
		if !isNumber(eps) || !x.falls || x.truncates {
			break
		}
		l, err := x.doubleLineAt(bits, double.Exactly(eps))
		if l == nil || err != nil {
			break
		}
		log, values := l.series.About()
		lambda := double.Near(l.lambda)
		next := likely.LineOf(lambda, double.Near(l.period), log, values).Solve(eps, logDelta)
		if moved := math.Abs(next - eps); moved < min(math.Ldexp(1, x.quantum-2), 0.5/lambda) {
			return next, true
		}
		eps = next
	}
	return 0, false
}

// nearReversed is near for an ε of at most a few times the losses' scale, by the law of the reverse, which has no large
// losses where those of samples are large.
func nearReversed(ctx context.Context, b bulk, delta float64) (eps float64, ok bool) {
	scale := math.Sqrt(b.Variance())
	l, ok := likely.NewLine(ctx, bulk{b.Reversed()}, 1/scale, 0, math.Log(scale)-5)
	if !ok {
		return 0, false
	}
	at := func(e float64) float64 { return double.Exp64(e)*double.Exp64(l.LogDelta(-e)) - math.Expm1(e) }
	const reach, halvings = 4, 40
	lo, hi := math.Log1p(-delta), reach*scale
	if !(at(lo) > delta && at(hi) < delta) {
		return 0, false
	}
	_, hi = least.Halved(lo, hi, halvings, func(eps float64) bool { return !(at(eps) < delta) })
	return hi, true
}
