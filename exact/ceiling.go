// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/batch"
	"dpverify/exact/conversion"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// ceilings bound the profile from above once more, by the conversion of Rényi divergences,
// where what an event is dominated by says less about these than the event itself: a
// choice among several pairs, composed, has the sum of the greatest divergences, and the
// exponential mechanism has the divergence of bounded range. The answer is at most the greatest of
// them. There are none where an orientation has no such bound.
//
// They are apart from the methods, which all bound the profile of one pair.
func ceilings(prob meaning.Problem, d mechanism.Direction, draft Draft) []bound {
	divergences, err := prob.Divergence(d)
	if err != nil || draft == Instant {
		return nil
	}
	boundFactors := conversion.BoundFactors
	if draft != Settled {
		boundFactors = conversion.RoughBoundFactors
	}
	prod := prob.Dominating()
	var out []bound
	for _, f := range divergences.Upper {
		m := f.Moments()
		if len(m.Choices) == 0 && m.Fixed.String() == prod.String() {
			return nil // a method does it
		}
		if renyi.Slow(m.Product()) {
			return nil
		}
		u, ok := boundFactors(m)
		if !ok {
			return nil
		}
		sol := &solution{prod: prod}
		sol.addOneSided(renyiName, u)
		out = append(out, bound{prod: prod, sol: sol, upper: true})
	}
	return out
}

// batchCeilings bound products with truncated samples once more, each of which is replaced by a finite pair that dominates
// it and is less than what the others say: see package batch. There are none where a product has no such sample. No draft has them.
func (s *solver) batchCeilings(ctx context.Context, upper []pair.Product) ([]bound, error) {
	if s.draft != Settled {
		return nil, nil
	}
	var out []bound
	for _, prod := range upper {
		finite, ok, err := batch.Under(ctx, prod, s.least())
		if !ok || err != nil {
			return nil, err
		}
		sol, err := s.solve(ctx, finite)
		if err != nil {
			return nil, err
		}
		out = append(out, bound{prod: finite, sol: sol, upper: true})
	}
	return out, nil
}
