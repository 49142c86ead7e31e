// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// A Picture says how a curve is drawn.
type Picture struct {
	Title *string  // nil is the mechanism
	Mark  *big.Rat // a δ whose least ε is pointed at, or nil
	Size  figure.Size
	LogX  bool // space compositions by their logarithm
}

// Draw adds points to a curve where the band is thick, for as long as there is time, and draws
// it in a format of package figure. It returns the width of the band where it is thickest, in pixels.
func (p Picture) Draw(ctx context.Context, w io.Writer, v *Curve, format string) (width float64, err error) {
	if err := p.refine(ctx, v); err != nil {
		return 0, err
	}
	var marks []figure.Mark
	if p.Mark != nil {
		m, err := p.mark(ctx, v)
		if err != nil {
			return 0, err
		}
		marks = append(marks, m)
	}
	g := p.graph(v)
	g.Marks = marks
	width, err = g.WriteWidth(w, format)
	switch s := v.Lacking(); {
	case err == nil:
		return width, nil
	case !errors.Is(err, figure.ErrNothing):
		return 0, err
	case s != "":
		return 0, fmt.Errorf("there is nothing to draw: %s", s)
	}
	return 0, fmt.Errorf("there is nothing to draw: all %d points are 0 or infinite", len(v.At))
}

// refine adds points where the band is thick, for as long as there is time.
func (p Picture) refine(ctx context.Context, v *Curve) error {
	limited, cancel := v.Limit(ctx)
	defer cancel()
	for len(v.At) < v.Points && limited.Err() == nil {
		xs, err := p.graph(v).Open(0, v.Points-len(v.At))
		if err != nil || len(xs) == 0 {
			return nil // what cannot be drawn is said when it is drawn
		}
		if err := v.extend(ctx, xs); err != nil {
			return err
		}
	}
	return nil
}

// mark encloses the least ε at a δ, adds both ends to the curve, and marks the upper one.
func (p Picture) mark(ctx context.Context, v *Curve) (figure.Mark, error) {
	q := v.question
	q.Scale = p.Mark
	g := v.Goal
	g.Digits, g.Profiles = max(g.Digits, 4), nil
	answers, err := ask.Range(ctx, q, v.events(), g, ask.Epsilon(p.Mark))
	if err != nil {
		return figure.Mark{}, err
	}
	text := number.Format(p.Mark)
	lo, hi, ok := answers[0].Rationals()
	if !ok || hi.Cmp(v.At[0]) < 0 || hi.Cmp(v.At[len(v.At)-1]) > 0 {
		return figure.Mark{}, &mechanism.ParamError{Field: "mark", Value: text + ": the least ε is " +
			prose.Range(answers[0].Decimal(g.Digits)),
			Want: "one from " + number.Format(v.At[0]) + " to " + number.Format(v.At[len(v.At)-1])}
	}
	ends := []*big.Rat{hi}
	if lo.Cmp(hi) < 0 && lo.Cmp(v.At[0]) > 0 {
		ends = append(ends, lo)
	}
	if err := v.extend(ctx, ends); err != nil {
		return figure.Mark{}, err
	}
	const bits = interval.Prec(64)
	_, most := answers[0].Decimal(g.Digits + 1)
	return figure.Mark{X: bits.Rat(hi), Y: bits.Rat(p.Mark), Label: "ε ≤ " + prose.Readable(most) + " at δ = " + text},
		nil
}

// graph is the picture of a curve.
func (p Picture) graph(v *Curve) figure.Graph {
	q := exact.Question{Event: v.question.Event, Relation: v.Relation, Direction: v.Direction}
	g := figure.Graph{
		Title: Sheet{Questions: []exact.Question{q}, Titles: []string{prose.TitleOf(v.events())}}.Heading(),
		X:     figure.Axis{Label: "ε (nats)", Exact: true},
		Y:     figure.Axis{Label: "δ(ε)", Scale: figure.Log},
		Size:  p.Size,
	}
	c := figure.Curve{Shape: figure.Profile}
	if v.Over == "compositions" {
		g.Title = "k × " + g.Title
		g.X = figure.Axis{Label: "compositions k", To: float64(v.Compositions), Exact: true}
		if p.LogX {
			g.X.Scale, g.X.To = figure.Log, math.Log10(float64(v.Compositions))
		}
		g.Y = figure.Axis{Label: "least ε (nats) at δ = " + number.Format(v.Delta)}
		c.Shape = figure.Rising
	}
	if p.Title != nil {
		g.Title = *p.Title
	}
	computed := 0
	for _, a := range v.Values {
		if a.Computed {
			computed++
		}
	}
	for i, a := range v.Values {
		if !a.Computed && computed > 1 {
			continue // the time ended before it
		}
		c.Points = append(c.Points, figure.Point{X: v.At[i], Y: a.Interval})
	}
	g.Curves = []figure.Curve{c}
	if v.Over != "compositions" {
		g.Y.From, g.Y.To = shown(g.Curves, p.Mark)
	}
	return g
}
