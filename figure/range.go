package figure

import (
	"fmt"
	"math"
)

// xRange returns the range of the x axis.
func xRange(points []Point) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		lo, hi = min(lo, p.X), max(hi, p.X)
	}
	if lo == hi {
		return lo - 1, hi + 1
	}
	return lo, hi
}

// yRange returns the range of the y axis: what the finite bounds span, in whole
// decades where it shows logarithms. An infinite bound ends at the edge, with room
// between it and the finite ones.
func yRange(points []Point, log bool) (lo, hi float64, err error) {
	lo, hi = math.Inf(1), math.Inf(-1)
	below, above := false, false
	for _, p := range points {
		for _, y := range []float64{p.Lo, p.Hi} {
			switch {
			case math.IsNaN(y) || math.IsNaN(p.X) || math.IsInf(p.X, 0):
				return 0, 0, fmt.Errorf("figure: point (%v, %v), want numbers", p.X, y)
			case math.IsInf(y, -1):
				below = true
			case math.IsInf(y, 1):
				above = true
			default:
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	if lo > hi {
		return 0, 0, fmt.Errorf("figure: none of %d points has a finite bound", len(points))
	}
	room := (hi - lo) / 20
	switch {
	case log:
		lo, hi, room = math.Floor(lo), math.Ceil(hi), 1
	case 0 < lo && lo < hi/2:
		lo = 0
	}
	if lo == hi {
		room = max(1, math.Abs(lo)/10)
		lo -= room
		if !log {
			hi += room
		}
	}
	if below {
		lo -= room
	}
	if above {
		hi += room
	}
	return lo, hi, nil
}

// rising reports whether the upper bound is larger at the end than at the start.
func rising(points []Point) bool {
	n := len(points)
	return n > 0 && points[n-1].Hi > points[0].Hi
}
