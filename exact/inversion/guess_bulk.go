// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A bulk is near a product of mixtures without the outcomes that matter little at some δ.
// Searches start from it, and lines are chosen by it.
//
// For Gaussians that are sampled rarely, M(−λ) soon comes from outcomes that never occur.
// Its integrand has a second peak at x = (1+λ)μ, which wins from about λ = 2·log(1/q)/μ² on.
// But the saddle point of δ is where the integrand is concentrated about 0.
// So a bulk has no outcomes of a total mass of δ·2^−20.
//
// For weak mechanisms log M(−λ) is far below 2^−53, so the sums are of e^{λL} − 1.
type bulk []bulkTerm

// bulkShare is the mass of the outcomes that a bulk leaves out, as a share of δ.
const bulkShare = 0x1p-20

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
	budget := double.Exp64(logDelta) * bulkShare / copies / 2
	if !(budget > 0) {
		return nil, false
	}
	var b bulk
	for _, t := range x.terms {
		b = append(b, plain(t.f).(*mixture).bulk(float64(t.count), budget))
	}
	return b, true
}

// bulkAt returns the bulk for log δ where the product itself is of no use at the saddle point.
func (x *Transform) bulkAt(logDelta float64) (bulk, bool) {
	b, ok := x.newBulk(logDelta)
	if !ok {
		return nil, false
	}
	_, saddle := saddlePoint(b, logDelta)
	const excess = 1 // nats
	return b, saddle > 0 && !(x.logMoment(saddle)-b.logMoment(saddle) < excess)
}

// bulkDelta returns a number below log d(ε) that is nearer to it than logDelta, the number of the product itself.
// It returns logDelta where the bulk knows none.
func (x *Transform) bulkDelta(eps, logDelta float64) float64 {
	b, ok := x.bulkAt(logDelta)
	if !ok {
		return logDelta
	}
	y, _, ok := leastDelta(b, eps)
	const maxGain = 64 // nats: a bulk may have no loss as large as ε
	if !ok || !(y < logDelta) {
		return logDelta
	}
	return max(y, logDelta-maxGain)
}

// bulk leaves out a mass of budget at either end.
func (m *mixture) bulk(count, budget float64) bulkTerm {
	t := m.table()
	mass := make([]float64, len(t.la))
	for k := range mass {
		x := point(k)
		mass[k] = double.Exp64(t.la[k]-x*x/2) / (tableStep * rootTwoPi64)
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

// variance is the variance of the losses that remain.
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

// logMoment is near log M(−λ), or no finite number.
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

// logLine returns numbers near log M(−λ + ijh) − log M(−λ), j = 0 … n.
// It reports false for long lines, on which |M| falls late because of a few large losses:
// the table has too few of them.
func (b bulk) logLine(ctx context.Context, at *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	const maxLength = 512
	if n > maxLength {
		return nil, false
	}
	lambda := float64Of(at)
	out := make([]complex128, n+1)
	for _, t := range b {
		grown := make([]float64, len(t.losses))     // e^{λL} − 1
		turns := make([]complex128, len(t.losses))  // e^{−iu} − 1
		turned := make([]complex128, len(t.losses)) // e^{−iju} − 1
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

// jump returns an ε at which δ is near e^logDelta, where one large loss among small ones is what exceeds ε.
//
// The other losses are about normal, and δ is the sum over the large losses, those above ε/4:
//
//	δ(ε) ≈ G(ε) + Σ count·P(L = l)·G(ε − l),  G(e) = E[(1 − e^{e−Z})₊],  Z normal.
//
// This is so with few steps that are sampled rarely, where moments of a heavy tail say little about it.
// jump reports false where several large losses matter, or none.
func (b bulk) jump(logDelta float64) (eps float64, ok bool) {
	at := func(eps float64) (small, large, often float64) {
		mean, variance := 0.0, 0.0
		for _, t := range b {
			m1, m2 := 0.0, 0.0
			for k, l := range t.losses {
				if l <= eps/4 {
					m1 += t.weights[k] * l
					m2 += t.weights[k] * l * l
				} else {
					often += t.count * t.weights[k]
				}
			}
			mean += t.count * m1
			variance += t.count * max(m2-m1*m1, 0)
		}
		s := math.Sqrt(variance) + 1e-300
		excess := func(e float64) float64 {
			y := normalTail((e - mean) / s)
			return y - double.Exp64(min(e-mean+variance/2, 700))*normalTail((e-mean+variance)/s)
		}
		for _, t := range b {
			for k, l := range t.losses {
				if l > eps/4 {
					large += t.count * t.weights[k] * excess(eps-l)
				}
			}
		}
		return excess(eps), large, often
	}
	const minLog, maxLog, halvings = -40, 6, 24 // of log2 ε
	lo, hi := float64(minLog), float64(maxLog)
	for range halvings {
		mid := (lo + hi) / 2
		small, large, _ := at(math.Exp2(mid))
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
