// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
)

// Bounded: basic composition. Beyond the sum of the largest losses of all factors, δ
// is the mass of infinite loss. Only drafts need it, and pairs that are not told loss by loss: sharp methods include
// it.
func Bounded(s *Solver, prod pair.Product, _ Effort) *Plan {
	if s == nil || s.Draft == Settled && !pair.Costly(prod) {
		return nil
	}
	m, ok := pair.InfMass(prod)
	if !ok && renyi.InfiniteLoss(prod) == interval.False {
		m, ok = new(big.Rat), true
	}
	if !ok {
		return nil
	}
	var greatest interval.Real
	if l, bounded := pair.LossBound(prod); bounded {
		greatest = l.Enclose
	} else if l := renyi.GreatestLoss(lossBits, prod); !l.Hi().IsInf() {
		greatest = func(interval.Prec) interval.Interval { return l.Upper() }
	} else {
		return nil
	}
	return &Plan{Cost: 1e-3, Prepare: ready(func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval,
		error) {
		w := p + 32
		if greatest(w).LessEq(eps(w)) == interval.True {
			return interval.Union(interval.Int(0), p.Rat(m)), nil
		}
		return profile.Unit(), nil
	})}
}

// lossBits is the precision of a bound of losses that is not known exactly.
const lossBits = interval.Prec(64)
