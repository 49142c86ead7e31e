// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package likely has what is near the law of the losses of a product, of its likely outcomes alone. All of it guesses
// in float64, and bounds nothing.
package likely

import (
	"context"
	"math"

	"dpverify/exact/double"
)

// A Law is a product of so many copies of each term.
type Law []Term

// A Term is outcomes of a factor: their masses under P, and their losses.
type Term struct {
	Count           float64
	Weights, Losses []float64
}

// Variance is the variance of the losses that remain.
func (b Law) Variance() float64 {
	sum := 0.0
	for _, t := range b {
		m1, m2 := 0.0, 0.0
		for k, w := range t.Weights {
			m1, m2 = m1+w*t.Losses[k], m2+w*t.Losses[k]*t.Losses[k]
		}
		sum += t.Count * max(m2-m1*m1, 0)
	}
	return sum
}

// LogMoment is near log M(−λ), or no finite number.
func (b Law) LogMoment(lambda float64) float64 {
	sum := 0.0
	for _, t := range b {
		rest := 0.0 // M(−λ) − 1
		for k, w := range t.Weights {
			rest += w * math.Expm1(lambda*t.Losses[k])
		}
		sum += t.Count * math.Log1p(rest)
	}
	return sum
}

// LogMoments is LogMoment, with the first and the second derivative by λ.
func (b Law) LogMoments(lambda float64) (log, slope, bend float64) {
	for _, t := range b {
		var rest, first, second float64 // M(−λ) − 1, and its derivatives
		for k, w := range t.Weights {
			l := t.Losses[k]
			grown := math.Expm1(lambda * l)
			rest += float64(w * grown)
			tilted := float64(float64(w*(1+grown)) * l)
			first += tilted
			second += float64(tilted * l)
		}
		mean := first / (1 + rest)
		log += float64(t.Count * math.Log1p(rest))
		slope += float64(t.Count * mean)
		bend += float64(t.Count * (second/(1+rest) - float64(mean*mean)))
	}
	return log, slope, bend
}

// LogLine returns numbers near log M(−λ + ijh) − log M(−λ), j = 0 … n.
// It reports false for long lines, on which |M| falls late because of a few large losses:
// the table has too few of them.
func (b Law) LogLine(ctx context.Context, lambda, h float64, n int) ([]complex128, bool) {
	const maxLength = 512
	if n > maxLength {
		return nil, false
	}
	out := make([]complex128, n+1)
	for _, t := range b {
		grown := make([]float64, len(t.Losses))     // e^{λL} − 1
		turns := make([]complex128, len(t.Losses))  // e^{−iu} − 1
		turned := make([]complex128, len(t.Losses)) // e^{−iju} − 1
		for k, l := range t.Losses {
			grown[k] = math.Expm1(lambda * l)
			// With c, s of half the angle, e^{−iu} = 1 − 2s² − 2isc.
			c, s := double.Cis64(math.Remainder(h*l/2, 2*math.Pi))
			turns[k] = complex(-2*s*s, -2*s*c)
		}
		norm := 0.0
		for j := range out {
			if ctx.Err() != nil {
				return nil, false
			}
			var re, im float64 // of M − 1
			for k, w := range t.Weights {
				re += float64(w * (grown[k] + float64(real(turned[k])*(1+grown[k]))))
				im += float64(w * float64((1+grown[k])*imag(turned[k])))
				turned[k] += turned[k]*turns[k] + turns[k]
			}
			log := math.Log1p(2*re+re*re+im*im) / 2
			if j == 0 {
				norm = log
			}
			out[j] += complex(t.Count*(log-norm), t.Count*math.Atan2(im, 1+re))
		}
	}
	return out, true
}

// Jump returns an ε at which δ is near e^logDelta, where one large loss among small ones is what exceeds ε.
//
// The other losses are about normal, and δ is the sum over the large losses, those above ε/4:
//
//	δ(ε) ≈ G(ε) + Σ count·P(L = l)·G(ε − l),  G(e) = E[(1 − e^{e−Z})₊],  Z normal.
//
// This is so with few steps that are sampled rarely, where moments of a heavy tail say little about it.
// Jump reports false where several large losses matter, or none.
func (b Law) Jump(logDelta float64) (eps float64, ok bool) {
	at := func(eps float64) (small, large, often float64) {
		mean, variance := 0.0, 0.0
		for _, t := range b {
			m1, m2 := 0.0, 0.0
			for k, l := range t.Losses {
				if l <= eps/4 {
					m1 += t.Weights[k] * l
					m2 += t.Weights[k] * l * l
				} else {
					often += t.Count * t.Weights[k]
				}
			}
			mean += t.Count * m1
			variance += t.Count * max(m2-m1*m1, 0)
		}
		s := math.Sqrt(variance) + 1e-300
		excess := func(e float64) float64 {
			const none = 12 // deviations
			if e-mean > none*s {
				return 0
			}
			y := normalTail((e - mean) / s)
			return y - double.Exp64(min(e-mean+variance/2, 700))*normalTail((e-mean+variance)/s)
		}
		for _, t := range b {
			for k, l := range t.Losses {
				if l > eps/4 {
					large += t.Count * t.Weights[k] * excess(eps-l)
				}
			}
		}
		return excess(eps), large, often
	}
	const minLog, maxLog, halvings, few = -40, 6, 24, 10 // of log2 ε, and when it is near enough to tell
	lo, hi := float64(minLog), float64(maxLog)
	for i := range halvings {
		mid := (lo + hi) / 2
		small, large, _ := at(math.Exp2(mid))
		if i == few && large < small {
			return 0, false
		}
		if small+large > double.Exp64(logDelta) {
			lo = mid
		} else {
			hi = mid
		}
	}
	eps = math.Exp2(hi)
	small, large, often := at(eps)
	const dominant, seldom = 16, 1. / 8
	return eps, hi < maxLog && large > dominant*small && often < seldom
}

// normalTail is P(Z > z).
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
