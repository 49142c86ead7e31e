// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// svg draws a picture inside of a page, which has the styles of its classes: every shape has one.
type svg struct {
	b      strings.Builder
	size   spot
	styles map[string]string
	dark   map[string]string // on a dark page
	about  string
}

func newSVG(about string, size spot) *svg {
	return &svg{size: size, styles: make(map[string]string), dark: make(map[string]string), about: about}
}

func (v *svg) coordinates(path []spot) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(hundredths(s.x) + "," + hundredths(v.size.y-s.y))
	}
	return b.String()
}

func (v *svg) shape(c class, path []spot) {
	element := "polygon"
	if c.stroke > 0 {
		element = "polyline"
	}
	fmt.Fprintf(&v.b, "<%s class=%q points=%q/>\n", element, v.style(c), v.coordinates(path))
}

func (v *svg) text(c class, at spot, a anchor, size float64, s string) {
	fmt.Fprintf(&v.b, `<text class=%q x=%q y=%q`, v.style(c), hundredths(at.x), hundredths(v.size.y-at.y))
	if a != start {
		fmt.Fprintf(&v.b, ` text-anchor=%q`, string(a))
	}
	fmt.Fprintf(&v.b, ` font-size="%g">%s</text>`+"\n", size, html.EscapeString(s))
}

// group takes names and values of attributes by turns.
func (v *svg) group(name string, attributes ...string) {
	fmt.Fprintf(&v.b, `<g class=%q`, name)
	for i := 0; i+1 < len(attributes); i += 2 {
		fmt.Fprintf(&v.b, ` %s="%s"`, attributes[i], html.EscapeString(attributes[i+1]))
	}
	v.b.WriteString(">\n")
}

func (v *svg) end() { v.b.WriteString("</g>\n") }

// style returns the classes of something and remembers how it looks.
func (v *svg) style(c class) string {
	hex := fmt.Sprintf("#%02x%02x%02x", c.color.R, c.color.G, c.color.B)
	rule, dark := "fill:"+hex, "fill"
	if c.stroke > 0 {
		dark = "stroke"
		rule = fmt.Sprintf("fill:none;stroke:%s;stroke-width:%g;stroke-linejoin:round", hex, c.stroke)
	} else if c.color.A < 255 {
		rule += fmt.Sprintf(";fill-opacity:%.2g", float64(c.color.A)/255)
	}
	if c.dash[0] > 0 {
		rule += fmt.Sprintf(";stroke-dasharray:%.3g,%.3g", c.dash[0], c.dash[1])
	}
	selector := "." + strings.ReplaceAll(c.name, " ", ".")
	v.styles[selector], v.dark[selector] = rule, fmt.Sprintf("%s:#%06x", dark, c.dark)
	return c.name
}

// WriteTo writes the picture.
func (v *svg) WriteTo(w io.Writer) (int64, error) { return v.write(w, "<svg ", "") }

// write writes the picture between how it begins and how it ends, with a style sheet.
func (v *svg) write(w io.Writer, head, styles string) (int64, error) {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, `viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", hundredths(v.size.x), hundredths(v.size.y),
		html.EscapeString(v.about))
	b.WriteString(styles)
	b.WriteString(v.b.String())
	b.WriteString("</svg>\n")
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// An svgFile is a picture in a file of its own, which brings its styles.
type svgFile struct{ *svg }

// WriteTo writes the file.
func (v svgFile) WriteTo(w io.Writer) (int64, error) {
	head := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" `, hundredths(v.size.x),
		hundredths(v.size.y))
	var b strings.Builder
	b.WriteString("<style>text{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}\n")
	for _, name := range slices.Sorted(maps.Keys(v.styles)) {
		fmt.Fprintf(&b, "%s{%s}\n", name, v.styles[name])
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	for _, name := range slices.Sorted(maps.Keys(v.dark)) {
		fmt.Fprintf(&b, "%s{%s}\n", name, v.dark[name])
	}
	b.WriteString("}</style>\n")
	return v.write(w, head, b.String())
}

// A canvas is drawn on, in hundredths of a point, with y upwards.
type canvas interface {
	// shape fills a region, or strokes a line.
	shape(c class, path []spot)
	// text writes a text whose start, middle or end is at a spot, on its baseline.
	text(c class, at spot, a anchor, size float64, s string)
	// group begins and end ends a group with a name and attributes.
	group(name string, attributes ...string)
	end()
	io.WriterTo
}

type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// A unit is what coordinates in a file are multiples of: whole hundredths of a point, y upwards: SVG and PDF write them
// exactly, so that what is rounded outward here stays so.
const unit = 100

// A spot is a place in a file.
type spot struct{ x, y int }

// hundredths writes a coordinate.
func hundredths(n int) string {
	return strconv.FormatFloat(float64(n)/unit, 'f', -1, 64)
}
