// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Clones: shuffled reports, from above, by the clones of the record among them; see pair.Clones.
type Clones struct{}

func (Clones) Plan(_ *Solver, prod pair.Product, _ Effort) *Plan {
	x, ok := pair.Single[pair.Clones](prod)
	if !ok {
		return nil
	}
	above := x.Bound()
	return &Plan{Cost: 0.1, Draft: ByMoments,
		Prepare: ready(profile.SelfDual(func(w interval.Prec, eps interval.Real) interval.Interval {
			return above(w, eps(w))
		}))}
}
