// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import "math"

// pixel is a pixel of CSS, in hundredths of a point.
const pixel = unit * 3 / 4

// width is how thick the thickest band of a graph is, in pixels of CSS, where its file is shown in its own size: the
// greatest distance of a corner of one of its lines from the other.
func (p *plan) width() float64 {
	most := 0.0
	for _, l := range p.lines {
		if l.band != nil && len(l.upper) > 1 {
			most = max(most, away(l.upper, l.lower), away(l.lower, l.upper))
		}
	}
	return most / pixel
}

// away is the greatest distance of a corner of a line from another line. Both go from left to right.
func away(from, to []spot) float64 {
	most := 0.0
	for _, s := range from {
		least := math.Inf(1)
		for i := 1; i < len(to); i++ {
			a, b := to[i-1], to[i]
			if float64(max(a.x-s.x, s.x-b.x)) < least {
				least = min(least, distance(s, a, b))
			}
		}
		most = max(most, least)
	}
	return most
}

// distance is from a spot to the part of a line between two others.
func distance(s, a, b spot) float64 {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	along := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		along = min(max((float64(s.x-a.x)*dx+float64(s.y-a.y)*dy)/l, 0), 1)
	}
	return math.Hypot(float64(s.x-a.x)-along*dx, float64(s.y-a.y)-along*dy)
}
