// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// newMirror returns the transform of the reverse if the product is of pairs (C, 1), and else nil.
//
// Claim. For any two probability measures,
//
//	δ_{P‖Q}(ε) = ∫(p − e^ε·q)₊ = ∫(p − e^ε·q) + ∫(e^ε·q − p)₊ = 1 − e^ε + e^ε·δ_{Q‖P}(−ε).
//
// Poisson samples (C, 1) of a small probability q have rare losses that are a million times as large as all others.
// For a λ that suits the others, M(−λ) and M(−κ) are finite and useless.
// There is a line only for a λ of about 1 over the largest loss,
// and it has as many more terms as the others are smaller.
//
// The reverse (1, C) has no loss above −log(1 − q).
// In its profile at −ε, not δ is small but δ − (1 − e^ε).
// The difference costs some log₂(1 − e^{−ε}) − log₂ δ bits of precision, and no terms.
func (x *Transform) newMirror(prod pair.Product) *Transform {
	if x.continued == nil || x.continued.Reversed {
		return nil
	}
	y, ok := x.memo.newTransform(prod.Reverse())
	if !ok {
		return nil
	}
	y.quantum, y.name = x.quantum, x.name+" reversed"
	return y
}

// throughMirror encloses δ(ε) by the reverse: to p bits, if extra is what the difference costs, or little more.
func (x *Transform) throughMirror(
	ctx context.Context, p, extra interval.Prec, whole bool, eps interval.Real,
) (interval.Interval, error) {
	var d interval.Interval
	for range 3 {
		w := p + extra
		y, err := x.mirror.delta(ctx, w, whole, func(q interval.Prec) interval.Interval { return eps(q).Neg() })
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
		extra += (interval.Prec(min(short, 64)) + 4 + 15) / 16 * 16 // few lines serve many ε
	}
	return (p + guard).Round(d), nil
}
