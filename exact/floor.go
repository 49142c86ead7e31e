// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// floor bounds the profile of an event that is one guarantee in Rényi divergences from below, by
// a pair that keeps the guarantee: the worst one for each ε. There is none for other events,
// also those that such a guarantee dominates.
//
// It is apart from the products that evidence lists, which do not depend on ε.
func floor(e mechanism.Event, prob meaning.Problem) []bound {
	fs, err := composition.Factors(e)
	if err != nil || len(fs) != 1 || fs[0].Count != 1 {
		return nil
	}
	switch fs[0].Event.(type) {
	case mechanism.ZCDP, mechanism.RenyiCurve:
	default:
		return nil
	}
	prod := prob.Dominating()
	f, ok := renyi.Worst(prod)
	if !ok {
		return nil
	}
	sol := &solution{prod: prod}
	sol.addOneSided("binary-tests", f)
	return []bound{{prod: prod, sol: sol, lower: true}}
}
