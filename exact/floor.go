// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/conversion"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// floor bounds the profile of an event that is one guarantee in Rényi divergences from below, by
// a pair that keeps the guarantee: the worst one for each ε, unlike the products that evidence lists.
func floor(e mechanism.Event, prob meaning.Problem) []bound {
	fs, err := composition.Factors(e)
	if err != nil || len(fs) != 1 || fs[0].Count != 1 {
		return nil
	}
	switch fs[0].Event.(type) {
	default:
		return nil
	case mechanism.ZCDP, mechanism.RenyiCurve:
	}
	prod := prob.Dominating()
	f, ok := conversion.Worst(prod)
	if !ok {
		return nil
	}
	sol := &solution{prod: prod}
	sol.addOneSided("binary-tests", f)
	return []bound{{prod: prod, sol: sol, lower: true}}
}
