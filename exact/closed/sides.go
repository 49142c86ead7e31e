// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// unitPart intersects an enclosure of a probability with [0, 1].
func unitPart(x interval.Interval) interval.Interval {
	return interval.Min(interval.Max(x, zero), one)
}

// bySide evaluates the tails of a loss in [−edge, edge] with atoms at both ends,
// separately for ε < −edge, −edge ≤ ε < edge and ε ≥ edge; where it is open in which
// of them ε lies, the possible values are joined. A nil edge is that of losses without end.
func bySide(w interval.Prec, eps Arg, edge *big.Rat, below func() (p, q interval.Interval),
	between func(interval.Interval) (p, q interval.Interval),
	above func() (p, q interval.Interval)) (p, q interval.Interval) {
	if edge == nil {
		return between(eps.Interval)
	}
	first := true
	add := func(a, b interval.Interval) {
		if first {
			p, q, first = a, b, false
		} else {
			p, q = interval.Union(p, a), interval.Union(q, b)
		}
	}
	low, left := eps.less(w, new(big.Rat).Neg(edge)), eps.less(w, edge)
	if low != interval.False {
		add(below())
	}
	if low != interval.True && left != interval.False {
		x := w.Rat(edge)
		add(between(interval.Min(interval.Max(eps.Interval, x.Neg()), x)))
	}
	if left != interval.True {
		add(above())
	}
	return p, q
}
