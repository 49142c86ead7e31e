// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact/interval"
)

// A Pair is an ordered pair of distributions (P, Q). The set of implementations
// is closed; values are immutable.
type Pair interface {
	// Reverse returns the pair (Q, P).
	Reverse() Pair
	// SelfDual reports whether H_α(P‖Q) = H_α(Q‖P) for all α ≥ 0.
	SelfDual() bool
	// String describes the pair for people and identifies it: equal strings mean
	// equal pairs.
	fmt.Stringer
	// Kind says whether it has outcomes to list, or is no pair at all.
	Kind() Kind
	// Outcomes returns the outcomes of a discrete pair with enclosures of relative
	// accuracy about 2^−p, and an upper bound of the P-mass and of the Q-mass of the
	// outcomes left out, which is below 2^−p. It reports false for pairs that are not
	// discrete or would have more than limit outcomes.
	Outcomes(p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool)

	// isReversed reports whether the value is written as the reverse of another.
	isReversed() bool
	// parts returns the products that the pair is made of, see Parts.
	parts() []Product
	// infMass returns the P-mass of infinite loss when it is known to be a rational
	// number of moderate length.
	infMass() (*big.Rat, bool)
	// reach returns how far up the finite losses go.
	reach() reach
}

// A Kind says how much of a pair can be written down.
type Kind int

const (
	// A Discrete pair has outcomes that Outcomes lists, if they are not too many.
	Discrete Kind = iota
	// An Unlisted pair has none, or none that can be listed.
	Unlisted
	// A Guarantee is no pair but stands for all pairs with some Rényi divergences: only
	// bounds from above apply to it.
	Guarantee
)

// Pairs of which no outcome can be listed, and that have no parts, embed unlisted; those of them that are their own
// reverses embed mirrored, and guarantees, which hold in both orientations, guarantee. The compiler asks for the rest.
type (
	unlisted  struct{}
	mirrored  struct{ unlisted }
	guarantee struct{ mirrored }
)

func (unlisted) Kind() Kind       { return Unlisted }
func (unlisted) parts() []Product { return nil }

// Outcomes: it has none to list.
func (unlisted) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) {
	return notListed()
}

func (mirrored) SelfDual() bool   { return true }
func (mirrored) isReversed() bool { return false }

func (guarantee) Kind() Kind                { return Guarantee }
func (guarantee) infMass() (*big.Rat, bool) { return nil, false }

// Forward returns the pair or its reverse, whichever is not written as the reverse of another,
// and whether it is the reverse.
func Forward(x Pair) (Pair, bool) {
	if x.isReversed() {
		return x.Reverse(), true
	}
	return x, false
}

// Parts returns the products that a pair is made of: the base of a sample, those that a
// maximum is taken of. Other pairs have none.
func Parts(x Pair) []Product { return x.parts() }

func reversedMark(r bool) string {
	if r {
		return "ᵀ"
	}
	return ""
}

func ratList(rs []*big.Rat) string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		parts[i] = r.RatString()
	}
	return strings.Join(parts, " ")
}
