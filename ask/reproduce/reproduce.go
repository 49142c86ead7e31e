// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package reproduce recomputes the figures and the stated numbers of the papers that
// this program rests on, and bounds that others have published: what was stated, what
// the exact engine encloses, and whether the two agree.
//
// An Entry is a figure or an experiment. Its Statements are ranges in which the paper
// says that a quantity lies; a statement holds if the enclosure lies inside of the
// range, and does not if the two are disjoint. Its Figures are drawn in the paper's
// axes, each curve with its lower and its upper bound.
package reproduce

import (
	"context"
	"math/big"
	"slices"

	"dpverify/internal/figure"
	"dpverify/mechanism"
)

// An Entry is a figure or an experiment of a paper, or a file of published bounds.
type Entry struct {
	ID         string
	Paper      string
	Title      string
	Parameters string // what the paper prints, and what stands in for what it does not
	Says       string // the paper's statement, in other words
	Note       string // what has to be known to judge the verdict; may be empty
	Statements []Statement
	Figures    []Figure
	// Claims is a file of claims of testdata/golden/published, for an entry about them.
	Claims string
	// Table returns what the statements sum up, as CSV, if they do.
	Table func(context.Context) ([]byte, error)
}

// A Figure shows curves in the axes of a paper.
type Figure struct {
	Title string
	X, Y  string // labels of the axes
	// GrowthX says that the x axis shows e^x, or else LogX that it is logarithmic; GrowthY
	// and LogY the same of the y axis.
	GrowthX, LogX, LogY, GrowthY bool
	At                           []*big.Rat // the points
	Scale                        *big.Rat   // the least δ to be resolved; nil: 1e-12
	Curves                       []Curve
}

// A Curve is a quantity over the points of a figure.
type Curve struct {
	Name  string
	Value func(at *big.Rat) Quantity
	Shape figure.Shape // what is known of it between the points
}

// deltaOverGrowth shows δ over e^ε, for ε from 0 to an end, as papers 1 and 3 do.
func deltaOverGrowth(title, end string, curves ...Curve) Figure {
	return Figure{Title: title, X: "e^ε", Y: "δ", GrowthX: true, LogY: true, At: spaced("0", end, 41), Curves: curves}
}

// growthOverCount shows e^ε over the number of compositions.
func growthOverCount(title, delta string, ks []*big.Rat, curves ...Curve) Figure {
	return Figure{Title: title, X: "compositions", Y: "e^ε at δ = " + delta, GrowthY: true, At: ks, Curves: curves}
}

// profileOf is δ over ε. What an accounting method derives, or answers in float64, need not be a profile, and is drawn
// at its points.
func profileOf(name string, s subject) Curve {
	shape := figure.Profile
	switch s := s.(type) {
	case *derived:
		shape = figure.Unknown
		// The logarithm of δ is the least of lines in ε, or a parabola that falls.
		if slices.Contains([]string{"moments-accountant", "rdp-mironov", "zcdp-bs"}, s.Name) {
			shape = figure.LogConcave
		}
	case *estimated:
		shape = figure.Unknown
	}
	return Curve{name, func(eps *big.Rat) Quantity { return deltaAt(s, eps) }, shape}
}

// epsilonOver is the least ε at a δ, or what an accounting method derives, for a number of
// compositions. It does not fall with one more: nor does what any of the methods derives.
func epsilonOver(name, delta string, s func(k int64) subject) Curve {
	d := rat(delta)
	return Curve{name, func(k *big.Rat) Quantity { return epsilonAt(s(k.Num().Int64()), d) }, figure.Rising}
}

// composed composes an event.
func composed(e mechanism.Event) func(int64) subject {
	return func(k int64) subject { return both(times(k, e)) }
}

// accounted composes an event by an accounting method.
func accounted(method string, e mechanism.Event) func(int64) subject {
	return func(k int64) subject { return derivation(method, times(k, e)) }
}
