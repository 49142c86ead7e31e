// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/adversary"
	"dpverify/exact/pair"
)

// Selections are Count steps, each a selection with ε = Epsilon of candidates and scores that are chosen in view of
// earlier outputs.
type Selections struct {
	Of      adversary.Selection
	Epsilon *big.Rat
	Count   int64
}

// Selections reports false where an event is anything else than copies of one selection.
//
// Nothing but an exponential mechanism is dominated by logistic noise. Laplace noise dominates other mechanisms, too;
// those which choose by it whether it is above a threshold, in all copies, are permute-and-flip.
func (p Problem) Selections() (Selections, bool) {
	f := p.meaning.factors
	if len(f.Choices) > 0 || len(f.Fixed) != 1 || f.Fixed[0].Count < 2 || p.meaning.evidence.wholly() {
		return Selections{}, false
	}
	count := f.Fixed[0].Count
	switch x := f.Fixed[0].Pair.(type) {
	case pair.Logistic:
		return Selections{adversary.Exponential, x.Shift, count}, true
	case pair.Laplace:
		some := p.meaning.evidence.witnesses(f)
		for _, w := range some {
			if len(w) != 1 || w[0].Count != count {
				return Selections{}, false
			}
			if l, ok := w[0].Pair.(pair.LaplaceAbove); !ok || l.Shift.Cmp(x.Shift) != 0 {
				return Selections{}, false
			}
		}
		return Selections{adversary.PermuteAndFlip, x.Shift, count}, len(some) > 0
	}
	return Selections{}, false
}
