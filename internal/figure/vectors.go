// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
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
