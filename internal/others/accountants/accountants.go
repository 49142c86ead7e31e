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
	"dpverify/internal/others/fft"
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

// Advanced is δ at an ε, by advanced composition [Dwork, Rothblum & Vadhan 2010], of r rounds that are
// (ε₀, δ₀)-DP each:
//
//	δ = rδ₀ + d,  d = exp(−(ε − rε₀(e^ε₀ − 1))²/(2rε₀²)), if ε > rε₀(e^ε₀ − 1), and 1 otherwise.
func Advanced(r int64, eps0 *big.Rat, delta0 interval.Real, eps interval.Real) interval.Interval {
	const p = interval.Prec(96)
	n, e := interval.Int(r), p.Rat(eps0)
	over := p.Sub(eps(p), p.Mul(n, p.Mul(e, p.Expm1(e))))
	if over.Positive() != interval.True {
		return interval.Int(1)
	}
	d := p.Exp(p.Div(p.Sqr(over), p.Scale(p.Mul(n, p.Sqr(e)), 1)).Neg())
	return interval.Min(p.Add(d, p.Mul(n, delta0(p))), interval.Int(1))
}

// AdvancedEpsilon is ε at a δ by the same rule: rε₀(e^ε₀ − 1) + ε₀√(2r·log(1/(δ − rδ₀))), or ∞.
func AdvancedEpsilon(r int64, eps0 *big.Rat, delta0 interval.Real, delta *big.Rat) interval.Interval {
	const p = interval.Prec(96)
	n, e := interval.Int(r), p.Rat(eps0)
	rest := p.Sub(p.Rat(delta), p.Mul(n, delta0(p)))
	if rest.Positive() != interval.True {
		return interval.PosInf()
	}
	root := p.Sqrt(p.Mul(p.Scale(n, 1), p.Log(rest).Neg()))
	return p.Add(p.Mul(n, p.Mul(e, p.Expm1(e))), p.Mul(e, root))
}

// onGrid asks an accountant of package float/fft about k copies of an event, one direction of which is as good as the
// other.
func onGrid(k int64, e mechanism.Event, of func(pair.Product) (float64, bool)) Number {
	return func(context.Context) (interval.Interval, error) {
		ps, err := pair.Resolve(e, mechanism.AddOrRemoveOne, mechanism.Remove)
		if err != nil {
			return interval.Interval{}, err
		}
		var p pair.Product
		for _, t := range ps[0] {
			p = append(p, pair.Term{Pair: t.Pair, Count: k * t.Count})
		}
		y, ok := of(p)
		if !ok {
			return interval.Interval{}, fmt.Errorf("accountants: internal error: %v is not on a grid", p)
		}
		return point(y), nil
	}
}

// Koskela is δ(ε) by the Fourier accountant of Koskela & Honkela, losses rounded up, with n points on [−10, 10).
func Koskela(k int64, e mechanism.Event, n int, eps float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.FourierUpper(p, 10, n)
		if !ok {
			return 0, false
		}
		return g.Delta(eps), true
	})
}

// KoskelaPoints is how many points that accountant needs for δ(0) within an error.
func KoskelaPoints(k int64, e mechanism.Event, n int) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) { return fft.FourierPoints(p, 10, n, 0, 1e-6) })
}

// PRV is the upper bound of ε at a δ by the accountant of Gopi, Lee & Wutschitz, with an error of 1e-3 in ε and of
// δ/1000 in δ.
func PRV(k int64, e mechanism.Event, delta float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		a, ok := fft.NewPRV(p, 1e-3, delta/1000)
		if !ok {
			return 0, false
		}
		_, upper := a.EpsilonBounds(delta)
		return upper, true
	})
}

// PRVPoints is n of that accountant by its own choice.
func PRVPoints(k int64, e mechanism.Event, deltaError float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		_, _, n, ok := fft.PRVPoints(p, 1e-3, deltaError)
		return n, ok
	})
}

// Google is ε at a δ by Google's accountant.
func Google(k int64, e mechanism.Event, delta float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.PLD(p, fft.PLDInterval, fft.PLDTruncation)
		if !ok {
			return 0, false
		}
		return g.Epsilon(delta), true
	})
}
