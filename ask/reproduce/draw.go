// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"slices"

	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/number"
)

// A FigureOutcome is a figure with the enclosures of its curves, point by point.
type FigureOutcome struct {
	Figure
	Values [][]interval.Interval
	More   [][]figure.Point // of each curve, at further points
	// Printed are the points that the paper prints in digits.
	Printed []figure.Point
}

// printed returns the points of a figure that statements have in digits: an ε or a δ of what a curve is about.
func (e Entry) printed(f Figure) (points []figure.Point) {
	for _, s := range e.Statements {
		x := s.Of.x
		y, err := number.Parse(s.Printed)
		about := func(c Curve) bool { q := c.Value(f.At[0]); return q.kind == delta && q.of == s.Of.of }
		if err != nil || s.Claim != Number || s.Over != nil || x == nil || !slices.ContainsFunc(f.Curves, about) {
			continue
		}
		if s.Of.kind == epsilon {
			x, y = y, x
		}
		points = append(points, figure.Point{X: x, Y: interval.Prec(64).Rat(y)})
	}
	return points
}

// Draw returns the graph of a figure, in the paper's axes.
func (f FigureOutcome) Draw() figure.Graph {
	out := figure.Graph{
		Title: f.Title,
		X:     figure.Axis{Label: f.X, Scale: scale(f.GrowthX, f.LogX), Exact: !f.LogX},
		Y:     figure.Axis{Label: f.Y, Scale: scale(f.GrowthY, f.LogY)},
	}
	for i, c := range f.Curves {
		s := figure.Curve{Name: c.Name, Shape: c.Shape}
		for j, at := range f.At {
			s.Points = append(s.Points, figure.Point{X: at, Y: f.Values[i][j]})
		}
		s.Points = append(s.Points, f.More[i]...)
		out.Curves = append(out.Curves, s)
	}
	if len(f.Printed) > 0 {
		out.Curves = append(out.Curves, figure.Curve{Name: "printed", Shape: figure.Unknown, Points: f.Printed})
	}
	return out
}

// scale is the scale of an axis. No figure has a logarithmic one of e^x.
func scale(growth, log bool) figure.Scale {
	switch {
	case growth:
		return figure.Growth
	case log:
		return figure.Log
	}
	return figure.Linear
}
