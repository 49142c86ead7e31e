// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// wantedBits are those of a value that is an integral which any effort may have: more take minutes.
const wantedBits = 4096

// usefulBits is how many bits an enclosure must have settled for the grid to be left out. If more
// precision cannot help, the threshold is set above what a grid usually reaches.
const (
	usefulBits        = 16
	UsefulBitsLimited = 40
)

// Inversion: products whose moment transform is known and falls fast enough,
// by Laplace inversion. Its width falls with the precision, not with the size of a
// grid.
//
// A line costs less than a grid does. The inversion gives up where no parameters of moderate cost are found. The
// function that is returned then asks the grid, which is prepared when it is needed first.
func Inversion(s *Solver, prod pair.Product, e Effort) *Plan {
	sum := Laplace(s, prod, e)
	if !s.Alone {
		if by := Hits(s, prod, e); sum != nil && sum.Cost <= quickSum || by != nil && by.TwoSided {
			return nil // a closed form, or next to one
		}
	}
	if _, serves := s.latticeInversion(prod); serves {
		return nil // a sum over one period, of any width
	}
	_, others := prod.Gaussians()
	if len(others) == 0 || len(prod) == 1 && prod[0].Count == 1 || !s.memory().Applies(prod) {
		return nil
	}
	// A transform in closed form costs little more for more bits. One that is an integral itself costs about the cube.
	bits, integrals := min(e.Bits(), 2048), inversion.Integrals(prod)
	if integrals > 0 {
		bits = min(e.Bits(), interval.Prec(64+64*int(e)))
	}
	words := float64(bits) / 64
	cost := 0.01*words*float64(len(prod)) + float64(integrals)*(0.02+0.002*words*words*words)
	transform := sync.OnceValues(func() (*inversion.Transform, bool) { return s.memory().New(prod) })
	if x, ok := transform(); e == 0 && ok && x.FallsLittle {
		return nil // a grid first
	}
	below := s.belowLosses(prod)
	short := Shortcuts{
		Near: Remembered(func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
			x, _ := transform()
			return x.Near(ctx, delta)
		}),
		About: func(delta *big.Rat) (*big.Rat, bool) {
			x, _ := transform()
			return x.About(delta)
		},
		Above: func(eps interval.Real) interval.Interval {
			x, _ := transform()
			return x.Above(eps)
		},
	}
	sharp, shortly := true, e == 0 && hardlyFalls(prod) // and else by a grid
	splits := s.splitsOf(prod)
	steps, rare := fewSteps(prod)
	if _, hits := hitsOf(prod); splits == nil && shortly && hits.Cmp(big.NewRat(4, 1)) < 0 {
		cost, sharp = math.Inf(1), false // a grid first
	}
	if splits != nil {
		short.Near = Remembered(func(_ context.Context, delta *big.Rat) (*big.Rat, bool) { return splits.Near(delta) })
		short.About = splits.Near
	}
	draft, next, name := Coarse, PLD, "pld" // next where no parameters are found
	if s.Draft != Settled {
		next, name = Renyi, RenyiName
	}
	const many = 16 // different factors, of which moments take longer
	if len(prod) > many {
		draft = ByMoments
	}
	if x, ok := transform(); !ok || x.Limited() || shortly {
		draft = never
	}
	return &Plan{Cost: cost, TwoSided: true, Sharp: sharp, Draft: draft, Shortcuts: short,
		Bits: func(e Effort) interval.Prec { return min(e.Bits()-1, wantedBits) }, // asked for so few
		Prepare: func(ctx context.Context) (profile.Func, error) {
			x, ok := transform()
			if !ok {
				return nil, nil
			}
			useful := usefulBits
			if x.Limited() {
				useful = UsefulBitsLimited
			}
			alone := s.Alone
			grid := profile.Late(func(ctx context.Context) (profile.Func, error) {
				if alone {
					return nil, nil
				}
				if sum != nil {
					return sum.Prepare(ctx)
				}
				if later := next(s, prod, e); later != nil {
					return later.Prepare(ctx)
				}
				return nil, nil
			})
			return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				const few = 6 // bits
				if y, err := below(ctx, p, eps); err != nil || y.RelativeBits(int(p)) >= max(int(p)-few, 1) {
					return y, err
				}
				most := bits
				if p < e.Bits() && !x.Limited() {
					most = min(e.Bits(), max(bits, wantedBits)) // wanted, rather than all that the effort has
				}
				if first, other := s.otherLine(x, splits, steps, rare, p); other != nil {
					y, err := first(ctx, linePrec(p, most), eps)
					if err != nil || y.RelativeBits(int(p)) >= int(p)-few {
						return y, err
					}
					if y, ok, err := other(ctx, linePrec(p, most), eps); ok || err != nil {
						return y, err
					}
				}
				of := x.Delta
				if shortly {
					of = x.Short(1 << 13)
				}
				y, err := of(ctx, linePrec(p, most), eps)
				if err != nil || y.RelativeBits(useful) >= max(min(usefulBits, int(p)-4), min(useful, int(p)-8)) {
					return y, err
				}
				return s.with(ctx, prod, "inversion", y, name, grid, p, eps)
			}, nil
		}}
}

// belowLosses encloses δ(ε) for ε < 0 by a quick upper bound of the reversed product's profile at −ε. It is next to
// 1 − e^ε below nearly all losses, and [0, 1] where there is none.
func (s *Solver) belowLosses(prod pair.Product) profile.Func {
	reversed := sync.OnceValues(func() (*inversion.Transform, bool) { return s.memory().New(prod.Reverse()) })
	return profile.Reverse(func(_ context.Context, _ interval.Prec, eps interval.Real) (interval.Interval, error) {
		if x, ok := reversed(); ok && eps(64).Positive() == interval.True {
			return interval.Union(interval.Int(0), x.Above(eps)), nil
		}
		return profile.Unit(), nil
	})
}

// Remembered is near, which remembers what it was asked last: directions are sorted by it before they are searched from
// it.
func Remembered(near func(context.Context, *big.Rat) (*big.Rat, bool)) func(context.Context,
	*big.Rat) (*big.Rat, bool) {
	var mu sync.Mutex
	var last, eps *big.Rat
	var ok bool
	return func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
		mu.Lock()
		defer mu.Unlock()
		if last == nil || last.Cmp(delta) != 0 {
			y, known := near(ctx, delta)
			if ctx.Err() != nil {
				return y, known
			}
			last, eps, ok = new(big.Rat).Set(delta), y, known
		}
		return eps, ok
	}
}
