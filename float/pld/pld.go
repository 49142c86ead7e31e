// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pld composes privacy-loss distributions on a grid in float64, by Fourier
// transforms, with bounds from both sides and a bound of every error.
//
// The bounds of each factor come from package cells.
//
// Masses are multiplied by e^(λx) before they are transformed and divided by it after
// (exponential tilting), with λ next to the saddle point of the ε that is asked: the
// rounding of the transform, which is relative to the largest value, is then relative to
// δ(ε) itself. Every ε has its own λ, so all tails keep their accuracy.
package pld

import (
	"context"
	"math"

	"dpverify/float/cells"
	"dpverify/float/pair"
)

// A leaf is one factor on the grid.
type leaf struct {
	count float64
	cells.Cells
}

// An Accountant is a product on a grid. It is not safe for concurrent use.
type Accountant struct {
	spacing float64
	leaves  []leaf
	last    *tilted // what the ε before was asked of, as those near to it will be
}

// The sizes of a grid.
const (
	leafPoints = 1 << 14 // of one factor
	maxLength  = 1 << 18 // of a transform
)

// New puts a product on a grid; false if a factor has no closed form, or ctx ends.
func New(ctx context.Context, p pair.Product) (*Accountant, bool) {
	var sources []cells.Source
	variance, widest := 0.0, 0.0
	for _, t := range p {
		s, ok := cells.Of(ctx, t.Pair)
		if !ok || t.Count > 1<<40 {
			return nil, false
		}
		variance += float64(t.Count) * s.SD * s.SD
		widest = math.Max(widest, s.Hi-s.Lo)
		sources = append(sources, s)
	}
	if len(sources) == 0 {
		return nil, false
	}
	// As fine as one factor's points allow, and as the transform of the product does.
	h := cells.Spacing(math.Max(widest/leafPoints, 40*math.Sqrt(variance)/maxLength))
	if !(h > 1e-12 && h < 1) {
		return nil, false
	}
	a := &Accountant{spacing: h}
	for i, s := range sources {
		c, ok := s.Cells(ctx, h)
		if !ok {
			return nil, false
		}
		a.leaves = append(a.leaves, leaf{float64(p[i].Count), c})
	}
	return a, true
}
