// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/conversion"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

const RenyiName = "renyi"

// Renyi: an upper bound by Rényi divergences, for guarantees that are
// stated in them and for products whose moments are known.
//
// A product that a grid bounds gains nothing by moments.
func Renyi(s *Solver, prod pair.Product, _ Effort) *Plan {
	if s.Draft == Settled && !s.Alone && !prod.IsGuarantee() && (len(prod) > 1 || prod[0].Count > 1) {
		return nil
	}
	bound := conversion.Bound
	if s.Draft != Settled {
		bound = conversion.RoughBound
	}
	if renyi.Slow(prod) {
		return nil
	}
	f, ok := bound(prod)
	if !ok {
		return nil
	}
	return &Plan{Cost: 0.5, Draft: ByMoments, Prepare: ready(f)}
}

// Tests: what Rényi divergences say about binary tests, the best upper bound that they
// imply; for one guarantee that is stated in them.
func Tests(s *Solver, prod pair.Product, _ Effort) *Plan {
	// A grid asks for the profile of a factor at thousands of ε, for which it takes too long.
	if s.Draft != Settled || s.Depth > 1 || len(prod) != 1 || prod[0].Count != 1 {
		return nil
	}
	f, ok := conversion.BinaryTests(prod)
	if !ok {
		return nil
	}
	return &Plan{Cost: 0.6, Draft: never, Prepare: ready(f)}
}
