// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"math/big"

	"dpverify/ask"
)

// A Step is the answer of a filter to a line.
type Step struct {
	Answer      ask.Answer // R_α of the event; of a Gaussian filter, Loss
	Loss        *big.Rat   // Σ 1/σ², nil of an event that is not only Gaussian noise
	Decision    Decision
	Spent, Left *big.Rat // after it
	Refusal     string   // why it was refused, and what would take it; of the first one, as that costs time
}

// open says why an event is undecided, and what follows.
func (s Step) open() string {
	why := "the bound is known to so many digits only"
	if !s.Answer.Complete() {
		why = s.Answer.Reason()
	}
	return why +
		": it must not run, and counts, as an earlier run may have accepted it; if it has not run, take the line out"
}

// ends are the ends of the enclosure of a divergence, which is at least 0; nil for ∞.
func ends(a ask.Answer) (lo, hi *big.Rat) {
	e := a.OrZero()
	end := func(known *big.Rat, x *big.Float) *big.Rat {
		switch {
		case e.Value != nil:
			return e.Value
		case known != nil:
			return known
		case x.IsInf():
			return nil
		}
		r, _ := x.Rat(nil)
		return r
	}
	return end(e.Lower, e.Lo()), end(e.Upper, e.Hi())
}
