// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math/big"

	"dpverify/exact/adversary"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
)

// selections are count steps, each a selection with ε = epsilon of candidates and scores that are chosen in view of
// earlier outputs.
type selections struct {
	of      adversary.Selection
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
		return selections{adversary.Exponential, x.Shift, term.Count}, true
	case pair.Laplace:
		for _, w := range attained {
			if len(w) != 1 || w[0].Count != term.Count {
				return selections{}, false
			}
			if l, ok := w[0].Pair.(pair.LaplaceAbove); !ok || l.Shift.Cmp(x.Shift) != 0 {
				return selections{}, false
			}
		}
		return selections{adversary.PermuteAndFlip, x.Shift, term.Count}, true
	}
	return selections{}, false
}
