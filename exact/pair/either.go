// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// Either is the pair Then with probability Share and the pair Else otherwise, visibly so: H_α is the
// mean of theirs. 0 < Share < 1.
type Either struct {
	Share      *big.Rat
	Then, Else Pair
}

func (e Either) String() string {
	return fmt.Sprintf("Either(%s, %s, %s)", e.Share.RatString(), e.Then, e.Else)
}
func (e Either) Reverse() Pair    { return Either{e.Share, e.Then.Reverse(), e.Else.Reverse()} }
func (e Either) SelfDual() bool   { return e.Then.SelfDual() && e.Else.SelfDual() }
func (e Either) isReversed() bool { return e.Then.isReversed() && e.Else.isReversed() }
func (e Either) parts() []Product { return []Product{{{e.Then, 1}}, {{e.Else, 1}}} }
func (Either) reach() reach       { return unknownReach() }

// Kind: the kind of the pairs, if it is the same, and otherwise Unlisted.
func (e Either) Kind() Kind {
	if e.Then.Kind() == Guarantee || e.Else.Kind() == Guarantee {
		return Guarantee
	}
	return Unlisted
}
func (e Either) infMass() (*big.Rat, bool) {
	a, ok := e.Then.infMass()
	b, bok := e.Else.infMass()
	if !ok || !bok {
		return nil, false
	}
	x := new(big.Rat).Mul(e.Share, a)
	return x.Add(x, b.Mul(new(big.Rat).Sub(ratOne, e.Share), b)), true
}

// Outcomes: it has none to list.
func (Either) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }

// WithRare has k copies of the rare pair of a term of prod, and the other one in the place of the rest.
func WithRare(prod Product, at int, k int64) Product {
	out := slices.Delete(slices.Clone(prod), at, at+1)
	x, n := prod[at].Pair.(Either), prod[at].Count
	if k < n {
		out = append(out, Term{Pair: x.Else, Count: n - k})
	}
	if k > 0 {
		out = append(out, Term{Pair: x.Then, Count: k})
	}
	return out.Merged()
}
