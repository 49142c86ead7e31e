// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package method bounds the profile of a product of pairs at one effort: the list of all ways to a bound, what each
// applies to and costs, and the solver that runs the cheap ones first and intersects what they say.
package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A Plan is a method about to be applied.
type Plan struct {
	// Cost estimates the seconds for preparing the profile and for a few values.
	Cost float64
	// TwoSided says that the enclosure shrinks to the true value as the effort
	// rises. Prepare may take it back, where that rests on the profile of a part.
	TwoSided bool
	// Sharp says that the width comes from the working precision, not from a grid.
	Sharp bool
	// Bits says how many bits values have at an effort, where they come from the working precision; nil where not.
	Bits func(Effort) interval.Prec
	// Slow says that each effort above costs several times as much, and narrows the enclosure by less than a digit.
	Slow bool
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
	// Deep says that values have as many bits as are asked for, up to MaxDeep, at every effort.
	Deep bool
	// About returns a number so near to ε(delta) that it tells most products apart, at less cost.
	About func(delta *big.Rat) (*big.Rat, bool)
	// Above returns an upper bound of δ(ε).
	Above func(eps interval.Real) interval.Interval
}

// MaxDeep are the bits of a value that any effort may have.
const MaxDeep = 4096

// ready is a Prepare that has nothing to do.
func ready(f profile.Func) func(context.Context) (profile.Func, error) {
	return func(context.Context) (profile.Func, error) { return f, nil }
}

// instant is the cost in seconds up to which a method belongs to the first draft.
const instant = 0.01

// isTakenBy reports whether a draft takes a method.
func (p *Plan) isTakenBy(d Draft) bool {
	if d == Settled {
		return true
	}
	first := p.Draft
	switch {
	case first == Settled && p.Cost <= instant:
		first = Instant
	case first == Settled:
		first = Coarse
	}
	return first <= d
}

// A Draft says how much of the work of effort 0 is done for a first answer. Its
// enclosures contain the truth like all others; they are wide. A draft needs a fraction of
// a second where a sharp method needs many.
type Draft int

// The drafts. Each has the methods of all before it.
const (
	// Settled is no draft: all methods that the effort calls for.
	Settled Draft = iota
	// Instant is closed forms, basic composition, and single factors.
	Instant
	// ByMoments adds Rényi divergences of a few orders.
	ByMoments
	// Coarse adds one grid, or what else bounds a product from both sides.
	Coarse

	never // for a method that no draft takes
)

// Drafts lists the drafts, the fastest one first.
var Drafts = []Draft{Instant, ByMoments, Coarse}

// DraftBits is how many leading bits of ε a draft settles.
const DraftBits = 10
