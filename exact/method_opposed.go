// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// opposedMethod: one truncated sample in which all other records are opposite, from below, by cells of
// the line.
type opposedMethod struct{}

func (opposedMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	x, ok := pair.Single[pair.Opposed](prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 0.2, Bounds: fromBelow, Prepare: func(context.Context) (profile.Func, error) {
		return profile.FromBelow(profile.Outcomes(x.Dominated(e.Bits()+32), interval.Interval{})), nil
	}}
}
