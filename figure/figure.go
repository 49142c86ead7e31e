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
	"io"
	"math/big"
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

// An Axis is one of a graph.
type Axis struct {
	Label string
	Scale Scale // nil is Linear
	// From and To are the heights that it begins and ends with, by its scale, if they differ;
	// otherwise it shows what is drawn. Unless it is Exact, they are moved outward to ticks.
	From, To float64
	Exact    bool
}

// A Curve is a quantity over another.
type Curve struct {
	Name   string
	Shape  Shape
	Points []Point // in any order
}

// A Mark is a place of a graph that is pointed at, with lines to the axes.
type Mark struct {
	X, Y  interval.Interval
	Label string
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

// Write draws g in a format: "svg", "png" or "pdf".
func (g Graph) Write(w io.Writer, format string) error {
	c, err := newCanvas(format, g.about(), g.Size.hundredths())
	if err != nil {
		return err
	}
	size := g.Size.hundredths()
	c.shape(paper, box{0, size.x, 0, size.y}.corners())
	if err := g.draw(c); err != nil {
		return err
	}
	_, err = c.WriteTo(w)
	return err
}

// SVG draws g for the inside of a page in HTML, which has the styles.
func (g Graph) SVG() (string, error) {
	c := newSVG(g.about(), g.Size.hundredths())
	if err := g.draw(c); err != nil {
		return "", err
	}
	var b strings.Builder
	_, err := c.WriteTo(&b)
	return b.String(), err
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
		s += "; marked: " + m.Label
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
		cs = append(cs, Curve{c.Name, c.Shape, out})
	}
	if len(cs) == 0 {
		return nil, errors.New("figure: there is no curve")
	}
	return cs, nil
}

// sides lays the axes of curves out in a box.
func (g Graph) sides(cs []Curve, b box) (x, y side, err error) {
	xs, ys := newSpan(), newSpan()
	for _, c := range cs {
		for _, p := range c.Points {
			xs.show(g.X.scale(), bits.Rat(p.X))
			ys.show(g.Y.scale(), p.Y)
		}
	}
	for _, m := range g.Marks {
		xs.show(g.X.scale(), m.X)
		ys.show(g.Y.scale(), m.Y)
	}
	// No places beyond the ends of the x axis: what is drawn at its ends is there.
	xs.below, xs.above = false, false
	if g.X.From != g.X.To {
		xs.lo, xs.hi = g.X.From, g.X.To
	}
	if x, err = g.X.side(xs, b.left, b.right); err != nil {
		return x, y, err
	}
	y, err = g.Y.side(ys, b.bottom, b.top)
	return x, y, err
}

// Open returns at most so many X at which curve i should be enclosed too, those first where
// its band is thickest: the band is thicker than the eye needs there, and more than where
// the curve is enclosed already.
func (g Graph) Open(i, most int) ([]*big.Rat, error) {
	p, err := g.plan()
	if err != nil {
		return nil, err
	}
	return open(p.curves[i], p.x, p.y, most), nil
}
