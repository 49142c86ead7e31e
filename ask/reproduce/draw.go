// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"dpverify/exact/interval"
	"dpverify/internal/figure"
)

// A FigureOutcome is a figure with the enclosures of its curves, point by point.
type FigureOutcome struct {
	Figure
	Values [][]interval.Interval
	More   [][]figure.Point // of each curve, at further points
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
		if f.More != nil {
			s.Points = append(s.Points, f.More[i]...)
		}
		out.Curves = append(out.Curves, s)
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
