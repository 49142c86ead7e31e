// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// treeMeaning: the nodes of the trees that a record is in are noisy sums, at most Depth of them, which it moves
// by a vector of norm up to c each. Later values may depend on nodes that were released before: an adaptive
// composition of Gaussians, μ² = Depth·c²/σ², attained by a record of the first step. Trees are independent of each
// other and a record is in one of them.
//
// A record more or less would move all later ones to another step, and so to other nodes.
func (r *resolver) treeMeaning(e mechanism.SingleEpochTreeAggregation, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne, mechanism.ReplaceSpecial:
	case mechanism.AddOrRemoveOne:
		return r.undefined(e, path,
			"each record has its place in a tree, which a record more or less would change: it is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	depth := e.Depth()
	if depth == 0 {
		return neutral(), nil
	}
	mu := big.NewRat(r.sensitivity, 1)
	mu.Quo(mu, e.NoiseMultiplier)
	mu2 := mu.Mul(mu, mu)
	m := exactly(pair.Copies(pair.Gaussian{Mu2: mu2.Mul(mu2, new(big.Rat).SetInt64(depth))}, 1))
	m.traits.places = true
	return m, nil
}
