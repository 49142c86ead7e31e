// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/closed"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// partMethod: a lower bound by parts of the product. Dropping a factor is a
// post-processing, so the profile of a part never exceeds the whole's.
type partMethod struct{}

func (partMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &plan{Cost: 1, Draft: Instant, Bounds: fromBelow, Prepare: func(ctx context.Context) (profile.Func, error) {
		fs, err := s.profilesOf(ctx, closed.Parts(prod), nil)
		return profile.FromBelow(fs...), err
	}}
}
