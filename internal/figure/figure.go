// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package figure draws certified bounds: bands that contain curves, and bars.
//
// A curve is enclosed at points. What is drawn between them follows from its Shape, so that
// the whole band contains the truth, not its corners only: see trace. Everything up to the
// coordinates in the file is rounded outward. How a program shows the file is beyond that.
package figure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// A Graph shows curves over one axis.
type Graph struct {
	Title  string // may have several lines; may be empty
	X, Y   Axis
	Curves []Curve
	Marks  []Mark
	Size   Size // the zero value is DefaultSize
}

// A Mark is a place of a graph that is pointed at, with lines to the axes.
type Mark struct {
	X, Y  interval.Interval
	Label string // may be empty
	Kind  string // a class of the page, such as verified; may be empty
}

// A Size is the size of a picture, in points.
type Size struct{ Width, Height float64 }

// DefaultSize is 18 cm by 12 cm.
var DefaultSize = Centimetres(18, 12)

// Centimetres is a size.
func Centimetres(width, height float64) Size { return Size{width * 72 / 2.54, height * 72 / 2.54} }

// hundredths is a size in whole hundredths of a point.
func (s Size) hundredths() spot {
	if s == (Size{}) {
		s = DefaultSize
	}
	return spot{int(s.Width * unit), int(s.Height * unit)}
}

// about says what is drawn, for those who do not see it.
func (g Graph) about() string {
	s := g.Y.Label + " over " + g.X.Label + ", between its lower and upper bounds"
	var names []string
	for _, c := range g.Curves {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		s += ": " + strings.Join(names, "; ")
	}
	for _, m := range g.Marks {
		if m.Label != "" {
			s += "; marked: " + m.Label
		}
	}
	return s
}

// sorted returns the curves with their points in order, once each.
func (g Graph) sorted() ([]Curve, error) {
	var cs []Curve
	for _, c := range g.Curves {
		ps := slices.Clone(c.Points)
		slices.SortStableFunc(ps, func(a, b Point) int { return a.X.Cmp(b.X) })
		var out []Point
		for _, p := range ps {
			if n := len(out); n > 0 && out[n-1].X.Cmp(p.X) == 0 {
				out[n-1].Y = meet(out[n-1].Y, p.Y)
				continue
			}
			out = append(out, p)
		}
		if len(out) < 2 {
			return nil, fmt.Errorf("figure: curve %q has %d points, want at least 2", c.Name, len(out))
		}
		c.Points = out
		cs = append(cs, c)
	}
	if len(cs) == 0 {
		return nil, errors.New("figure: there is no curve")
	}
	return cs, nil
}
