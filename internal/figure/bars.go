// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"errors"
	"io"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// Bars compares numbers by horizontal bars, the first on top, as wide as DefaultSize and as high as is needed. A number
// that is more than farther times the measure, or the least number, has no bar, so that it does not hide the others.
type Bars struct {
	Title string // may have several lines; may be empty
	X     string // what the numbers are
	Scale Scale  // nil is Linear; logarithmic bars begin below the least of them, and all have one
	Bars  []Bar
}

// farther is how many times the measure a bar is long at most.
const farther = 10

// A Bar is a named number. One that is the measure of the others is drawn apart from them,
// with a line through all rows; one that is no bound is hollow.
type Bar struct {
	Name    string
	Value   *big.Float // its end; none is drawn if it is infinite
	Text    string     // the value as written at the end
	Measure bool
	Hollow  bool
}

// Write draws b in a format: "svg", "png" or "pdf".
func (b Bars) Write(w io.Writer, format string) error {
	size := Size{DefaultSize.Width, float64(b.header()+3*line)/unit + 20*float64(len(b.Bars))}
	c, err := newCanvas(format, b.X, size.hundredths())
	if err != nil {
		return err
	}
	if err := b.draw(c, size.hundredths()); err != nil {
		return err
	}
	_, err = c.WriteTo(w)
	return err
}

// header is the height of what is above the bars.
func (b Bars) header() int {
	if b.Title == "" {
		return margin
	}
	return margin + line*(1+strings.Count(b.Title, "\n")) + line/2
}

// anyFont is the room for a text of a width: whoever shows an SVG may have a font that is wider, as DejaVu Sans is by
// an eighth.
func anyFont(width int) int { return width + width/6 }

// most is the greatest number that has a bar; nil if no number is positive and finite.
func (b Bars) most() *big.Float {
	var measure, least, most *big.Float
	for _, x := range b.Bars {
		if x.Value.IsInf() || x.Value.Sign() <= 0 {
			continue
		}
		if least == nil || x.Value.Cmp(least) < 0 {
			least = x.Value
		}
		if most == nil || x.Value.Cmp(most) > 0 {
			most = x.Value
		}
		if x.Measure {
			measure = x.Value
		}
	}
	if measure == nil {
		measure = least
	}
	if b.Scale == Log || measure == nil {
		return most
	}
	return new(big.Float).Mul(measure, big.NewFloat(farther))
}

func (b Bars) draw(c canvas, size spot) error {
	scale := Axis{Scale: b.Scale}.scale()
	most := b.most()
	if most == nil {
		return errors.New("figure: there is no finite bar")
	}
	barred := func(x Bar) bool { return x.Value.Cmp(most) <= 0 && (scale == Linear || x.Value.Sign() > 0) }
	span := newSpan()
	if scale == Linear {
		span.show(scale, interval.Int(0))
	}
	names := 0
	for _, x := range b.Bars {
		if barred(x) {
			span.show(scale, interval.Point(x.Value))
		}
		names = max(names, anyFont(textWidth(x.Name, labelSize)))
	}
	inner := box{margin + names + 6*unit, size.x - margin - 6*unit, margin + 2*line + 2*unit, size.y - b.header()}
	if inner.right-inner.left < 4*line || inner.top-inner.bottom < 4*unit*len(b.Bars) {
		return errSmall
	}
	if scale != Linear {
		span.lo -= (span.hi - span.lo) / 8 // the least has a bar, too
	}
	axes := Axis{Label: b.X, Scale: scale}
	x, err := axes.side(span, inner.left, inner.right)
	if err != nil {
		return err
	}
	if inner.right = b.beside(x, inner, barred); inner.right-inner.left < 4*line {
		return errSmall
	}
	if x, err = axes.side(span, inner.left, inner.right); err != nil {
		return err
	}
	c.shape(paper, box{0, size.x, 0, size.y}.corners())
	(&plan{size: size}).header(c, Graph{Title: b.Title})
	(&plan{box: inner, xs: x.ticks(mostTicks)}).axes(c, Graph{X: axes})
	step := (inner.top - inner.bottom) / len(b.Bars)
	ends := make([]spot, len(b.Bars)) // of the bars
	for i, bar := range b.Bars {
		at := spot{inner.left, inner.top - step/2 - i*step}
		c.text(ink, spot{inner.left - 6*unit, at.y - 3*unit}, end, labelSize, bar.Name)
		if barred(bar) {
			at.x = x.upper(bar.Value)
		}
		ends[i] = at
		r := box{inner.left, at.x, at.y - step*3/10, at.y + step*3/10}.corners()
		switch {
		case at.x == inner.left: // its number is all there is
		case bar.Hollow:
			c.shape(outline(5, NoBound, 0), append(r, r[0]))
		case bar.Measure:
			c.shape(fillOf(1), r)
		default:
			c.shape(bandOf(0), r)
			c.shape(lineOf(0), append(r, r[0]))
		}
	}
	if i := slices.IndexFunc(b.Bars, func(x Bar) bool { return x.Measure }); i >= 0 && barred(b.Bars[i]) {
		truth := lineOf(1)
		truth.dash, truth.name = dashes, truth.name+" dashed"
		c.shape(truth, []spot{{ends[i].x, inner.bottom}, {ends[i].x, inner.top}})
	}
	for i, bar := range b.Bars { // over the line
		at, w := ends[i], anyFont(textWidth(bar.Text, tickSize))
		c.shape(paper, box{at.x + 2*unit, at.x + w + 6*unit, at.y - 5*unit, at.y + 7*unit}.corners())
		c.text(ink, spot{at.x + 4*unit, at.y - 3*unit}, start, tickSize, bar.Text)
	}
	c.shape(axis, []spot{{inner.left, inner.top}, {inner.left, inner.bottom}, {inner.right, inner.bottom}})
	return nil
}

// beside returns the right end of the box with which each bar has its text beside it, by what x is in a box of all the
// width.
func (b Bars) beside(x side, in box, barred func(Bar) bool) int {
	right := int64(in.right)
	for _, bar := range b.Bars {
		room, to := int64(in.right-in.left-anyFont(textWidth(bar.Text, tickSize))), int64(0)
		if barred(bar) {
			to = int64(x.upper(bar.Value) - in.left)
		}
		switch {
		case room <= 0:
			return in.left
		case to > 0:
			right = min(right, int64(in.left)+int64(in.right-in.left)*room/to-1)
		}
	}
	return int(right)
}

var errSmall = errors.New("figure: the picture is too small for these bars")
