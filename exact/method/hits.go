// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/hits"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Hits: Poisson samples of so little Gaussian noise that an outcome shows whether it was a hit, by the number of hits.
//
// It settles where it gives as many bits as are expected of an effort. With little noise an ε of added records
// that is near the largest loss is enclosed narrowly although δ is not.
func Hits(s *Solver, prod pair.Product, e Effort) *Plan {
	const usual = 64 // the scale where no δ is of interest
	scale := s.scale
	if scale < 0 {
		scale = usual
	}
	x, ok := hits.New(prod)
	if !ok || prod[0].Count == 1 {
		return nil
	}
	serves := x.Serves(interval.Prec(16+24*int(e)), scale)
	const little = 16 // σ = 1/4
	if !serves && (x.Kind != hits.Added || x.Mu2.Cmp(big.NewRat(little, 1)) < 0) {
		return nil
	}
	splits := s.splitsOf(prod)
	var short Shortcuts
	if serves {
		short.Near = func(_ context.Context, delta *big.Rat) (*big.Rat, bool) { return x.Near(delta) }
	}
	return &Plan{
		Cost: 0.05, TwoSided: serves, Sharp: serves, Draft: Instant, Shortcuts: short,
		Prepare: ready(func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			const beyond = 32 // bits that nothing is lost by
			a, settled := x.Clear(p, scale, eps(64))
			if splits != nil && settled < p {
				if y, ok, err := splits.Delta(ctx, linePrec(p, e.Bits()), eps); ok || err != nil {
					return y, err
				}
			}
			return x.Delta(ctx, min(p, settled+beyond), a, int(p)+scale+64, eps)
		}),
	}
}
