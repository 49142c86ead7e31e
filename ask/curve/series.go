// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"errors"
	"math/big"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/transform"
	"dpverify/internal/figure"
)

// A series is one curve of a sheet.
type series struct {
	figure.Curve
	question exact.Question
	method   *derive.Method // nil for the truth
	kept     *derive.Kept   // of all methods for the question
	missing  string         // why there is none
	parts    []asker        // of which it is the least
	answers  []ask.Answer   // of all parts
	each     map[string][]interval.Interval
	unknown  []figure.Point // of which only is known what is of every event
}

// truth is what a kind shows of what is asked.
func (k Kind) truth(a asker, name string) *series {
	q := a.Question
	c := &series{Curve: figure.Curve{Name: name, Shape: k.shape}, question: q, each: make(map[string][]interval.Interval)}
	qs := []exact.Question{q}
	if k.convex {
		if c.Shape = figure.Least(k.shape, c.each); directions(q) == nil {
			c.Shape = figure.Falling
		} else {
			qs = directions(q)
		}
	}
	for _, a.Question = range qs {
		if a.Scale = leastDelta; !k.compositions {
			a.Profiles = new(ask.Profiles)
		} else if k.Name == "epsilon-compositions" {
			a.Scale = a.over
		}
		c.parts = append(c.parts, a)
	}
	if k.Name == "roc" {
		c.Shape = figure.Complement(c.Shape)
	}
	return c
}

// add adds a point: the least of the answers of its parts.
func (c *series) add(k Kind, x *big.Rat, parts []ask.Answer) {
	var ys []interval.Interval
	into := &c.Points
	y := parts[0].Interval
	for _, a := range parts {
		if !a.Computed {
			c.missing, into = a.Reason(), &c.unknown
		}
		ys, y = append(ys, a.Interval), interval.Min(y, a.Interval)
	}
	c.answers = append(c.answers, parts...)
	c.each[x.RatString()] = ys
	if k.Name == "roc" {
		y = interval.Prec(80).Sub(interval.Int(1), y)
	}
	*into = append(*into, figure.Point{X: x, Y: y})
}

// searches is 1 if its method searches, which takes time, and 0 if not.
func (c *series) searches() int {
	if c.method != nil && c.method.Search {
		return 1
	}
	return 0
}

// density adds the mean density of the privacy loss under P in each cell between two of the points.
//
// Tails are enclosed by chords that reach a thousandth of a cell, and the mass of a cell is the difference of two.
func (c *series) density(ctx context.Context, at []*big.Rat) error {
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
	a := c.parts[0]
	a.Digits = max(a.Digits, densityDigits)
	answers, err := ask.Range(ctx, a.Question, a.events, a.Goal, qs...)
	if err != nil {
		return err
	}
	c.answers = answers
	var tails []interval.Interval
	for i, x := range at {
		for _, a := range answers[3*i : 3*i+3] {
			if !a.Computed {
				c.missing = a.Reason()
				return nil
			}
		}
		tails = append(tails, transform.Tail(x, step, answers[3*i].Interval, answers[3*i+1].Interval,
			answers[3*i+2].Interval))
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

// densityDigits are the digits of δ: differences of differences lose most of them.
const densityDigits = 15
