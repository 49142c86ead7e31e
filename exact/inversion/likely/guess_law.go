// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package likely has what is near the law of the losses of a product, of its likely outcomes alone. All of it guesses
// in float64, and bounds nothing.
package likely

import (
	"context"
	"math"

	"dpverify/exact/double"
	"dpverify/exact/least"
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

// Jump returns an ε at which δ is near e^logDelta, by delta. It reports false where that is off.
func (b Law) Jump(logDelta float64) (eps float64, ok bool) {
	const minLog, maxLog, halvings = -40, 6, 24 // of log2 ε
	lo, hi := least.Halved(minLog, maxLog, halvings, func(log float64) bool {
		delta, _ := b.Delta(math.Exp2(log))
		return delta > double.Exp64(logDelta)
	})
	eps = math.Exp2(hi)
	_, ok = b.Delta(eps)
	return eps, ok && minLog < lo && hi < maxLog
}

// Delta is near δ(ε) for ε > 0 where small losses alone exceed ε, or one large loss among them.
//
// The small losses, those below ε/16, are about normal. The number of each of the others is about a Poisson variable,
// so that their sum has the masses p_j of Panjer's recursion on multiples jh, h = ε/32, and
//
//	δ(ε) ≈ Σ_j p_j·G(ε − jh),  G(e) = E[(1 − e^{e−Z})₊],  Z normal.
//
// A loss of 2ε or more is beyond ε by itself, and with one far below 0 none is. This is so with steps that are sampled
// rarely, where moments of a heavy tail say little about δ. Delta reports false where there are many large losses, or
// so few steps that numbers of them are no Poisson variables: k of n steps are rarer by about k(k − 1)/2n nats.
func (b Law) Delta(eps float64) (delta float64, ok bool) {
	const fine, top, least, many = 32, 64, 2, 64
	var masses, rates [top + 1]float64
	var mean, variance, beyond, often, copies float64
	for _, t := range b {
		copies += t.Count
		m1, m2 := 0.0, 0.0
		for k, l := range t.Losses {
			w, x := t.Weights[k], fine*l/eps
			switch i := int(min(x, top)); {
			case x <= -least:
				often += t.Count * w
			case x < least:
				m1 += w * l
				m2 += w * l * l
			case x < top:
				rates[i] += t.Count * w * (float64(i+1) - x)
				rates[i+1] += t.Count * w * (x - float64(i))
				often += t.Count * w
			default:
				beyond -= t.Count * w * math.Expm1(eps-l)
			}
		}
		mean += t.Count * m1
		variance += t.Count * max(m2-m1*m1, 0)
	}
	if often > many {
		return 1, false
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
	masses[0] = math.Exp(-often)
	delta = masses[0] * excess(eps)
	number := beyond // of large losses
	for j := 1; j <= top; j++ {
		y := excess(eps * float64(fine-j) / fine)
		for i := least; i <= j; i++ {
			p := rates[i] * masses[j-i]
			masses[j] += float64(i) / float64(j) * p
			number += p * y
		}
		delta += masses[j] * y
	}
	delta -= (1 - delta) * math.Expm1(-beyond)
	number /= delta
	const seldom, nats = 2, 1. / 2
	return delta, often < seldom && number*(number-1) < 2*nats*copies
}

// Negative returns an ε < 0 at which δ is near delta, by delta of the reversed pair: δ(ε) = 1 − e^ε + e^ε·δ′(−ε). It
// reports false where that is off, or nearly as much.
func (b Law) Negative(delta float64) (eps float64, ok bool) {
	const less = 1. / 8
	eps = math.Log1p(-delta)
	d, ok := b.Reversed().Delta(-eps)
	return eps - math.Log1p(-d), ok && d < delta*less
}

// Reversed is the law of the reversed pair.
func (b Law) Reversed() Law {
	out := make(Law, len(b))
	for i, t := range b {
		out[i].Count = t.Count
		for k, l := range t.Losses {
			out[i].Weights = append(out[i].Weights, t.Weights[k]*double.Exp64(-l))
			out[i].Losses = append(out[i].Losses, -l)
		}
	}
	return out
}

// normalTail is P(Z > z).
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
