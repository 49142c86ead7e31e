// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import "strconv"

// A unit is what coordinates in a file are multiples of: whole hundredths of a point, y upwards: SVG and PDF write them
// exactly, so that what is rounded outward here stays so.
const unit = 100

// A spot is a place in a file.
type spot struct{ x, y int }

// hundredths writes a coordinate.
func hundredths(n int) string {
	return strconv.FormatFloat(float64(n)/unit, 'f', -1, 64)
}
