// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"

	"dpverify/exact/pattern"
)

// Patterns is (the mean over patterns π of N(Σ_{t∈π} c_t, I), N(0, I)); the other way round when Reversed.
type Patterns struct {
	unlisted
	pattern.Law
	Reversed bool
}

func (x Patterns) String() string {
	return "Patterns(" + x.Law.String() + ")" + reversedMark(x.Reversed)
}

// Reverse exchanges the mean and N(0, I).
func (x Patterns) Reverse() Pair {
	x.Reversed = !x.Reversed
	return x
}
func (Patterns) SelfDual() bool            { return false }
func (x Patterns) isReversed() bool        { return x.Reversed }
func (Patterns) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// known dominates: the pattern that shows most, or, of a random shift, the shift, which leaves Poisson samples at
// squared norms that are each at least those of every shift. H_α is jointly convex, so that the shift may be known, and
// the columns of one shift have no row in common: docs/theorems.md, Matrix mechanisms with cyclic Poisson samples.
func (x Patterns) known() (out Product) {
	if x.Draw != pattern.Shifted {
		return Copies(Gaussian{Mu2: x.Most}, 1)
	}
	for _, mu2 := range x.Greatest() {
		out = append(out, Term{Sampled{x.Rate, Copies(Gaussian{Mu2: mu2}, 1), x.Reversed}, 1})
	}
	return out.Merged()
}

// reach: with no steps the ratio is above 0, and not unbounded the other way round.
func (x Patterns) reach() reach {
	if x.Reversed {
		return unknownReach()
	}
	return endless()
}
