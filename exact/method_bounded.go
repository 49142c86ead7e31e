// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// boundedMethod: basic composition. Beyond the sum of the largest losses of all factors, δ
// is the mass of infinite loss. Only drafts need it: sharp methods include it.
type boundedMethod struct{}

func (boundedMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if s == nil || s.draft == Settled {
		return nil
	}
	l, bounded := pair.LossBound(prod)
	m, ok := pair.InfMass(prod)
	if !bounded || !ok {
		return nil
	}
	return &plan{Cost: 1e-3, Prepare: ready(func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		if l.Enclose(w).LessEq(eps(w)) == interval.True {
			return interval.Union(interval.Int(0), p.Rat(m)), nil
		}
		return profile.Unit(), nil
	})}
}
