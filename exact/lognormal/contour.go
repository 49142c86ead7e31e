// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import "dpverify/exact/interval"

// A contour is a curve in the plane and its nodes, at 0, ±h, …, ±nh of its parameter. Sums over it are symmetric: the
// integrand of s̄ is conjugate.
type contour interface {
	// node is the point at k·h, and what multiplies e^{sK}·φ(s)^t there; half of it for k = 0, and with 1/π and h.
	node(w interval.Prec, k int64) (s, weight interval.Complex)
	// nodes is n.
	nodes() int64
	// precision is the working precision, and relative how far φ is known at last, as a power of 1/e.
	precision() (w interval.Prec, relative float64)
	// bound computes what needs φ at more points; it reports false where that is not known.
	bound(t *transform) (missing, bool)
}

// missing encloses the price less the sum over the nodes.
type missing func(k interval.Interval) interval.Interval
