// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// sans is the one font of texts, of the twelve of its family.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

var faces = sync.OnceValue(func() *font.Cache {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic("figure: internal error: " + err.Error())
	}
	return font.NewCache(font.Collection{{Font: sans, Face: face}})
})

// face is the font of texts.
func face(size float64) font.Face {
	return faces().Lookup(sans, vg.Points(size))
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
	if c.dash[0] > 0 {
		v.SetLineDash([]vg.Length{vg.Points(c.dash[0]), vg.Points(c.dash[1])}, 0)
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

// outlined draws text as shapes. The fonts of vgpdf know Latin-1 only, and ε and δ
// are not in it.
type outlined struct{ *vgpdf.Canvas }

// FillString draws text with its baseline starting at a point.
func (c outlined) FillString(face font.Face, at vg.Point, text string) {
	// The glyphs are loaded at 64 pixels per em, and coordinates come in 64ths of one.
	const perEm = 64
	unit := face.Font.Size / perEm / 64
	var buf sfnt.Buffer
	var path vg.Path
	x := at.X
	point := func(p fixed.Point26_6) vg.Point { // y points down in glyphs
		return vg.Point{X: x + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
	}
	for _, r := range text {
		glyph, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // the bundled fonts have no broken tables
		}
		outline, err := face.Face.LoadGlyph(&buf, glyph, fixed.I(perEm), nil)
		if err != nil {
			continue
		}
		open := false
		for _, s := range outline {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if open {
					path.Close()
				}
				path.Move(point(s.Args[0]))
				open = true
			case sfnt.SegmentOpLineTo:
				path.Line(point(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(s.Args[0]), point(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
			}
		}
		if open {
			path.Close()
		}
		advance, err := face.Face.GlyphAdvance(&buf, glyph, fixed.I(perEm), 0)
		if err != nil {
			continue
		}
		x += vg.Length(advance) * unit
	}
	c.Fill(path)
}
