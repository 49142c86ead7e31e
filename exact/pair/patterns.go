// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"strings"
)

// Patterns is (the mean over patterns π of N(Σ_{t∈π} c_t, I), N(0, I)) for columns c_t ≥ 0, where patterns are drawn
// along the steps; the other way round when Reversed.
type Patterns struct {
	unlisted
	Draw     PatternDraw
	Rows     []PatternRow // of all steps, in order
	Most     *big.Rat     // at least |Σ_{t∈π} c_t|² for all π
	Even     *big.Rat     // at most a τ² such that all ⟨c_s, c_t⟩ − τ² are a positive semidefinite matrix
	Limit    int64        // at least |π|
	Reversed bool
}

// A PatternDraw is how a pattern is drawn: steps that are Size apart or more, each with the rate where it may be; or each
// with the rate of those that are congruent to a uniform number modulo Size; or Size of all steps.
type PatternDraw struct {
	Kind PatternKind
	Size int64
	Rate *big.Rat // nil for Chosen
}

// A PatternKind is one of the three.
type PatternKind int

const (
	MinSeparated PatternKind = iota
	Shifted
	Chosen
)

// A PatternRow is so many steps t, one after the other, with the same products ⟨c_t, c_{t−d}⟩, d = 0, 1, …
type PatternRow struct {
	Products []*big.Rat
	Count    int64
}

func (x Patterns) String() string {
	rows := make([]string, len(x.Rows))
	for i, r := range x.Rows {
		rows[i] = fmt.Sprintf("%d·%s", r.Count, ratList(r.Products))
	}
	rate := ""
	if x.Draw.Rate != nil {
		rate = ", " + x.Draw.Rate.RatString()
	}
	return fmt.Sprintf("Patterns(%s %d%s; %s)%s", [...]string{"apart", "shifted", "chosen"}[x.Draw.Kind], x.Draw.Size, rate,
		strings.Join(rows, "; "), reversedMark(x.Reversed))
}

// Reverse exchanges the mean and N(0, I).
func (x Patterns) Reverse() Pair {
	x.Reversed = !x.Reversed
	return x
}
func (Patterns) SelfDual() bool            { return false }
func (x Patterns) isReversed() bool        { return x.Reversed }
func (Patterns) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: with no steps the ratio is above 0, and not unbounded the other way round.
func (x Patterns) reach() reach {
	if x.Reversed {
		return unknownReach()
	}
	return endless()
}

// alone is the pair of the pattern that shows most, without chance: H_α is jointly convex.
func (x Patterns) alone() Pair { return Gaussian{Mu2: x.Most} }

// steps is how many there are.
func (x Patterns) steps() (n int64) {
	for _, r := range x.Rows {
		n += r.Count
	}
	return n
}

// apart is the least squared norm of a column, and a bound of the sums of its products with all columns.
func (x Patterns) apart() (least, most *big.Rat) {
	most = new(big.Rat)
	var widest []*big.Rat
	for _, r := range x.Rows {
		if least == nil || r.Products[0].Cmp(least) < 0 {
			least = r.Products[0]
		}
		for d, y := range r.Products {
			if d == len(widest) {
				widest = append(widest, y)
			} else if y.Cmp(widest[d]) > 0 {
				widest[d] = y
			}
		}
	}
	for d, y := range widest {
		most.Add(most, y)
		if d > 0 {
			most.Add(most, y)
		}
	}
	return least, most
}
