// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/conversion"
	"dpverify/exact/pair"
)

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
	return &plan{Cost: 0.6, Bounds: fromAbove, Draft: never, Prepare: ready(f)}
}
