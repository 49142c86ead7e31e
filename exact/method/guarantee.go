// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/response"
)

// guarantees returns the point guarantees of a product of approximate randomized
// responses.
func guarantees(prod pair.Product) ([]response.Guarantee, bool) {
	var gs []response.Guarantee
	for _, t := range prod {
		r, ok := t.Pair.(pair.Response)
		if !ok {
			return nil, false
		}
		gs = append(gs, response.Guarantee{Eps: r.Eps, Delta: r.Delta, Count: t.Count})
	}
	return gs, len(gs) > 0
}

// KOV: equal guarantees, exactly.
func KOV(_ *Solver, prod pair.Product, e Effort) *Plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) != 1 || gs[0].Count > response.MaxCount {
		return nil
	}
	words := float64(e.Bits())/64 + 2
	return &Plan{Cost: float64(gs[0].Count) * 0.6e-6 * words, TwoSided: true,
		// An ε that is infinite takes no value of it.
		Prepare: ready(profile.Late(func(ctx context.Context) (profile.Func, error) {
			s, err := response.NewEqual(ctx, e.Bits(), gs[0])
			if err != nil {
				return nil, err
			}
			return s.Delta, nil
		}))}
}

// maxHalf bounds the outcomes of a half at an effort: 28 different guarantees at effort 0, 44
// from effort 4 on.
func maxHalf(e Effort) int64 { return 1 << (14 + 2*min(e, 4)) }

// Halves: unequal guarantees, exactly, by meeting in the middle.
func Halves(s *Solver, prod pair.Product, e Effort) *Plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) < 2 {
		return nil
	}
	p := e.Bits() + interval.Prec(max(0, s.scale)) // against a δ of interest
	size, bits, ok := response.HalvesSize(p, gs, maxHalf(e))
	if !ok {
		return nil
	}
	words := float64(bits+1) / 64
	short := Shortcuts{Near: func(_ context.Context, delta *big.Rat) (*big.Rat, bool) { return response.Near(gs, delta) }}
	return &Plan{Cost: float64(size) * 2e-6 * (1 + words/8), TwoSided: true, Sharp: true, Shortcuts: short,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			h, ok, err := response.NewHalves(ctx, p, gs, maxHalf(e))
			if !ok {
				return nil, err
			}
			return h.Delta, nil
		}}
}

// Theorem: a composition theorem that bounds from above.
func Theorem(bound response.Bound) Method {
	return func(_ *Solver, prod pair.Product, _ Effort) *Plan {
		gs, ok := guarantees(prod)
		if !ok {
			return nil
		}
		return &Plan{Cost: 1e-3 * float64(len(gs)), Prepare: ready(
			func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				return bound(p, gs, eps), nil
			})}
	}
}

// KOVTheorem: the optimal composition theorem at its discrete ε.
func KOVTheorem(_ *Solver, prod pair.Product, e Effort) *Plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) != 1 {
		return nil
	}
	k := float64(gs[0].Count)
	return &Plan{Cost: k * (k/1000 + 10) * 1e-6 * float64(e.Bits()) / 64, Prepare: ready(
		func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			y, ok, err := response.Theorem(ctx, p, gs, eps)
			if !ok || err != nil {
				return profile.Unit(), err
			}
			return y, nil
		})}
}
