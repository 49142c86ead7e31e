// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// withReplacementMethod: one sample with replacement, from above, by the profiles of groups of copies; see
// pair.WithReplacement.
type withReplacementMethod struct{}

func (withReplacementMethod) Name() string { return "groups" }

// groupsOfCopies bounds the copies that are counted one by one.
const groupsOfCopies = 32

func (withReplacementMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.WithReplacement](prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 5e-3, Prepare: ready(func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		e := eps(w)
		if !e.IsFinite() {
			return profile.Unit(), nil
		}
		var u interval.Interval
		switch e.Negative() {
		case interval.False:
			u = aboveWithReplacement(w, x, eps)
		case interval.True: // H_α = 1 − α + α·H_{1/α}, of the reverse, which has the same bound
			u = w.Add(w.Expm1(e).Neg(), w.Mul(w.Exp(e), aboveWithReplacement(w, x, eps.Neg())))
		default:
			return profile.Unit(), nil
		}
		return interval.Union(interval.Int(0), interval.Clamp(p.Round(u), 0, 1)), nil
	})}
}

// aboveWithReplacement is the sum of the theorem at ε ≥ 0.
func aboveWithReplacement(w interval.Prec, x pair.WithReplacement, eps interval.Real) interval.Interval {
	at := interval.Real(func(p interval.Prec) interval.Interval {
		v := p + 32
		return p.Log1p(v.Div(v.Expm1(eps(v)), x.Drawn(v)))
	})
	masses, rest := x.Copies(w, groupsOfCopies)
	sum := rest
	for i, m := range masses {
		var d interval.Interval
		switch g := x.Group(int64(i + 1)).(type) {
		case pair.Gaussian:
			d = closed.GaussianDelta(g.Mu2)(w, at)
		case pair.Laplace:
			d = closed.Laplace(w, g.Shift, at)
		default:
			d = interval.Int(1)
		}
		sum = w.Add(sum, w.Mul(m, d))
	}
	return sum.Upper()
}
