// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"
	"math/bits"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// Sum returns enclosures of
//
//	S_j = Σ_k a_k·e^{−i·j·θ_k},  j = 0 … n,
//
// for weights a_k ≥ 0 and angles θ_k.
// The errors are about 2^−p·Σ a_k if the enclosures of a and θ are as good as that.
// Up to maxWordPrec, waves in words are tried first.
//
// See long for the sums beyond words.
func Sum(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int) ([]interval.Complex, error) {
	if p <= maxWordPrec {
		if out, ok, err := wordSums(ctx, p, a, theta, n); ok || err != nil {
			return out, err
		}
	}
	return fixedSum(ctx, p, a, theta, n, int(p)+2*bits.Len(uint(n))+bits.Len(uint(len(a)))+12)
}

// wordSums is Sum in words, by waves with the middles a′ and θ′ of a and θ.
// It reports false where words do not suffice.
//
// As |e^{−ijθ} − e^{−ijθ′}| ≤ j·|θ − θ′|, each S_j differs from the sum of waves by at most
//
//	Σ_k |a_k − a′_k| + j·Σ_k a′_k·|θ_k − θ′_k|.
func wordSums(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int,
) ([]interval.Complex, bool, error) {
	amplitudes, angles := make([]fixed.Real, len(a)), make([]fixed.Real, len(a))
	var still, turning interval.Interval
	for k := range a {
		x, t := words180.Mid(a[k]), words180.Mid(theta[k])
		amplitudes[k], angles[k] = fixed.FromInterval(x), fixed.FromInterval(t)
		still = coarse.Add(still, coarse.Sub(a[k], x).Abs())
		turning = coarse.Add(turning, coarse.Mul(x.Abs(), coarse.Sub(theta[k], t).Abs()))
	}
	sums, ok, err := fixed.Waves(ctx, amplitudes, angles, n)
	if !ok || err != nil {
		return nil, false, err
	}
	out := make([]interval.Complex, n+1)
	for j, z := range sums {
		e := upper(coarse.Add(still, coarse.Mul(interval.Int(int64(j)), turning)))
		e = interval.Union(e.Neg(), e)
		y := z.Interval()
		out[j] = interval.Complex{Re: p.Add(y.Re, e), Im: p.Add(y.Im, e)}
	}
	return out, true, nil
}

// maxWordPrec is the precision up to which sums are tried in words.
const maxWordPrec = interval.Prec(144)

// words180 is the precision of three words.
const words180 = interval.Prec(180)
