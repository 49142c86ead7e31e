// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package lognormal encloses the price E(K − S)₊ of a put on a sum S of independent lognormal variables, to any number
// of digits: by the Laplace transform of one of them, to the power of their number, along a line or a hyperbola.
//
// The mean of t likelihood ratios of a Gaussian pair is S/t, so that this is the profile of a random allocation.
// Files named guess_* choose contours and nodes, and bound nothing.
package lognormal

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Sum is S = Y₁ + … + Y_t, where log Y_i are independent, normal, with mean −μ²/2 and variance μ²: E Y_i = 1. It
// keeps the transforms of the last contours, which do not depend on K. It may be used by several goroutines.
//
// Theorem. Let φ(s) = E e^{−sY}, which continues to the plane without the negative half axis, and K > 0. For a contour
// that comes from infinity below and goes there above, and passes the origin on the right,
//
//	E(K − S)₊ = (1/2πi)·∫ e^{sK}·φ(s)^t/s² ds,
//
// as e^{−sS}/s² is the Laplace transform of (K − S)₊ as a function of K. line.go and hyperbola.go have contours, and
// what sums over their nodes miss.
type Sum struct {
	mu2   *big.Rat
	terms int64

	mutex  sync.Mutex
	scout  *scout
	routes []*route // the last ones, the newest first
}

// New returns the sum of so many variables, at least 1, with μ² > 0.
func New(mu2 *big.Rat, terms int64) *Sum { return &Sum{mu2: mu2, terms: terms} }

// maxRoutes is how many contours are kept.
const maxRoutes = 16

// A route is a contour with the transforms at its nodes, times their weights.
type route struct {
	contour
	missing
	s, g []interval.Complex
	k    float64 // what it was chosen for
	bits interval.Prec
}

// Put encloses E(K − S)₊ for K > 0, with an error of about t·2^−bits. It reports false where that would take too many
// nodes.
func (x *Sum) Put(ctx context.Context, bits interval.Prec, k interval.Interval) (interval.Interval, bool, error) {
	r, err := x.route(ctx, bits, k)
	if r == nil || err != nil {
		return k, false, err
	}
	sum := r.price(k)
	if !sum.IsFinite() {
		return k, false, nil
	}
	// 0 ≤ E(K − S)₊ ≤ K
	return interval.Max(interval.Int(0), interval.Min(sum, k)), true, nil
}

// price is the sum over the nodes and what it misses.
func (r *route) price(k interval.Interval) interval.Interval {
	w, _ := r.precision()
	sum := interval.Int(0)
	for i, s := range r.s {
		sum = w.Add(sum, w.MulC(w.ExpC(w.ScaleC(k, s)), r.g[i]).Re)
	}
	return w.Add(sum, r.missing(k))
}

// route is a contour for about this K, and φ at its nodes; nil if there is none that is short.
func (x *Sum) route(ctx context.Context, bits interval.Prec, k interval.Interval) (*route, error) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.scouted()
	about := x.scout.quantized(k)
	for i, r := range x.routes {
		if r.k == about && r.bits >= bits && r.bits <= bits+96 {
			copy(x.routes[1:i+1], x.routes[:i])
			x.routes[0] = r
			return r, nil
		}
	}
	// A contour for a few bits more serves more questions, unless it takes more than three words.
	c, ok := x.scout.choose(float64(bits+8)*math.Ln2, about)
	if more := (bits + 31) / 16 * 16; ok && inWords(c) {
		if d, found := x.scout.choose(float64(more)*math.Ln2, about); found && inWords(d) {
			bits, c = more, d
		}
	}
	if !ok {
		return nil, nil
	}
	r, err := x.travel(ctx, c)
	if r != nil {
		r.k, r.bits = about, bits
		x.routes = append([]*route{r}, x.routes[:min(len(x.routes), maxRoutes-1)]...)
	}
	return r, err
}

// scouted makes the scout.
func (x *Sum) scouted() {
	if x.scout == nil {
		x.scout = newScout(math.Sqrt(number.Float64(x.mu2)), float64(x.terms))
	}
}

// travel computes φ along a contour.
func (x *Sum) travel(ctx context.Context, c contour) (*route, error) {
	w, relative := c.precision()
	t := newTransform(x.mu2, x.terms, w, relative)
	r := &route{contour: c}
	for i := range c.nodes() + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, weight := c.node(w, i)
		phi, ok := t.at(s)
		if !ok {
			return nil, nil
		}
		r.s, r.g = append(r.s, s), append(r.g, w.MulC(weight, w.PowIntC(phi, x.terms)))
	}
	var ok bool
	if r.missing, ok = c.bound(t); !ok {
		return nil, nil
	}
	return r, nil
}
