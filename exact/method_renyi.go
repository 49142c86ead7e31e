// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/conversion"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// renyiMethod: an upper bound by Rényi divergences, for guarantees that are
// stated in them and for products whose moments are known.
type renyiMethod struct{}

const renyiName = "renyi"

// Plan: a product that a grid bounds gains nothing by moments.
func (renyiMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if s.draft == Settled && !s.alone && !prod.IsGuarantee() && (len(prod) > 1 || prod[0].Count > 1) {
		return nil
	}
	bound := conversion.Bound
	if s.draft != Settled {
		bound = conversion.RoughBound
	}
	if renyi.Slow(prod) {
		return nil
	}
	f, ok := bound(prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 0.5, Bounds: fromAbove, Draft: ByMoments, Prepare: ready(f)}
}
