// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A method bounds the profile of products of pairs, in one orientation.
//
// The front door asks every method whether it applies to a product and what it
// would cost, and intersects the enclosures of those that it runs. A method that
// only bounds from one side returns [0, u] or [l, 1].
type method interface {
	// Name identifies the method in answers: "gaussian", "lattice", …
	Name() string
	// Plan returns nil if the method does not apply to prod at the given effort.
	// s solves parts of prod on the method's behalf.
	Plan(s *solver, prod pair.Product, e Effort) *plan
}

// A plan is a method about to be applied.
type plan struct {
	// Cost estimates the seconds for preparing the profile and for a few values.
	Cost float64
	// TwoSided says that the enclosure shrinks to the true value as the effort
	// rises.
	TwoSided bool
	// Sharp says that the width comes from the working precision, not from a grid.
	Sharp bool
	// Draft is the first draft that takes the method. By default that is the first one
	// for what costs next to nothing, and the last one for all else.
	Draft Draft
	// Prepare does the work that does not depend on ε.
	Prepare func(ctx context.Context) (profile.Func, error)
	// Shortcuts are the bounds of the method at little cost.
	Shortcuts
}

// Shortcuts say something about a profile at a fraction of a value's cost. They may be nil.
type Shortcuts struct {
	// Near returns a number near ε(delta), to start a search from; it bounds nothing. It
	// reports false if it has none.
	Near func(ctx context.Context, delta *big.Rat) (*big.Rat, bool)
	// Above returns an upper bound of δ(ε).
	Above func(eps interval.Real) interval.Interval
}

// ready is a Prepare that has nothing to do.
func ready(f profile.Func) func(context.Context) (profile.Func, error) {
	return func(context.Context) (profile.Func, error) { return f, nil }
}

// methods lists all methods, in the order in which answers name them.
var methods = []method{
	gaussianMethod{},
	laplaceMethod{},
	noiseMethod{},
	poissonMethod{},
	mixedMethod{},
	maximumMethod{},
	eitherMethod{},
	allocationMethod{},
	twoStepsMethod{},
	unamplifiedMethod{},
	stepSumMethod{},
	oneStepMethod{},
	opposedMethod{},
	withReplacementMethod{},
	clonesMethod{},
	placesMethod{},
	ordersMethod{},
	kovMethod{},
	kovTheoremMethod{},
	halvesMethod{},
	boundedMethod{},
	basicMethod{},
	adaptiveMethod{},
	advancedMethod{},
	enumerationMethod{},
	latticeMethod{},
	roundedMethod{},
	productMethod{},
	inversionMethod{},
	pldMethod{},
	bucketMethod{},
	renyiMethod{},
	testsMethod{},
	partMethod{},
}
