// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Formats are the formats that figures are written in.
var Formats = []string{"svg", "png", "pdf"}

// FormatOf returns the format of a file by its name; false if it has none of these.
func FormatOf(path string) (string, bool) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	return format, slices.Contains(Formats, format)
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

var faces = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// face is the font of texts.
func face(size float64) font.Face {
	return faces().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size))
}

// textWidth is about how wide a text is.
func textWidth(s string, size float64) int {
	f := face(size)
	return int(f.Width(s).Points() * unit)
}

// vectors draws on a canvas of gonum.
type vectors struct{ vg.CanvasWriterTo }

func (v *vectors) shape(c class, path []spot) {
	var p vg.Path
	for i, s := range path {
		if at := point(s); i == 0 {
			p.Move(at)
		} else {
			p.Line(at)
		}
	}
	v.SetColor(c.color)
	if c.stroke == 0 {
		p.Close()
		v.Fill(p)
		return
	}
	v.SetLineWidth(vg.Points(c.stroke))
	v.SetLineDash(nil, 0)
	if c.dashed {
		v.SetLineDash([]vg.Length{3, 3}, 0)
	}
	v.Stroke(p)
}

func (v *vectors) text(c class, at spot, a anchor, size float64, s string) {
	switch a {
	case middle:
		at.x -= textWidth(s, size) / 2
	case end:
		at.x -= textWidth(s, size)
	}
	v.SetColor(c.color)
	v.FillString(face(size), point(at), s)
}

func (v *vectors) group(string, ...string) {}
func (v *vectors) end()                    {}

func point(s spot) vg.Point {
	return vg.Point{X: vg.Length(s.x) / unit, Y: vg.Length(s.y) / unit}
}
