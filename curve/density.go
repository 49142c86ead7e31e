// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"errors"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/figure"
)

// density adds the mean density of the privacy loss under P in each cell between two of the points.
//
// With α = e^ε and H the profile of one pair, H(α) = P(L > ε) − α·Q(L > ε), and Q(L > ε) is minus the right derivative
// of the convex H. So −H′(α) lies between minus the slopes of the chords on both sides, and with them
//
//	P(L > ε) = H(α) − α·H′(α+) ∈ H(α) + α·[−slope(α, α⁺), −slope(α⁻, α)].
//
// That is about one pair: of the greatest of several profiles it is the loss of no mechanism. The chords reach a
// thousandth of a cell; the mass of a cell is the difference of two tails.
func (s Sheet) density(ctx context.Context, c *series, at []*big.Rat) error {
	if ps, attained, err := exact.Orientations(c.question); err != nil || !attained || len(ps) != 1 {
		if err == nil {
			err = errors.New("the loss of one pair is drawn: want one --direction, and an event whose profile one pair attains")
		}
		return err
	}
	var qs []ask.Quantity
	step := new(big.Rat).Mul(new(big.Rat).Sub(at[1], at[0]), big.NewRat(1, 1000))
	for _, x := range at {
		qs = append(qs, ask.Delta(new(big.Rat).Sub(x, step)), ask.Delta(x), ask.Delta(new(big.Rat).Add(x, step)))
	}
	q, g := c.question, s.Goal
	q.Scale, g.Profiles = leastDelta, c.profiles
	g.Digits = max(g.Digits, densityDigits)
	answers, err := ask.For(ctx, q, g, qs...)
	if err != nil {
		return err
	}
	var tails []interval.Interval
	for i, x := range at {
		for _, a := range answers[3*i : 3*i+3] {
			if !a.Computed {
				c.missing = a.Reason()
				return nil
			}
		}
		tails = append(tails, tailOf(x, step, answers[3*i].Interval, answers[3*i+1].Interval, answers[3*i+2].Interval))
	}
	const w = interval.Prec(128)
	for i := range len(at) - 1 {
		mass := interval.Max(interval.Int(0), w.Sub(tails[i], tails[i+1]))
		width := w.Rat(new(big.Rat).Sub(at[i+1], at[i]))
		c.Points = append(c.Points, figure.Point{X: at[i], Y: w.Div(mass, width)})
	}
	last := len(at) - 1
	c.Points = append(c.Points, figure.Point{X: at[last], Y: c.Points[last-1].Y})
	return nil
}

// densityDigits are those of δ: differences of differences lose most of them.
const densityDigits = 15

// tailOf encloses P(L > x) from δ at x − step, x and x + step.
func tailOf(x, step *big.Rat, before, here, after interval.Interval) interval.Interval {
	const w = interval.Prec(192)
	a := w.Exp(w.Rat(x))
	left := w.Exp(w.Rat(new(big.Rat).Sub(x, step)))
	right := w.Exp(w.Rat(new(big.Rat).Add(x, step)))
	least := w.Div(w.Sub(here, after), w.Sub(right, a))
	most := w.Div(w.Sub(before, here), w.Sub(a, left))
	q := interval.Bounds(least.Lo(), interval.Max(least, most).Hi())
	tail := w.Add(here, w.Mul(a, q))
	return interval.Max(interval.Int(0), interval.Min(interval.Int(1), tail))
}
