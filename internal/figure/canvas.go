// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"io"
	"strconv"
)

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
