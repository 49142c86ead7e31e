// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A Pair is one that a step may be, or what runs beside the steps.
type Pair struct {
	Profile profile.Func
	// Infinite is at most the P-mass of infinite loss, nil for 0.
	Infinite *big.Rat
}

// A Problem is a composition of Steps steps, each of which is any one of some pairs, in view of all outputs before.
type Problem struct {
	// Above are pairs of which the greatest value is at least that of any step, at every convex V, and Below those that
	// a step may be. Either may be empty: nothing is bounded from that side.
	Above, Below []*Pair
	Steps        int64
	// Records, unless nil, say what bounds a step from above in place of Above: more pairs than can be listed.
	Records *Records
	// Ends, unless nil, are steps that may be what they say, which bounds from below beside Below: the two ends of the
	// records on a line, where all others are one of the two that are exchanged.
	Ends *Records
	// Before runs before the steps, which see its output, and After after them. Nothing does if they are nil. That
	// bounds every order from above, if all that runs beside the steps is before them, and from below, if it is after
	// them: steps may ignore an output.
	Before, After *Pair
}

// Records are steps of which each is a sample without replacement of a sum of records with Gaussian noise: with
// probability Rate the record x or, in the other world, y takes the place of z, which all others may be, anywhere in a
// ball. Mu2 is μ² of a Gaussian at its diameter. See docs/theorems.md, *Samples of replaced records without
// replacement*.
type Records struct{ Rate, Mu2 *big.Rat }

// Settings affect width and cost, not soundness.
type Settings struct {
	Length int           // of transforms, a power of two
	Prec   interval.Prec // of values of profiles
	Cut    int           // masses of about 2^−Cut may be moved
	Delta  *big.Rat      // a δ of interest
	Policy bool          // choices from below are kept, see Bounds.Policy
}

// A solver has the grid of a problem, and the values of the profiles on it.
type solver struct {
	set   Settings
	grid  grid
	known map[*Pair]*values
	step  *big.Rat         // Δ
	reach map[*Pair]losses // of pairs
	all   losses           // of all of them
}

// losses are from −down to up, but for little mass.
type losses struct{ down, up float64 }

// and is what reaches as far as both.
func (x losses) and(y losses) losses { return losses{max(x.down, y.down), max(x.up, y.up)} }

// values encloses a profile on the grid.
func (s *solver) values(ctx context.Context, x *Pair) (*values, error) {
	if v := s.known[x]; v != nil {
		return v, nil
	}
	delta := s.grid.delta
	v, err := newValues(ctx, x.Profile, s.step, -int(s.reach[x].down/delta)-4, int(s.reach[x].up/delta)+4, s.set.Prec)
	s.known[x] = v
	return v, err
}
