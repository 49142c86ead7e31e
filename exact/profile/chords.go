// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// chordPoints is the number of values on each side of 0 that a bound by chords takes.
const chordPoints = 64

// Chords bounds a profile, which is convex in e^ε, from above by its chords, computed at p bits up to an ε at which it is at most
// least: for who asks for thousands of values.
func Chords(ctx context.Context, f Func, p interval.Prec, least *big.Rat) (Func, error) {
	end, err := Extent(ctx, f, p, least)
	if err != nil {
		return nil, err
	}
	type point struct{ eps, alpha, value interval.Interval }
	var points []point
	for i := int64(-chordPoints); i <= chordPoints; i++ {
		// closer together around 0
		x := new(big.Rat).Mul(end, big.NewRat(i*(max(i, -i)+chordPoints), 2*chordPoints*chordPoints))
		d, err := f(ctx, p, interval.RealRat(x))
		if err != nil {
			return nil, err
		}
		eps := p.Rat(x)
		points = append(points, point{eps, p.Exp(eps), d.Upper()})
	}
	return func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		e := eps(p)
		left, right := -1, len(points)
		for i, x := range points {
			if x.eps.LessEq(e) == interval.True {
				left = i
			}
			if right == len(points) && e.LessEq(x.eps) == interval.True {
				right = i
			}
		}
		switch {
		case left < 0:
			return Unit(), nil
		case right == len(points) || right <= left:
			return interval.Union(interval.Int(0), points[left].value), nil
		}
		a, b := points[left], points[right]
		share := interval.Clamp(p.Div(p.Sub(p.Exp(e), a.alpha), p.Sub(b.alpha, a.alpha)), 0, 1)
		y := p.Add(a.value, p.Mul(share, p.Sub(b.value, a.value)))
		return interval.Union(interval.Int(0), interval.Clamp(w.Round(y), 0, 1)), nil
	}, nil
}

// Extent returns an ε > 0 at which a profile is at most least, or far out.
func Extent(ctx context.Context, f Func, p interval.Prec, least *big.Rat) (*big.Rat, error) {
	last := interval.Int(2)
	for eps := big.NewRat(1, 64); ; eps = new(big.Rat).Add(eps, eps) {
		d, err := f(ctx, p, interval.RealRat(eps))
		if err != nil {
			return nil, err
		}
		x := d.Upper()
		if x.LessEqRat(least) == interval.True || eps.Cmp(big.NewRat(600, 1)) > 0 || eps.Cmp(big.NewRat(64, 1)) > 0 && last.LessEq(x) == interval.True {
			return eps, nil
		}
		last = x
	}
}
