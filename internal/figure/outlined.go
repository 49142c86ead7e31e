// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

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
