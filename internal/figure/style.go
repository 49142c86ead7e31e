// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"image/color"
)

// A class says how something looks: its name is a class of CSS.
type class struct {
	name   string
	color  color.NRGBA
	dark   uint32     // the colour on a dark page
	stroke float64    // the width of lines, in points; 0: filled
	dash   [2]float64 // the lengths of dashes and gaps, in points; 0: none
}

func rgb(x uint32, alpha uint8) color.NRGBA {
	return color.NRGBA{R: uint8(x >> 16), G: uint8(x >> 8), B: uint8(x), A: alpha}
}

var dashes = [2]float64{4, 3}

var (
	paper = class{name: "paper", color: rgb(0xffffff, 255), dark: 0x0d1117}
	grid  = class{name: "grid", color: rgb(0xe3e6ea, 255), dark: 0x262c34, stroke: 0.6}
	axis  = class{name: "axis", color: rgb(0x8b949e, 255), dark: 0x6e7681, stroke: 0.8}
	ink   = class{name: "ink", color: rgb(0x1b1f24, 255), dark: 0xe6edf3}
	faint = class{name: "faint", color: rgb(0x57606a, 255), dark: 0x9aa4af}
	guide = class{name: "guide", color: rgb(0x57606a, 255), dark: 0x9aa4af, stroke: 0.8, dash: dashes}
)

// palette has colors that everybody tells apart [Okabe & Ito 2008], darker where they are faint.
var palette = []uint32{0x0072b2, 0xd55e00, 0x008f68, 0xb3548c, 0xb07c00, 0x3c96cc, 0x6a4c93, 0x5f6770,
	0x8c4a2f, 0x1b7f86}

// darkPalette has the colours on a dark page.
var darkPalette = []uint32{
	0x58b4f0, 0xff9a52, 0x43cfa4, 0xe89bc8, 0xe3b341, 0x9ad0f5, 0xbfa3ee, 0xa8b1bb, 0xd9a38a, 0x6fd0d6,
}

// lineOf, bandOf and fillOf are the looks of curve i: its outline, the region in it, and a
// filled thing of its colour.
func lineOf(i int) class { return ofCurve("line", i, 255, 1) }

// outline is the look of the lines of curve i, on top of so many others in the same place.
func outline(i int, k Kind, others int) class {
	c := lineOf(i)
	switch {
	case k == NoBound:
		c.name, c.dash = c.name+" dashed", dashes
	case others > 0: // the others are seen between the dashes
		others = min(others, 3)
		c.name = fmt.Sprintf("%s over%d", c.name, others)
		c.dash = [2]float64{12 / float64(others+1), 12 - 12/float64(others+1)}
	}
	if k == Truth {
		c.name, c.stroke = c.name+" strong", 1.5
	}
	return c
}

func bandOf(i int) class { return ofCurve("band", i, 72, 0) }
func fillOf(i int) class { return ofCurve("fill", i, 255, 0) }

func ofCurve(name string, i int, alpha uint8, stroke float64) class {
	i %= len(palette)
	return class{name: fmt.Sprintf("%s c%d", name, i), color: rgb(palette[i], alpha), dark: darkPalette[i], stroke: stroke}
}

// markOf is the look of a mark, by what it marks.
func markOf(kind string) class {
	c := class{name: "mark", color: ink.color, dark: ink.dark}
	if kind != "" {
		c.name += " " + kind
	}
	return c
}
