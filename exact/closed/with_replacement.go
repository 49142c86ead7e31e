// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// groupsOfCopies bounds the copies that are counted one by one.
const groupsOfCopies = 32

// WithReplacement bounds the profile of one sample with replacement from above, at ε ≥ 0: by the sum over the copies of the
// record, see [pair.WithReplacement].
func WithReplacement(w interval.Prec, x pair.WithReplacement, eps interval.Real) interval.Interval {
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
			d = GaussianDelta(g.Mu2)(w, at)
		case pair.Laplace:
			d = Laplace(w, g.Shift, at)
		default:
			d = interval.Int(1)
		}
		sum = w.Add(sum, w.Mul(m, d))
	}
	return sum.Upper()
}
