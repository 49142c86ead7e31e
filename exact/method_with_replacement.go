// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/closed"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// withReplacementMethod: one sample with replacement, from above, by the profiles of groups of copies; see
// pair.WithReplacement.
type withReplacementMethod struct{}

func (withReplacementMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.WithReplacement](prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 5e-3, Bounds: fromAbove, Prepare: ready(profile.SelfDual(closed.NewDraws(x).Above))}
}
