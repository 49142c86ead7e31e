// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math/big"

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
// Nothing but an exponential mechanism is dominated by logistic noise. Laplace noise dominates other mechanisms, too;
// those which choose by it whether it is above a threshold, in all copies, are permute-and-flip.
func selectionsOf(p meaning.Problem) (selections, bool) {
	term, attained, ok := p.Copies()
	if !ok {
		return selections{}, false
	}
	switch x := term.Pair.(type) {
	case pair.Logistic:
		return selections{candidates.Exponential, x.Shift, term.Count}, true
	case pair.Laplace:
		for _, w := range attained {
			if len(w) != 1 || w[0].Count != term.Count {
				return selections{}, false
			}
			if l, ok := w[0].Pair.(pair.LaplaceAbove); !ok || l.Shift.Cmp(x.Shift) != 0 {
				return selections{}, false
			}
		}
		return selections{candidates.PermuteAndFlip, x.Shift, term.Count}, true
	}
	return selections{}, false
}

// vectorsOf returns the vectors of unknown length of which an event is copies, each with a shift of its own.
//
// Nothing but discrete Gaussian noise of unknown dimension has a guarantee with noise. Neighbours attain every shift of
// every copy where they attain as many ones as there can be, in all copies, and nothing but shifts: else, as where
// batches are drawn, a copy may have less.
func vectorsOf(p meaning.Problem) (*divisor.Chosen, bool) {
	term, attained, ok := p.Copies()
	if !ok {
		return nil, false
	}
	z, ok := term.Pair.(pair.ZCDP)
	if !ok || z.Noise == nil {
		return nil, false
	}
	norm := new(big.Rat).Mul(z.Rho, new(big.Rat).Add(z.Noise, z.Noise))
	if !norm.IsInt() || !norm.Num().IsInt64() {
		return nil, false
	}
	most := new(big.Int)
	for _, w := range attained {
		sum := new(big.Int)
		for _, t := range w {
			d, ok := t.Pair.(pair.DiscreteGaussian)
			if !ok || d.Sigma2.Cmp(z.Noise) != 0 {
				return nil, false
			}
			if d.Sensitivity == 1 { // a 2, as a group of two has, is not four of them
				sum.Add(sum, big.NewInt(t.Count))
			}
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
	}
	if most.Cmp(new(big.Int).Mul(norm.Num(), big.NewInt(term.Count))) != 0 {
		return nil, false
	}
	return divisor.NewChosen(z.Noise, norm.Num().Int64(), term.Count)
}
