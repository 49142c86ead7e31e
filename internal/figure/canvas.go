// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"io"
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
