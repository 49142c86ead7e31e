// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/bits"
	"slices"

	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
)

// gridPoints returns the number of points of a grid at an effort: errors fall with
// the square of the spacing. The least is what gives ε of thousands of DP-SGD steps to
// four digits or so: a grid of fewer points costs half as much and decides little.
func gridPoints(e Effort) int { return 1 << max(12+min(e, 2), 10+e) }

// massBits returns how many fraction bits masses of so many words get: with 62w − 1
// bits, the entries of a product stay below 2^(124w − 2), which 2w primes below 2^62
// hold.
func massBits(words int) uint { return uint(62*words - 1) }

// wordsFor returns how many words of a mass have so many bits.
func wordsFor(need int) int {
	words := 1
	for int(massBits(words)) < need {
		words++
	}
	return words
}

// gridSettings sizes a grid for a product of count factors.
//
// A mass that is cut off or rounded away counts in full, once for each copy that is
// composed later; it is to be small against the δ of interest by more than the
// grid's error is. Masses get that many bits, see massBits; where no
// δ is of interest, bits grow with the effort and nothing is cut off that they hold.
func (s *Solver) gridSettings(e Effort, count int64) pld.Settings {
	set := pld.Settings{Points: gridPoints(e), Limit: 64 * gridPoints(e), Leaves: &s.leaves}
	if s.scale < 0 {
		set.Prec = massBits([]int{1, 1, 1, 2, 2, 2, 4, 8, 8}[e])
		set.Cut = int(set.Prec) - 4
		return set
	}
	set.Cut = s.scale + 2*int(e) + 14
	need := set.Cut + 6 + int(e) + bits.Len64(uint64(count))
	set.Prec = massBits(wordsFor(need))
	// Vectors that reach to rare losses are up to 64 times as long, and all of their entries are
	// rounded.
	set.Rare = pld.Rare{Fine: 2 * s.scale / 5, Prec: massBits(wordsFor(need + 6))}
	return set
}

// PLD: any product of pairs with a closed form of their loss, or finitely many
// outcomes, on a grid of losses.
func PLD(s *Solver, prod pair.Product, e Effort) *Plan {
	if len(prod) == 1 && prod[0].Count == 1 || len(prod) == 0 {
		return nil
	}
	if _, serves := s.latticeInversion(prod); serves {
		return nil // a sum over one period, of any width
	}
	twoSided := pld.Gridded(prod)
	count := int64(0)
	for _, t := range prod {
		count += t.Count
	}
	set := s.gridSettings(e, count)
	if e == 0 && widelyLost(prod) {
		set.Points *= 2 // a line would take far longer
	}
	return &Plan{Cost: 0.3 + float64(set.Points)*float64(set.Prec)*1e-6, TwoSided: twoSided,
		Slow: slices.ContainsFunc(prod, allocated), Draft: Coarse, Prepare: func(ctx context.Context) (profile.Func, error) {
			if !twoSided {
				if err := s.BoundFactors(ctx, prod, &set); err != nil {
					return nil, err
				}
			}
			g, ok, err := pld.NewGrid(ctx, prod, set)
			if !ok {
				return nil, err
			}
			return g.Delta, nil
		}}
}

// allocated says that the law of a factor, or values of its profile, cost more than the rest of a grid.
func allocated(t pair.Term) bool {
	switch t.Pair.(type) {
	case pair.Allocation, pair.OppositeAllocation:
		return true
	}
	return false
}

// BoundFactors provides upper bounds of the profiles of single factors.
func (s *Solver) BoundFactors(ctx context.Context, prod pair.Product, set *pld.Settings) error {
	bounds := make(map[string]pld.Bound)
	for _, t := range prod {
		one := pair.Product{{Pair: t.Pair, Count: 1}}
		f, sol, err := s.ProfileOf(ctx, one)
		if err != nil {
			return err
		}
		if len(sol.Used) == 0 {
			continue
		}
		b := pld.Bound{Profile: f}
		if pair.Costly(one) {
			b.Values = set.Points / costlyPoints
		}
		bounds[t.Pair.String()] = b
	}
	set.Bounds = func(x pair.Pair) pld.Bound { return bounds[x.String()] }
	return nil
}

// costlyPoints is how many points of a grid there are for each value of a costly bound: its own gap is wider than the
// chords are.
const costlyPoints = 16
