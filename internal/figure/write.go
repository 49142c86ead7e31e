// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Write draws g in a format: "svg", "png" or "pdf".
func (g Graph) Write(w io.Writer, format string) error {
	_, err := g.WriteWidth(w, format)
	return err
}

// WriteWidth is Write, and returns how thick the thickest band is.
func (g Graph) WriteWidth(w io.Writer, format string) (width float64, err error) {
	c, err := newCanvas(format, g.about(), g.Size.hundredths())
	if err != nil {
		return 0, err
	}
	size := g.Size.hundredths()
	c.shape(paper, box{0, size.x, 0, size.y}.corners())
	p, err := g.draw(c)
	if err != nil {
		return 0, err
	}
	_, err = c.WriteTo(w)
	return p.width(), err
}

// SVG draws g for the inside of a page in HTML, which has the styles.
func (g Graph) SVG() (string, error) {
	c := newSVG(g.about(), g.Size.hundredths())
	if _, err := g.draw(c); err != nil {
		return "", err
	}
	var b strings.Builder
	_, err := c.WriteTo(&b)
	return b.String(), err
}

// Formats are the formats that figures are written in.
var Formats = []string{"svg", "png", "pdf"}

// FormatOf returns the format of a file by its name; false if it has none of these.
func FormatOf(path string) (string, bool) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	return format, slices.Contains(Formats, format)
}

// newCanvas returns an empty canvas that writes itself in a format.
func newCanvas(format, about string, size spot) (canvas, error) {
	w, h := vg.Length(size.x)/unit, vg.Length(size.y)/unit
	switch format {
	case "svg":
		return svgFile{newSVG(about, size)}, nil
	case "png":
		return &vectors{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(192))}}, nil
	case "pdf":
		return &vectors{outlined{vgpdf.New(w, h)}}, nil
	}
	return nil, fmt.Errorf("figure: format %q, want one of %s", format, strings.Join(Formats, ", "))
}

// pixel is a pixel of CSS, in hundredths of a point.
const pixel = unit * 3 / 4

// width is how thick the thickest band of a graph is, in pixels of CSS, where its file is shown in its own size: the
// greatest distance of a corner of one of its lines from the other.
func (p *plan) width() float64 {
	most := 0.0
	for _, l := range p.lines {
		if l.band != nil && len(l.upper) > 1 {
			most = max(most, away(l.upper, l.lower), away(l.lower, l.upper))
		}
	}
	return most / pixel
}

// away is the greatest distance of a corner of a line from another line. Both go from left to right.
func away(from, to []spot) float64 {
	most := 0.0
	for _, s := range from {
		least := math.Inf(1)
		for i := 1; i < len(to); i++ {
			a, b := to[i-1], to[i]
			if float64(max(a.x-s.x, s.x-b.x)) < least {
				least = min(least, distance(s, a, b))
			}
		}
		most = max(most, least)
	}
	return most
}

// distance is from a spot to the part of a line between two others.
func distance(s, a, b spot) float64 {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	along := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		along = min(max((float64(s.x-a.x)*dx+float64(s.y-a.y)*dy)/l, 0), 1)
	}
	return math.Hypot(float64(s.x-a.x)-along*dx, float64(s.y-a.y)-along*dy)
}
