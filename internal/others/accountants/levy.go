// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package accountants has numbers that accountants in float64 answer, as the papers have them: not what is true, but
// what is compared with it.
package accountants

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/float/pair"
	"dpverify/internal/others/afa"
	"dpverify/mechanism"
)

// A Number computes a number.
type Number = func(context.Context) (interval.Interval, error)

// A Levy is the analytical Fourier accountant as paper 2 computes it, as a subject: its own numbers in float64, which
// have no bound of their error, by Lévy's formula and adaptive Gaussian quadrature.
type Levy struct {
	event       mechanism.Event
	of          func(pair.Product) (*afa.Accountant, bool)
	accountants []*afa.Accountant
}

// ByLevy is Algorithm 1, with "double quadrature" where a characteristic function has no closed form.
func ByLevy(e mechanism.Event) *Levy { return &Levy{event: e, of: afa.New} }

// ByCells are δ_min and δ_max of Algorithm 2, with n cells of [−s, s], in units of the noise's scale.
func ByCells(e mechanism.Event, s float64, n int) (lower, upper *Levy) {
	of := func(choose func(*afa.Discretised) *afa.Accountant) *Levy {
		return &Levy{event: e, of: func(p pair.Product) (*afa.Accountant, bool) {
			d, ok := afa.Discretise(p, s, n)
			if !ok {
				return nil, false
			}
			return choose(d), true
		}}
	}
	return of(func(d *afa.Discretised) *afa.Accountant { return d.Lower }),
		of(func(d *afa.Discretised) *afa.Accountant { return d.Upper })
}

func (l *Levy) prepare() error {
	if l.accountants != nil {
		return nil
	}
	ps, err := pair.Resolve(l.event, mechanism.AddOrRemoveOne, mechanism.Both)
	if err != nil {
		return err
	}
	for _, p := range ps {
		a, ok := l.of(p)
		if !ok {
			return fmt.Errorf("accountants: internal error: a factor of %v has no characteristic function", p)
		}
		l.accountants = append(l.accountants, a)
	}
	return nil
}

// most is the greatest number of the directions.
func (l *Levy) most(of func(context.Context, *afa.Accountant) float64) Number {
	return func(ctx context.Context) (interval.Interval, error) {
		if err := l.prepare(); err != nil {
			return interval.Interval{}, err
		}
		y := math.Inf(-1)
		for _, a := range l.accountants {
			y = math.Max(y, of(ctx, a))
		}
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		return point(y), nil
	}
}

// point is a float64, or ∞.
func point(y float64) interval.Interval {
	if x := new(big.Rat).SetFloat64(y); x != nil {
		return interval.Prec(64).Rat(x)
	}
	return interval.PosInf()
}

// Delta is its δ(ε).
func (l *Levy) Delta(eps float64) Number {
	return l.most(func(ctx context.Context, a *afa.Accountant) float64 { return a.Delta(ctx, eps).Delta })
}

// Points is at how many arguments it takes a characteristic function for δ(ε), with an error of each integral.
func (l *Levy) Points(eps, tolerance float64) Number {
	return l.most(func(ctx context.Context, a *afa.Accountant) float64 {
		a.Within(tolerance)
		return float64(a.Delta(ctx, eps).Points)
	})
}

// Epsilon is its ε at a δ, by bisection.
func (l *Levy) Epsilon(delta float64) Number {
	return l.most(func(ctx context.Context, a *afa.Accountant) float64 {
		eps, _ := a.Epsilon(ctx, delta, math.Inf(1))
		return eps
	})
}

// Gap is δ_max − δ_min of Algorithm 2 at an ε.
func Gap(e mechanism.Event, s float64, n int, eps float64) Number {
	return func(ctx context.Context) (interval.Interval, error) {
		lower, upper := ByCells(e, s, n)
		lo, err := lower.Delta(eps)(ctx)
		if err != nil {
			return lo, err
		}
		hi, err := upper.Delta(eps)(ctx)
		return interval.Prec(64).Sub(hi, lo), err
	}
}
