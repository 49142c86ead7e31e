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
	return &plan{Cost: 0.5, Draft: ByMoments, Prepare: ready(f)}
}

// testsMethod: what Rényi divergences say about binary tests, the best upper bound that they
// imply; for one guarantee that is stated in them.
type testsMethod struct{}

func (testsMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	// A grid asks for the profile of a factor at thousands of ε, for which it takes too long.
	if s.draft != Settled || s.depth > 1 || len(prod) != 1 || prod[0].Count != 1 {
		return nil
	}
	f, ok := conversion.BinaryTests(prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 0.6, Draft: never, Prepare: ready(f)}
}
