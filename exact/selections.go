// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math/big"
	"slices"

	"dpverify/exact/candidates"
	"dpverify/exact/divisor"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
)

// selections are count steps, each a selection with ε = epsilon of candidates and scores that are chosen in view of
// earlier outputs.
type selections struct {
	of      candidates.Selection
	epsilon *big.Rat
	count   int64
}

// selectionsOf reports false where an event is anything else than copies of one selection.
//
// What dominates an event does not say what it is: in batches of a random order a selection has the same logistic
// noise, and is more private. Those that choose between two candidates, in all copies, by the losses of the selection,
// are the selection.
func selectionsOf(p meaning.Problem) (selections, bool) {
	term, attained, ok := p.Copies()
	if !ok {
		return selections{}, false
	}
	out := selections{count: term.Count}
	var choice func(pair.Pair) bool
	switch x := term.Pair.(type) {
	case pair.Logistic:
		out.of, out.epsilon = candidates.Exponential, x.Shift
		choice = func(y pair.Pair) bool {
			c, ok := y.(pair.TwoPoint)
			return ok && new(big.Rat).Add(c.Up, c.Down).Cmp(x.Shift) == 0
		}
	case pair.Laplace:
		out.of, out.epsilon = candidates.PermuteAndFlip, x.Shift
		choice = func(y pair.Pair) bool {
			c, ok := y.(pair.LaplaceAbove)
			return ok && c.Shift.Cmp(x.Shift) == 0
		}
	default:
		return selections{}, false
	}
	return out, !slices.ContainsFunc(attained, func(w pair.Product) bool {
		return len(w) != 1 || w[0].Count != term.Count || !choice(w[0].Pair)
	})
}

// vectorsOf returns the vectors of unknown length of which an event is copies, each with a shift of its own.
func vectorsOf(p meaning.Problem) (*divisor.Chosen, bool) {
	term, attained, ok := p.Copies()
	if !ok {
		return nil, false
	}
	noise, norm2, ok := meaning.Vectors(term, attained)
	if !ok || !norm2.IsInt64() {
		return nil, false
	}
	return divisor.NewChosen(noise, norm2.Int64(), term.Count)
}
