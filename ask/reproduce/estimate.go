// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"math/big"
	"time"

	"dpverify/ask/buckets"
	"dpverify/exact"
	"dpverify/exact/bucket"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
	"dpverify/float"
	"dpverify/mechanism"
)

// An estimated is an accountant in float64 as a subject: not what is true, but what it answers, with
// the error that it states. What encloses its answer encloses the truth only if that error is right.
type estimated struct {
	event    mechanism.Event
	prepared *float.Profile
}

// byGrid is an accountant of the kind of Google's and of Koskela et al.: a grid of losses, convolved by FFT.
func byGrid(e mechanism.Event) subject { return &estimated{event: e} }

func (f *estimated) prepare(ctx context.Context, _ *big.Rat, _ exact.Effort) (prepared, error) {
	if f.prepared == nil {
		p, err := float.Prepare(ctx, float.Question{Event: f.event})
		if err != nil {
			return nil, err
		}
		f.prepared = p
	}
	return f, nil
}

// delta is what the method answers at a rational ε.
func (f *estimated) delta(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	v, err := f.prepared.By(ctx, "pld", eps)
	if err != nil {
		return interval.Interval{}, err
	}
	const p = interval.Prec(64)
	lo, hi := new(big.Rat).SetFloat64(v.Lo()), new(big.Rat).SetFloat64(v.Hi())
	if lo == nil || hi == nil {
		return profile.Unit(), nil
	}
	return interval.Clamp(interval.Union(p.Rat(lo), p.Rat(hi)), 0, 1), nil
}

// DeltaReal is what the method answers at a float64 next to ε.
func (f *estimated) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	least, _, ok := eps(53).Rationals()
	if !ok {
		return profile.Unit(), nil
	}
	return f.delta(ctx, least)
}

// Epsilon bisects, as paper 2 does: where δ − error and δ + error cross the wanted δ.
func (f *estimated) Epsilon(ctx context.Context, delta *big.Rat, bits int) (exact.Result, error) {
	crosses := func(over func(interval.Interval) bool) (lo, hi *big.Rat, err error) {
		lo, hi = new(big.Rat), big.NewRat(1, 1)
		for range 60 {
			y, err := f.delta(ctx, hi)
			if err != nil {
				return nil, nil, err
			}
			if !over(y) {
				break
			}
			lo.Set(hi)
			hi.Add(hi, hi)
		}
		for range bits {
			middle := new(big.Rat).Add(lo, hi)
			middle.Mul(middle, big.NewRat(1, 2))
			y, err := f.delta(ctx, middle)
			if err != nil {
				return nil, nil, err
			}
			if over(y) {
				lo = middle
			} else {
				hi = middle
			}
		}
		return lo, hi, nil
	}
	least, _, err := crosses(func(y interval.Interval) bool { return y.LessEqRat(delta) == interval.False })
	if err != nil {
		return exact.Result{}, err
	}
	_, most, err := crosses(func(y interval.Interval) bool { return y.LessEqRat(delta) != interval.True })
	if err != nil {
		return exact.Result{}, err
	}
	const p = interval.Prec(64)
	return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Union(p.Rat(least), p.Rat(most))}}, nil
}

// bucketed are privacy buckets of an event, built when they are first asked for.
type bucketed struct {
	event mechanism.Event
	shape bucket.Settings
	trees []buckets.Built
	took  time.Duration
	// moments are D_2 … D_33 of one step, once they have been asked for.
	moments []interval.Interval
}

// inBuckets puts an event into 2n + 1 buckets.
func inBuckets(e mechanism.Event, n int) *bucketed {
	return &bucketed{event: e, shape: bucket.Settings{Last: n, Bits: 123, Free: 60}}
}

func (b *bucketed) get(ctx context.Context) ([]buckets.Built, error) {
	if b.trees == nil {
		defer func(start time.Time) { b.took = time.Since(start) }(time.Now())
		t, err := buckets.Build(ctx, exact.Question{Event: b.event}, b.shape)
		if err != nil {
			return nil, err
		}
		b.trees = t
	}
	return b.trees, nil
}

// milliseconds is how long it takes to build them, on the clock.
func (b *bucketed) milliseconds() Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		_, err := b.get(ctx)
		return interval.Int(b.took.Milliseconds()), err
	})
}

// tightness is δ_up over δ_low at an ε [Theorem 2].
func (b *bucketed) tightness(eps string) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		trees, err := b.get(ctx)
		up, low := interval.Int(0), interval.Int(0)
		for _, t := range trees {
			y, err := t.At(ctx, rat(eps))
			if err != nil {
				return up, err
			}
			up, low = interval.Max(up, interval.Point(y.Upper)), interval.Max(low, interval.Point(y.Lower))
		}
		return interval.Prec(64).Div(up, low), err
	})
}

// momentsAccountant is the ε that the moments accountant derives from the moments of the buckets of one step, taken as
// §5.7 of paper 1 has them, for r steps: min over α = 1 … 32 of r·D_(α+1) + log(1/δ)/α.
func (b *bucketed) momentsAccountant(r int64, delta *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		trees, err := b.get(ctx)
		if err != nil {
			return interval.Interval{}, err
		}
		if b.moments == nil {
			for alpha := int64(1); alpha <= 32; alpha++ {
				worst := interval.Int(0) // no divergence is less
				for _, t := range trees {
					worst = interval.Max(worst, t.PrintedRenyi(big.NewRat(alpha+1, 1)))
				}
				b.moments = append(b.moments, worst)
			}
		}
		least := interval.PosInf()
		for i, d := range b.moments {
			y := p.Add(p.Mul(interval.Int(r), d), p.Div(p.Log(p.Rat(delta)).Neg(), interval.Int(int64(i)+1)))
			least = interval.Min(least, y)
		}
		return least, nil
	})
}
