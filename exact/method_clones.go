// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// clonesMethod: shuffled reports, from above, by the clones of the record among them; see pair.Clones.
type clonesMethod struct{}

func (clonesMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.Clones](prod)
	if !ok {
		return nil
	}
	above := x.Bound()
	return &plan{Cost: 0.1, Draft: ByMoments, Prepare: ready(profile.SelfDual(func(w interval.Prec, eps interval.Real) interval.Interval {
		return above(w, eps(w))
	}))}
}
