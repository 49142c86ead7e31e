// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A bulk is about a product of mixtures without the outcomes that matter little at some δ, in float64: searches start from it,
// and lines are chosen by it. It bounds nothing.
//
// Of Gaussians that are sampled rarely, M(−λ) soon comes from outcomes which never occur: its integrand has a second
// peak at x = (1+λ)μ, which wins from about λ = 2·log(1/q)/μ² on, while the saddle point of δ is where the integrand is
// concentrated about 0. So outcomes go that have a mass of δ·2^−20 together. And where a step says very little, log M(−λ) is far
// below 2^−53, so that sums are of e^{λL} − 1.
type bulk []bulkTerm

type bulkTerm struct {
	count           float64
	weights, losses []float64 // masses under P, and losses
}

// newBulk returns the bulk for log δ. It reports false for other products.
func (x *Transform) newBulk(logDelta float64) (bulk, bool) {
	var copies float64
	for _, t := range x.terms {
		if _, ok := plain(t.f).(*mixture); !ok {
			return nil, false
		}
		copies += float64(t.count)
	}
	budget := double.Exp64(logDelta) * 0x1p-20 / copies / 2
	if !(budget > 0) {
		return nil, false
	}
	var b bulk
	for _, t := range x.terms {
		b = append(b, plain(t.f).(*mixture).bulk(float64(t.count), budget))
	}
	return b, true
}

// bulkAt returns the bulk for log δ where the product itself is no good at the saddle point.
func (x *Transform) bulkAt(logDelta float64) (bulk, bool) {
	b, ok := x.newBulk(logDelta)
	if !ok {
		return nil, false
	}
	_, saddle := saddlePoint(b, logDelta)
	const tolerable = 1
	return b, saddle > 0 && !(x.logMoment(saddle)-b.logMoment(saddle) < tolerable)
}

// bulkDelta returns a number below log d(ε) that is nearer to it than logDelta, which the product itself says, where the
// bulk knows one.
func (x *Transform) bulkDelta(eps, logDelta float64) float64 {
	b, ok := x.bulkAt(logDelta)
	if !ok {
		return logDelta
	}
	y, _, ok := leastDelta(b, eps)
	const most = 64 // a bulk may have no loss as large as ε
	if !ok || !(y < logDelta) {
		return logDelta
	}
	return max(y, logDelta-most)
}

// bulk leaves out a mass of budget at either end.
func (m *mixture) bulk(count, budget float64) bulkTerm {
	t := m.table()
	mass := make([]float64, len(t.la))
	for k := range mass {
		x := point(k)
		mass[k] = double.Exp64(t.la[k]-x*x/2) / (tableStep * 2.5066282746310002) // √(2π)
	}
	first, last := 0, len(mass)-1
	for sum := mass[first]; sum < budget && first < last; sum += mass[first] {
		first++
	}
	for sum := mass[last]; sum < budget && first < last; sum += mass[last] {
		last--
	}
	b := bulkTerm{count: count, weights: mass[first : last+1]}
	for k := first; k <= last; k++ {
		b.losses = append(b.losses, t.la[k]-t.lb[k])
	}
	return b
}

// variance is the variance of the losses that are left.
func (b bulk) variance() float64 {
	sum := 0.0
	for _, t := range b {
		m1, m2 := 0.0, 0.0
		for k, w := range t.weights {
			m1, m2 = m1+w*t.losses[k], m2+w*t.losses[k]*t.losses[k]
		}
		sum += t.count * max(m2-m1*m1, 0)
	}
	return sum
}

// logMoment is about log M(−λ), or no finite number.
func (b bulk) logMoment(lambda float64) float64 {
	sum := 0.0
	for _, t := range b {
		rest := 0.0 // M(−λ) − 1
		for k, w := range t.weights {
			rest += w * math.Expm1(lambda*t.losses[k])
		}
		sum += t.count * math.Log1p(rest)
	}
	return sum
}

// rounding implements floatLaw.
func (b bulk) rounding() *Memo { return nil }

// logLine returns about log M(−λ + ijh) − log M(−λ), j = 0 … n. It reports false for long lines, for which the rows of the table
// are too few: it is few large losses that make |M| fall late.
func (b bulk) logLine(ctx context.Context, at *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	const most = 512
	if n > most {
		return nil, false
	}
	lambda := float64Of(at)
	out := make([]complex128, n+1)
	for _, t := range b {
		grown := make([]float64, len(t.losses))                                               // e^{λL} − 1
		turns, turned := make([]complex128, len(t.losses)), make([]complex128, len(t.losses)) // e^{−iu} − 1, and e^{−iju} − 1
		for k, l := range t.losses {
			grown[k] = math.Expm1(lambda * l)
			// With c, s of half the angle, e^{−iu} = 1 − 2s² − 2isc.
			c, s := double.Cis64(math.Remainder(h.Lo*l/2, 2*math.Pi))
			turns[k] = complex(-2*s*s, -2*s*c)
		}
		norm := 0.0
		for j := range out {
			if ctx.Err() != nil {
				return nil, false
			}
			var re, im float64 // of M − 1
			for k, w := range t.weights {
				re += float64(w * (grown[k] + float64(real(turned[k])*(1+grown[k]))))
				im += float64(w * float64((1+grown[k])*imag(turned[k])))
				turned[k] += turned[k]*turns[k] + turns[k]
			}
			log := math.Log1p(2*re+re*re+im*im) / 2
			if j == 0 {
				norm = log
			}
			out[j] += complex(t.count*(log-norm), t.count*math.Atan2(im, 1+re))
		}
	}
	return out, true
}
