// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/response"
)

// minPeriodFactors is the number of different guarantees from which on a transform falls early.
const minPeriodFactors = 45

// periodPoints are about the sum of the losses, in units of the spacings that they may be rounded to: a transform of a
// fine one is known between points only, where it falls early enough for very many guarantees.
var periodPoints = []int64{1 << 26, 1 << 24}

// periodBits is how many bits of a profile are enough for others not to be asked, roundedBits where ε_i are rounded: no
// grid has more.
const (
	periodBits  = 12
	roundedBits = 6
)

// Period: many unequal guarantees, by inversion over one period of the transform of their losses, to some 10 digits;
// to 4 where the ε_i have no short common spacing and are rounded to one from both sides. It settles a question at
// effort 0 only: other methods may have more digits.
func Period(s *Solver, prod pair.Product, e Effort) *Plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) < minPeriodFactors {
		return nil
	}
	prepared := sync.OnceValue(func() bounded { return periods(gs) })
	short := Shortcuts{Near: func(_ context.Context, delta *big.Rat) (*big.Rat, bool) {
		if b := prepared(); b.ok {
			return b.up.Near(delta)
		}
		return nil, false
	}}
	return &Plan{Cost: 0.02 + 5e-5*float64(len(gs)), TwoSided: e == 0, Sharp: true, Shortcuts: short,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			b := prepared()
			up, down, ok := b.up, b.down, b.ok
			if !ok {
				return nil, nil
			}
			grid := profile.Late(func(ctx context.Context) (profile.Func, error) {
				for _, m := range []Method{Lattice, PLD} {
					if plan := m(s, prod, e); plan != nil {
						if f, err := plan.Prepare(ctx); f != nil || err != nil {
							return f, err
						}
					}
				}
				return nil, nil
			})
			return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				hi, err := up.Delta(ctx, p, eps)
				if err != nil {
					return profile.Unit(), err
				}
				lo, enough := hi, min(periodBits, int(p)-4)
				if down != up {
					enough = min(roundedBits, enough)
					if lo, err = down.Delta(ctx, p, eps); err != nil {
						return profile.Unit(), err
					}
				}
				y := interval.Bounds(lo.Lo(), hi.Hi())
				if y.RelativeBits(periodBits) >= enough || hi.Hi().Sign() == 0 {
					return y, nil
				}
				return s.with(ctx, prod, "period", y, "pld", grid, p, eps)
			}, nil
		}}
}

// bounded are compositions that bound guarantees from above and from below, the same one if their ε_i have a spacing.
type bounded struct {
	up, down *response.Period
	ok       bool
}

// periods is not ok if nodes are too many.
func periods(gs []response.Guarantee) bounded {
	if x, ok := response.NewPeriod(gs); ok && x.Serves() {
		return bounded{x, x, true}
	}
	for _, points := range periodPoints {
		upper, lower, ok := response.Rounded(gs, points)
		if !ok {
			break
		}
		up, above := response.NewPeriod(upper)
		down, below := response.NewPeriod(lower)
		if above && below && up.Serves() && down.Serves() {
			return bounded{up, down, true}
		}
	}
	return bounded{}
}
