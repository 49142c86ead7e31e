// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A side of an axis: heights from..to are drawn at places at..end.
type side struct {
	scale    Scale
	from, to float64 // heights
	at, end  int     // places
	// Beyond the heights there may be a place below for numbers with lower ones or none, such
	// as the logarithm of 0, and one above for those with higher ones or infinite ones.
	below, above bool
	bottom, top  int // the places; at and end if there are none
	// What an axis leaves out is one hundredth of a point beyond its end, where nothing is drawn.
	cut bool
}

// place encloses where a height is drawn, in hundredths of a point, as real numbers.
func (s side) place(t interval.Interval) interval.Interval {
	from, to := float(s.from), float(s.to)
	part := bits.Div(bits.Sub(t, from), bits.Sub(to, from))
	return bits.Add(interval.Int(int64(s.at)), bits.Mul(part, interval.Int(int64(s.end-s.at))))
}

// back encloses the number that is drawn at a place.
func (s side) back(place int) interval.Interval {
	from, to := float(s.from), float(s.to)
	part := bits.Div(interval.Int(int64(place-s.at)), interval.Int(int64(s.end-s.at)))
	return s.scale.number(bits.Add(from, bits.Mul(part, bits.Sub(to, from))))
}

// roughly returns the two whole places that the place of a number certainly lies between, where double precision
// tells them: it does for all numbers inside of the axis but those at a whole place.
func (s side) roughly(x *big.Float) (below, above int, ok bool) {
	t := s.scale.rough(double.Of(interval.Point(x)))
	from, to := double.Point(s.from), double.Point(s.to)
	part := t.Sub(from).Div(to.Sub(from))
	p := double.Int(int64(s.at)).Add(part.Mul(double.Int(int64(s.end - s.at))))
	lo, hi := math.Floor(p.Lo), math.Floor(p.Hi)
	if !(p.Lo > float64(s.at) && p.Hi < float64(s.end)) || lo == p.Lo || lo != hi {
		return 0, 0, false
	}
	return int(lo), int(lo) + 1, true
}

// lower is the highest place that is not above a number's. What is below the heights is at
// the bottom; only what is certainly above them is in the place above.
func (s side) lower(x *big.Float) int {
	if x.IsInf() {
		return s.infinite(x)
	}
	if below, _, ok := s.roughly(x); ok {
		return below
	}
	t := s.scale.height(interval.Point(x)).Lo()
	p := s.place(interval.Point(t)).Lo()
	switch {
	case s.cut && t.Cmp(big.NewFloat(s.from)) < 0:
		return s.bottom - 1
	case s.cut && t.Cmp(big.NewFloat(s.to)) > 0:
		return s.top + 1
	case t.IsInf() || t.Cmp(big.NewFloat(s.from)) < 0:
		return s.bottom
	case t.Cmp(big.NewFloat(s.to)) >= 0:
		return s.end
	}
	n, _ := p.Int64() // towards zero: p is positive here
	return int(n)
}

// upper is the lowest place that is not below a number's, in the same way.
func (s side) upper(x *big.Float) int {
	if x.IsInf() {
		return s.infinite(x)
	}
	if _, above, ok := s.roughly(x); ok {
		return above
	}
	t := s.scale.height(interval.Point(x)).Hi()
	switch {
	case s.cut && t.Cmp(big.NewFloat(s.from)) < 0:
		return s.bottom - 1
	case s.cut && t.Cmp(big.NewFloat(s.to)) > 0:
		return s.top + 1
	case t.IsInf():
		return s.infinite(t)
	case t.Cmp(big.NewFloat(s.from)) <= 0:
		return s.at
	case t.Cmp(big.NewFloat(s.to)) > 0:
		return s.top
	}
	p := s.place(interval.Point(t)).Hi()
	n, accuracy := p.Int64()
	if accuracy == big.Below {
		n++
	}
	return int(n)
}

// infinite is where −∞ or ∞ is.
func (s side) infinite(x *big.Float) int {
	beyond := 0
	if s.cut {
		beyond = 1
	}
	if x.Sign() < 0 {
		return s.bottom - beyond
	}
	return s.top + beyond
}

// inside is the place on the axis that is nearest to one that lower or upper returned.
func (s side) inside(place int) int { return min(max(place, s.bottom), s.top) }

// near is about where a number is drawn, for marks.
func (s side) near(x interval.Interval) int {
	return (s.inside(s.lower(x.Lo())) + s.inside(s.upper(x.Hi()))) / 2
}

// A span collects the heights that an axis has to show.
type span struct {
	lo, hi       float64
	below, above bool
}

func newSpan() span { return span{lo: math.Inf(1), hi: math.Inf(-1)} }

// show adds the heights of numbers.
func (r *span) show(s Scale, x interval.Interval) {
	for _, e := range []*big.Float{x.Lo(), x.Hi()} {
		t := interval.Point(e)
		if !e.IsInf() {
			t = s.height(t)
		}
		// Heights are rounded outward.
		lo, a := t.Lo().Float64()
		hi, b := t.Hi().Float64()
		if a == big.Above {
			lo = math.Nextafter(lo, math.Inf(-1))
		}
		if b == big.Below {
			hi = math.Nextafter(hi, math.Inf(1))
		}
		switch {
		case math.IsInf(hi, -1) || math.IsInf(lo, -1):
			r.below = true
		case math.IsInf(lo, 1) || math.IsInf(hi, 1):
			r.above = true
		default:
			r.lo, r.hi = min(r.lo, lo), max(r.hi, hi)
		}
	}
}

// An Axis is one of a graph.
type Axis struct {
	Label string
	Scale Scale // nil is Linear
	// From and To are the heights that it begins and ends with, by its scale, if they differ;
	// otherwise it shows what is drawn. Unless it is Exact, they are moved outward to ticks. What
	// is beyond them is not drawn: a curve ends at the frame.
	From, To float64
	Exact    bool
}

// ErrNothing says that no number has a place.
var ErrNothing = errors.New("figure: no bound is finite and has a place on its axis")

// side lays an axis out between two places.
func (a Axis) side(r span, at, end int) (side, error) {
	s := side{scale: a.scale(), from: r.lo, to: r.hi, at: at, end: end, below: r.below, above: r.above}
	if a.From != a.To {
		if !(r.lo <= r.hi) {
			return s, ErrNothing
		}
		s.from, s.to = a.From, a.To
		s.below, s.above, s.cut = false, false, true
	}
	if !(s.from <= s.to) || math.IsInf(s.from, 0) || math.IsInf(s.to, 0) {
		return s, ErrNothing
	}
	if !a.Exact || s.from == s.to {
		s.from, s.to = s.scale.round(s.from, s.to)
	}
	if s.from == s.to {
		return s, fmt.Errorf("figure: the axis of %s has no length", a.Label)
	}
	s.bottom, s.top = at, end
	room := (end - at) / 16
	if s.below {
		s.at += room
	}
	if s.above {
		s.end -= room
	}
	return s, nil
}

// scale is linear where none is named.
func (a Axis) scale() Scale {
	if a.Scale == nil {
		return Linear
	}
	return a.Scale
}

// ticks are the labelled places.
func (s side) ticks(most int) []label {
	var ls []label
	for _, t := range s.scale.ticks(s.from, s.to, most) {
		p, _ := bits.Mid(s.place(float(t.at))).Lo().Int64()
		ls = append(ls, label{int(p), t.label})
	}
	if s.below {
		ls = append([]label{{s.bottom, s.scale.least()}}, ls...)
	}
	if s.above {
		ls = append(ls, label{s.top, "∞"})
	}
	return ls
}

// A label is a text at a place of an axis.
type label struct {
	at   int
	text string
}
