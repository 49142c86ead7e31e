// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// column is the width over which a band is bounded at once, and leastColumn where it is steep.
const (
	column      = unit * 2 / 5
	leastColumn = unit / 20
)

// slack is how far lines may be moved outward so that they need fewer corners.
const slack = unit / 50

// A band is the region that contains a curve, between two lines from left to right.
type band struct {
	upper, lower []spot
	along        []spot // spots on both, once they were looked at
}

// trace returns the band of a curve; nil if nothing is known between its points, and one without lines if all of the
// curve is beyond the frame. Every point (x, y) of the curve between the first and the last of them that is in
// the frame lies inside, in the coordinates of the file:
//
// The frame is cut into columns. The corner of the upper line between two columns is at
// the upper bound of both, so that over a column the line is nowhere below the bound of
// this column; the lower line in the same way. Places are rounded outward.
func trace(c Curve, x, y side) *band {
	between := c.Shape.between(c.Points)
	if between == nil {
		return nil
	}
	first, last := x.inside(x.lower(floor(c.Points[0].X))), x.inside(x.upper(ceil(c.Points[len(c.Points)-1].X)))
	ends := []int{first}
	for p := first/column*column + column; p < last; p += column {
		ends = append(ends, p)
	}
	ends = append(ends, last)
	w := walk{ps: c.Points, between: between, x: x}
	bound := func(place int) stretch {
		v := w.at(place)
		return stretch{y.lower(v.Lo()), y.upper(v.Hi())}
	}
	// Every shape is monotone over each column, and places are monotone in numbers: what is true of both ends is
	// true between.
	at := []stretch{bound(ends[0])}
	var lo, hi []int // of the columns
	wide := ends
	ends = ends[:1:1]
	for _, p := range wide[1:] {
		for _, s := range split(ends[len(ends)-1], bounded{p, bound(p)}, at[len(at)-1], bound) {
			last := at[len(at)-1]
			lo, hi = append(lo, min(last.lo, s.lo)), append(hi, max(last.hi, s.hi))
			ends, at = append(ends, s.place), append(at, s.stretch)
		}
	}
	b := &band{}
	from, to := 0, len(lo) // the columns in which something is in the frame
	out := func(i int) bool { return hi[i] < y.bottom || lo[i] > y.top }
	for from < to && out(from) {
		from++
	}
	for from < to && out(to-1) {
		to--
	}
	if from == to {
		return b
	}
	for i := from; i <= to; i++ {
		left, right := max(i-1, from), min(i, to-1)
		b.upper = append(b.upper, spot{ends[i], y.inside(max(hi[left], hi[right]))})
		b.lower = append(b.lower, spot{ends[i], y.inside(min(lo[left], lo[right]))})
	}
	b.upper = simpler(b.upper, y.top)
	b.lower = mirror(simpler(mirror(b.lower), -y.bottom))
	// Both lines end where the curve leaves the frame.
	leave := func(column, at int) {
		if hi[column] < y.bottom {
			b.upper = append(b.upper, spot{at, y.bottom})
		} else {
			b.lower = append(b.lower, spot{at, y.top})
		}
	}
	if to < len(lo) {
		leave(to, ends[to])
	} else {
		b.fall(c.Points[len(c.Points)-1].Y, y)
	}
	if from > 0 {
		slices.Reverse(b.upper)
		slices.Reverse(b.lower)
		leave(from-1, ends[from])
		slices.Reverse(b.upper)
		slices.Reverse(b.lower)
	}
	return b
}

// A stretch is between two places of the y axis.
type stretch struct{ lo, hi int }

// A bounded place has bounds of a curve.
type bounded struct {
	place int
	stretch
}

// split returns places in (from, to], to the last, that are so near to each other that the curve does not rise or fall
// by much between them.
func split(from int, to bounded, at stretch, bound func(place int) stretch) []bounded {
	steep := max(at.hi, to.hi)-min(at.hi, to.hi) > leastColumn || max(at.lo, to.lo)-min(at.lo, to.lo) > leastColumn
	if !steep || to.place-from <= leastColumn {
		return []bounded{to}
	}
	m := (from + to.place) / 2
	middle := bounded{m, bound(m)}
	return append(split(from, middle, at, bound), split(m, to, middle.stretch, bound)...)
}

// fall ends a band at the last point of its curve, where it is better known than in the last column: there may
// be a cliff.
func (b *band) fall(last interval.Interval, y side) {
	end := b.upper[len(b.upper)-1]
	if hi := y.inside(y.upper(last.Hi())); hi+slack < end.y {
		b.upper = append(b.upper, spot{end.x, hi})
	}
	if lo := y.inside(y.lower(last.Lo())); lo-slack > b.lower[len(b.lower)-1].y {
		b.lower = append(b.lower, spot{end.x, lo})
	}
}

// A walk asks for bounds at places, each near the one before.
type walk struct {
	ps      []Point
	between bounds
	x       side
	i       int // the segment
}

// at encloses the curve at a place. The number there is enclosed only; all segments that it
// may be in are asked.
func (w *walk) at(place int) interval.Interval {
	n := w.x.back(place)
	lo, hi := floor(w.ps[0].X), ceil(w.ps[len(w.ps)-1].X)
	// The ends of a curve are between two places.
	n = interval.Bounds(within(n.Lo(), lo, hi), within(n.Hi(), lo, hi))
	for w.i > 0 && n.Lo().Cmp(ceil(w.ps[w.i].X)) <= 0 {
		w.i--
	}
	for w.i+2 < len(w.ps) && n.Lo().Cmp(ceil(w.ps[w.i+1].X)) > 0 {
		w.i++
	}
	y := w.inside(w.i, n)
	for i := w.i + 1; i+1 < len(w.ps) && n.Hi().Cmp(floor(w.ps[i].X)) >= 0; i++ {
		y = interval.Union(y, w.inside(i, n))
	}
	return y
}

// inside asks segment i about x, widened so far that x certainly meets it.
func (w *walk) inside(i int, x interval.Interval) interval.Interval {
	lo, hi := x.Lo(), x.Hi()
	if end := floor(w.ps[i+1].X); lo.Cmp(end) > 0 {
		lo = end
	}
	if end := ceil(w.ps[i].X); hi.Cmp(end) < 0 {
		hi = end
	}
	return w.between(i, interval.Bounds(lo, hi))
}

func within(x, lo, hi *big.Float) *big.Float {
	if x.Cmp(lo) < 0 {
		return lo
	}
	if x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

// simpler returns a line with fewer corners that is nowhere below a given one, nowhere more
// than 2·slack above it, and nowhere above top.
//
// It goes through corners that are raised by slack. From one of them the next is the last
// to which a straight line leaves every corner between within slack of its raised place:
// the slopes that do are an interval, which shrinks from corner to corner.
func simpler(line []spot, top int) []spot {
	if len(line) < 3 {
		return line
	}
	raised := make([]spot, len(line))
	for i, s := range line {
		raised[i] = spot{s.x, min(s.y+slack, max(top, s.y))}
	}
	out := []spot{raised[0]}
	for i := 0; i < len(line)-1; {
		from := raised[i]
		next := i + 1
		var lo, hi [2]int // the least and the greatest slope, as fractions
		for j := next; j < len(line); j++ {
			d := raised[j].x - from.x
			if s := [2]int{raised[j].y - from.y, d}; j == i+1 || !steeper(lo, s) && !steeper(s, hi) {
				next = j
			}
			if least := [2]int{line[j].y - from.y, d}; j == i+1 || steeper(least, lo) {
				lo = least
			}
			if most := [2]int{line[j].y + 2*slack - from.y, d}; j == i+1 || steeper(hi, most) {
				hi = most
			}
			if steeper(lo, hi) {
				break
			}
		}
		out = append(out, raised[next])
		i = next
	}
	return out
}

// steeper reports a > b for slopes with positive denominators.
func steeper(a, b [2]int) bool { return a[0]*b[1] > b[0]*a[1] }

// mirror turns a line upside down.
func mirror(line []spot) []spot {
	out := make([]spot, len(line))
	for i, s := range line {
		out[i] = spot{s.x, -s.y}
	}
	return out
}
