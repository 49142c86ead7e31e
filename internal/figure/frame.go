// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/exact/interval"
)

// A side of an axis: heights from..to are drawn at places at..end.
type side struct {
	scale    Scale
	from, to float64 // heights
	at, end  int     // places
	// Beyond the heights there may be a place below for numbers with lower ones or none, such
	// as the logarithm of 0, and one above for those with higher ones or infinite ones.
	below, above       bool
	cutBelow, cutAbove bool // there are lower and higher ones
	bottom, top        int  // the places; at and end if there are none
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

// lower is the highest place that is not above a number's. What is below the heights is at
// the bottom; only what is certainly above them is in the place above.
func (s side) lower(x *big.Float) int {
	if x.IsInf() {
		return s.infinite(x)
	}
	t := s.scale.height(interval.Point(x)).Lo()
	p := s.place(interval.Point(t)).Lo()
	switch {
	case t.IsInf() || t.Cmp(big.NewFloat(s.from)) < 0:
		return s.bottom
	case t.Cmp(big.NewFloat(s.to)) > 0 && s.cutAbove:
		return s.top
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
	t := s.scale.height(interval.Point(x)).Hi()
	switch {
	case t.IsInf():
		return s.infinite(t)
	case t.Cmp(big.NewFloat(s.from)) < 0 && s.cutBelow:
		return s.bottom
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
	if x.Sign() < 0 {
		return s.bottom
	}
	return s.top
}

// near is about where a number is drawn, for marks.
func (s side) near(x interval.Interval) int { return (s.lower(x.Lo()) + s.upper(x.Hi())) / 2 }

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
	// otherwise it shows what is drawn. Unless it is Exact, they are moved outward to ticks.
	From, To float64
	Exact    bool
}

// ErrNothing says that no number has a place.
var ErrNothing = errors.New("figure: no bound is finite and has a place on its axis")

// side lays an axis out between two places.
func (a Axis) side(r span, at, end int) (side, error) {
	s := side{scale: a.scale(), from: r.lo, to: r.hi, at: at, end: end, below: r.below, above: r.above}
	if a.From != a.To {
		s.from, s.to = a.From, a.To
		s.cutBelow, s.cutAbove = r.lo < s.from, r.hi > s.to
		s.below, s.above = s.below || s.cutBelow, s.above || s.cutAbove
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
	lowest, highest := s.scale.least(), "∞"
	if n := len(ls); n > 0 && s.cutBelow {
		lowest = "<" + ls[0].text
	}
	if n := len(ls); n > 0 && s.cutAbove {
		highest = ">" + ls[n-1].text
	}
	if s.below {
		ls = append([]label{{s.bottom, lowest}}, ls...)
	}
	if s.above {
		ls = append(ls, label{s.top, highest})
	}
	return ls
}

// A label is a text at a place of an axis.
type label struct {
	at   int
	text string
}
