// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package promise says what guarantees promise of the distributions of outcomes on two neighbouring data sets, and
// moves distributions as far apart as a promise allows.
//
// A promise is convex: if it holds of P and two distributions, it holds of P and what lies between them.
package promise

import (
	"math/big"
	"sort"
)

// A Promise is what a guarantee says of two distributions.
type Promise interface {
	// Kept reports that it holds, in both orientations. It says no where it does not know.
	Kept(p, q []*big.Rat) bool
	// seems to hold, at less cost.
	seems(p, q []*big.Rat) bool
	// Line is a convex function below all trade-off functions that keep the promise, as the corners of a broken line
	// from α = 0 to 1; nil if there is none at hand.
	Line() []corner
}

type corner struct{ alpha, beta *big.Rat }

// tight is how near to breaking a promise rows are brought, as a power of two.
const tight = 26

// Onto has all of its mass on one outcome.
func Onto(row []*big.Rat, i int) []*big.Rat {
	out := make([]*big.Rat, len(row))
	for k := range out {
		out[k] = new(big.Rat)
	}
	out[i] = big.NewRat(1, 1)
	return out
}

// between is (1 − t)·a + t·b.
func between(a, b []*big.Rat, t *big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(a))
	for i := range a {
		x := new(big.Rat).Sub(b[i], a[i])
		out[i] = x.Add(x.Mul(x, t), a[i])
	}
	return out
}

// Moved is as far from a to b as a promise about a and the result allows: what is allowed is convex and holds a itself.
func Moved(a, b []*big.Rat, pr Promise) []*big.Rat {
	return between(a, b, greatest(func(t *big.Rat, holds promised) bool { return holds(a, between(a, b, t)) }, pr))
}

// Spread moves all rows as far from a common start as a promise about any two allows.
func Spread(start []*big.Rat, rows [][]*big.Rat, pr Promise) [][]*big.Rat {
	at := func(t *big.Rat) [][]*big.Rat {
		var out [][]*big.Rat
		for _, r := range rows {
			out = append(out, between(start, r, t))
		}
		return out
	}
	return at(greatest(func(t *big.Rat, holds promised) bool {
		moved := at(t)
		for i, a := range moved {
			for _, b := range moved[:i] {
				if !holds(a, b) {
					return false
				}
			}
		}
		return true
	}, pr))
}

type promised func(p, q []*big.Rat) bool

// greatest returns about the greatest t in [0, 1] with which a promise is kept. With less it is as well, and with 0.
func greatest(allowed func(*big.Rat, promised) bool, pr Promise) *big.Rat {
	if t := big.NewRat(1, 1); allowed(t, pr.Kept) {
		return t
	}
	lo := int64(sort.Search(1<<tight-1, func(k int) bool { return !allowed(big.NewRat(int64(k)+1, 1<<tight), pr.seems) }))
	for ; lo > 0; lo -= 1 + lo>>9 {
		if t := big.NewRat(lo, 1<<tight); allowed(t, pr.Kept) {
			return t
		}
	}
	return new(big.Rat)
}

// Steps are two distributions whose tests have the errors of a broken line: for each piece of the line an outcome that
// has the length of the piece on the axis of α under one of them, and the length on the axis of β under the other.
// mirrored exchanges both.
func Steps(line []corner, mirrored bool) [][]*big.Rat {
	var p, q []*big.Rat
	last := corner{new(big.Rat), big.NewRat(1, 1)}
	for _, c := range line {
		a, b := new(big.Rat).Sub(c.alpha, last.alpha), new(big.Rat).Sub(last.beta, c.beta)
		if a.Sign() != 0 || b.Sign() != 0 {
			p, q = append(p, a), append(q, b)
		}
		last = c
	}
	if mirrored {
		p, q = q, p
	}
	return [][]*big.Rat{p, q}
}
