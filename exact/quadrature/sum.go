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
// for amplitudes a_k of either sign and angles θ_k.
// The errors are about 2^−p·Σ |a_k| if the enclosures of a and θ are as good as that.
// Up to maxWordPrec, waves in words are tried first.
//
// See long for the sums beyond words.
func Sum(ctx context.Context, p interval.Prec, a, theta []interval.Interval, n int) ([]interval.Complex, error) {
	return fallingSum(ctx, p, a, theta, make(Lacks, n+1))
}

// fallingSum is Sum where S_j may lack some of the bits that it would have.
func fallingSum(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, lacks Lacks,
) ([]interval.Complex, error) {
	n := len(lacks) - 1
	if p <= maxWordPrec {
		if out, ok, err := wordSums(ctx, p, a, theta, n); ok || err != nil {
			return out, err
		}
	}
	return bandSums(ctx, p, a, theta, lacks, int(p)+2*bits.Len(uint(n))+bits.Len(uint(len(a)))+12)
}

// bandSums is fixedSum of bands of waves, one after the other: those that are smaller have so many fewer words.
//
// Amplitudes of band b are below 2^(t−52b), 2^t > the greatest, and so in the scale w − 52b it has units as small as
// those of all waves in the scale w. Its errors are bounded on its own, as is what is rounded where bands are added.
func bandSums(
	ctx context.Context, p interval.Prec, a, theta []interval.Interval, lacks Lacks, w int,
) ([]interval.Complex, error) {
	out := make([]interval.Complex, len(lacks))
	for i, b := range bandsOf(a, theta, w) {
		if len(b.a) == 0 {
			continue
		}
		sums, err := fixedSum(ctx, p, b.a, b.theta, lacks, max(w-limbBits*i, leastScale))
		if err != nil {
			return nil, err
		}
		for j, z := range sums {
			out[j] = (p + 16).AddC(out[j], z)
		}
	}
	for j, z := range out {
		out[j] = p.RoundC(z)
	}
	return out, nil
}

// A band has waves of amplitudes alike.
type band struct{ a, theta []interval.Interval }

// bandsOf puts every wave into one of the bands of bandSums. The last has all that are w bits below the greatest.
func bandsOf(a, theta []interval.Interval, w int) []band {
	top := -interval.MaxExp
	for _, x := range a {
		top = max(top, exponentOf(x))
	}
	bands := make([]band, w/limbBits+2)
	for k, x := range a {
		b := &bands[min((top-exponentOf(x))/limbBits, len(bands)-1)]
		b.a, b.theta = append(b.a, x), append(b.theta, theta[k])
	}
	return bands
}

// exponentOf returns the least e ≥ −MaxExp with |x| < 2^e. It is MaxExp where x has no bound.
func exponentOf(x interval.Interval) int {
	switch most := x.Abs().Hi(); {
	case most.IsInf():
		return interval.MaxExp
	case most.Sign() == 0:
		return -interval.MaxExp
	default:
		return most.MantExp(nil)
	}
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
