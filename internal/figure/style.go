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
	stroke float64 // the width of lines, in points; 0: filled
	dashed bool
}

func rgb(x uint32, alpha uint8) color.NRGBA {
	return color.NRGBA{R: uint8(x >> 16), G: uint8(x >> 8), B: uint8(x), A: alpha}
}

var (
	paper = class{name: "paper", color: rgb(0xffffff, 255)}
	grid  = class{name: "grid", color: rgb(0xe3e6ea, 255), stroke: 0.6}
	axis  = class{name: "axis", color: rgb(0x8b949e, 255), stroke: 0.8}
	ink   = class{name: "ink", color: rgb(0x1b1f24, 255)}
	faint = class{name: "faint", color: rgb(0x57606a, 255)}
	guide = class{name: "guide", color: rgb(0x57606a, 255), stroke: 0.8, dashed: true}
)

// Colors that everybody tells apart [Okabe & Ito 2008], darker where they are faint.
var palette = []uint32{0x0072b2, 0xd55e00, 0x008f68, 0xb3548c, 0xb07c00, 0x3c96cc, 0x6a4c93, 0x5f6770, 0x8c4a2f, 0x1b7f86}

// lineOf, bandOf and fillOf are the looks of curve i: its outline, the region in it, and a
// filled thing of its colour.
func lineOf(i int) class { return ofCurve("line", i, 255, 1) }
func bandOf(i int) class { return ofCurve("band", i, 72, 0) }
func fillOf(i int) class { return ofCurve("fill", i, 255, 0) }

func ofCurve(name string, i int, alpha uint8, stroke float64) class {
	i %= len(palette)
	return class{name: fmt.Sprintf("%s c%d", name, i), color: rgb(palette[i], alpha), stroke: stroke}
}

// markOf is the look of a mark, by what it marks.
func markOf(kind string) class {
	c := class{name: "mark", color: rgb(0x1b1f24, 255)}
	if kind != "" {
		c.name += " " + kind
	}
	return c
}
