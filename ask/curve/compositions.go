// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"math/big"
)

// overCompositions returns an empty curve over the number of compositions, and its first
// points.
func (r Request) overCompositions() (v *Curve, at []*big.Rat) {
	ks := counts(r.Compositions, r.Points)
	if r.Drawn {
		ks = geometric(r.Compositions, min(r.Points, firstDrawn))
	}
	for _, k := range ks {
		at = append(at, new(big.Rat).SetInt64(k))
	}
	return &Curve{Request: r, Over: "compositions", Of: "epsilon"}, at
}
