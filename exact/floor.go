// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"slices"

	"dpverify/exact/conversion"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// worst returns the upper bound of an event that is one guarantee in Rényi divergences as a bound from both sides, at each ε by a pair that keeps
// the guarantee, which differs from ε to ε; and for all other events b.
//
// Trade-off functions and μ are those of the greatest profile, too: docs/theorems.md, *Tests of a Rényi guarantee*.
func (b bound) worst(e mechanism.Event) bound {
	fs, err := composition.Factors(e)
	if err != nil || len(fs) != 1 || fs[0].Count != 1 {
		return b
	}
	switch fs[0].Event.(type) {
	case mechanism.ZCDP, mechanism.RenyiCurve:
		if f, ok := conversion.Worst(b.prod); ok {
			sol := *b.sol // whose lists are clipped: others keep theirs
			sol.names, sol.funcs, sol.tight, sol.bounds = slices.Clip(sol.names), slices.Clip(sol.funcs), slices.Clip(sol.tight), slices.Clip(sol.bounds)
			sol.addOneSided("binary-tests", f)
			b.sol, b.lower = &sol, true
		}
	}
	return b
}
