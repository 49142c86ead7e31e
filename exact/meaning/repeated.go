// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// aims are the t of the moments of order 1 + t that orders are chosen for.
var aims = []*big.Rat{big.NewRat(8, 1), big.NewRat(2, 1), big.NewRat(1, 2), big.NewRat(1, 8)}

// repeated resolves a selection among runs. Both orientations of the base bound it from either side: what dominates
// M(D) against M(D′), reversed, dominates M(D′) against M(D). Where a base's factors may be oriented freely, that is
// not so.
//
// Claim. Of one base that is attained, the least type II error f at each type I error is the dual of the greatest
// profile, where the order may be drawn at random, for all to see.
//
// Proof. An event that draws one of two orders has as the errors of its tests all averages of theirs. So the errors of
// all tests of all events are a convex set, and f is convex: f(x) is the greatest of 1 − δ(ε) − e^ε·x over all ε, where
// δ is the greatest profile. What bounds all orders bounds those that are drawn: H_α of such an event is the mean of
// theirs, and so is the moment of each order.
//
// Of fixed orders that is not known.
func (r *resolver) repeated(e mechanism.RepeatAndSelect, path string) (meaning, error) {
	base, err := r.composition(e.Event, path+".event")
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	if r.exchange && !base.factors.SelfDual() {
		return r.undefined(e, path, "a selection among runs of what is not self-dual is not proved")
	}
	of := func(p pair.Product, aim *big.Rat) pair.Product {
		return pair.Copies(pair.Repeated{Base: p, Mean: e.Mean, Shape: e.Shape, Aim: aim}, 1)
	}
	var some []pair.Product
	for _, w := range base.evidence.witnesses(base.factors) {
		if len(w) == 0 {
			continue
		}
		for _, aim := range aims {
			some = append(some, of(w, aim))
		}
	}
	if len(some) == 0 {
		some = []pair.Product{nil}
	}
	upper := of(base.factors.Product(), nil)
	m := between(upper, some...)
	if of, ok := base.factors.Alternatives(); ok && len(of) == 1 && base.evidence.wholly() {
		m = attainedPointwise(upper, some...)
	}
	m.traits = base.traits
	return m, nil
}
