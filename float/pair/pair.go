// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pair says in float64 what an event means: the pairs of distributions that
// dominate it. It is written apart from exact/pair, and shares only package mechanism
// with it, so that a mistake in one of them shows as a disagreement.
//
// A pair (P, Q) has the privacy loss L = log dP/dQ; its profile is
// δ(ε) = P(L > ε) − e^ε·Q(L > ε).
package pair

import (
	"fmt"
	"math/big"

	"dpverify/float/value"
	"dpverify/mechanism"
)

// A Pair is an ordered pair of distributions. The set of implementations is closed.
type Pair interface {
	// Reverse returns (Q, P).
	Reverse() Pair
	// SelfDual reports whether both orientations have the same profile.
	SelfDual() bool
	isPair()
}

// A Term is Count independent copies of a pair, Count ≥ 1.
type Term struct {
	Pair  Pair
	Count int64
}

// A Product is the product of its terms; the empty one is a pair of equal
// distributions. At most one term is a Gaussian.
type Product []Term

// Reverse returns the product of the reversed pairs.
func (p Product) Reverse() Product {
	q := make(Product, len(p))
	for i, t := range p {
		q[i] = Term{t.Pair.Reverse(), t.Count}
	}
	return q
}

// SelfDual reports whether every factor is self-dual.
func (p Product) SelfDual() bool {
	for _, t := range p {
		if !t.Pair.SelfDual() {
			return false
		}
	}
	return true
}

// Gaussian is (N(μ, 1), N(0, 1)), μ² = Mu2 > 0.
type Gaussian struct{ Mu2 *big.Rat }

// Laplace is (Lap(x, 1), Lap(0, 1)), x = Shift > 0.
type Laplace struct{ Shift *big.Rat }

// Truncated is noise of a width conditioned on [−Radius, Radius], against itself
// shifted by Sensitivity > 0.
type Truncated struct {
	Noise                      mechanism.Noise
	Width, Sensitivity, Radius *big.Rat
}

// Sampled is Poisson sampling at Rate γ in (0, 1) of the product (P, Q) = Base:
// ((1−γ)Q + γP, Q), or (Q, (1−γ)Q + γP) when Reversed [Zhu, Dong & Wang 2022, Theorem
// 11; the second from the base pair of the first].
type Sampled struct {
	Rate     *big.Rat
	Base     Product
	Reversed bool
}

// Replaced is a Poisson sample at Rate γ in (0, 1) of a Gaussian, where one record takes the place of its opposite:
// ((1−γ)N(0, 1) + γN(μ, 1), (1−γ)N(0, 1) + γN(−μ, 1)), μ² = Mu2 > 0. One is the mirror image of the other.
type Replaced struct{ Rate, Mu2 *big.Rat }

// Discrete is a pair on countably many outcomes, all of them listed but for a P-mass
// and a Q-mass of at most Rest.
type Discrete struct {
	Outcomes []Outcome
	Rest     float64
	Dual     bool // known to be self-dual
	// Mixed is what tells whether a sample has the record, NonPrivate what stays disjoint in
	// any sample.
	Mixed, NonPrivate bool
}

// An Outcome has its two masses and its loss, which means nothing where P or Q is 0.
type Outcome struct{ P, Q, Loss value.Value }

func (Gaussian) isPair()  {}
func (Laplace) isPair()   {}
func (Truncated) isPair() {}
func (Sampled) isPair()   {}
func (Replaced) isPair()  {}
func (Discrete) isPair()  {}

// Symmetric densities about two points: reflection at their middle exchanges them.

func (g Gaussian) Reverse() Pair  { return g }
func (l Laplace) Reverse() Pair   { return l }
func (t Truncated) Reverse() Pair { return t }
func (r Replaced) Reverse() Pair  { return r }

func (Gaussian) SelfDual() bool   { return true }
func (Laplace) SelfDual() bool    { return true }
func (Truncated) SelfDual() bool  { return true }
func (Replaced) SelfDual() bool   { return true }
func (Sampled) SelfDual() bool    { return false }
func (d Discrete) SelfDual() bool { return d.Dual }

func (s Sampled) Reverse() Pair {
	s.Reversed = !s.Reversed
	return s
}

func (d Discrete) Reverse() Pair {
	out := make([]Outcome, len(d.Outcomes))
	for i, o := range d.Outcomes {
		out[i] = Outcome{P: o.Q, Q: o.P, Loss: o.Loss.Neg()}
	}
	d.Outcomes = out
	return d
}

// positive reports whether a mass is not exactly 0.
func positive(v value.Value) bool { return v.V != 0 || v.Err != 0 }

// An UnsupportedError says that the fast path does not cover an event.
type UnsupportedError struct{ Class, Reason string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("float: %s: %s", e.Class, e.Reason)
}
