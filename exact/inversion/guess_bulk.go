// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/inversion/likely"
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
type bulk struct{ likely.Law }

// bulkShare is the mass of the outcomes that a bulk leaves out, as a share of δ.
const bulkShare = 0x1p-20

// newBulk returns the bulk for log δ. It reports false for other products.
func (x *Transform) newBulk(logDelta float64) (bulk, bool) {
	var copies float64
	for _, t := range x.terms {
		if _, ok := plain(t.f).(*mixture); !ok {
			return bulk{}, false
		}
		copies += float64(t.count)
	}
	budget := double.Exp64(logDelta) * bulkShare / copies / 2
	if !(budget > 0) {
		return bulk{}, false
	}
	var b bulk
	for _, t := range x.terms {
		m := plain(t.f).(*mixture)
		b.Law = append(b.Law, m.tables.Bulk(float64(t.count), budget, meanRange(m.doubleA).Abs().Hi))
	}
	return b, true
}

// bulkAt returns the bulk for log δ, and its number near ε, where the product itself is of no use at the saddle point.
func (x *Transform) bulkAt(logDelta float64) (b bulk, eps float64, ok bool) {
	if b, ok = x.newBulk(logDelta); !ok {
		return b, 0, false
	}
	eps, saddle := likely.SaddlePoint(b, logDelta)
	const excess = 1 // nats
	return b, eps, saddle > 0 && !(x.logMoment(saddle)-b.LogMoment(saddle) < excess)
}

// bulkDelta returns a number below log d(ε) that is nearer to it than logDelta, the number of the product itself.
// It returns logDelta where the bulk knows none.
func (x *Transform) bulkDelta(eps, logDelta float64) float64 {
	b, _, ok := x.bulkAt(logDelta)
	if !ok {
		return logDelta
	}
	y, _, ok := likely.LeastDelta(b, eps)
	const maxGain = 64 // nats: a bulk may have no loss as large as ε
	if !ok || !(y < logDelta) {
		return logDelta
	}
	return max(y, logDelta-maxGain)
}

// LogLine implements likely.Source.
func (b bulk) LogLine(ctx context.Context, at *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	return b.Law.LogLine(ctx, double.Near(at), h.Lo, n)
}

// Below implements likely.Source.
func (b bulk) Below(lambda float64) *big.Rat { return likely.Below(lambda) }

// Up implements likely.Source.
func (b bulk) Up(period float64) float64 { return period }
