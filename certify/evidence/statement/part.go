// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// ThresholdBits is how many bits thresholds have after the point.
const ThresholdBits = 24

// MaxOutcomes is how many outcomes of a pair a checker takes.
const MaxOutcomes = 1000

// A Part is a pair of distributions, composed Count times.
type Part struct {
	Pair
	Count   int64
	Bounded bool // the pair bounds the mechanism from above only
	// Attained: the pair is one that the mechanism may have, and bounds it from below only.
	Attained bool
	name     string // of the event, which tells parts apart

	Clamp *big.Rat // of shifted Laplace noise that is clamped so much below the median of the noise; nil if it is not
}

// A Pair is a pair of distributions (P, Q). There is a type for each kind of pair.
type Pair interface {
	// Profile is H(α) = ∫ (p − αq)₊ in a direction, very nearly, α being a power of e.
	Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real
	// Greatest is the greatest finite loss and the P-mass of infinite loss, where both are known as rationals;
	// otherwise the loss is nil.
	Greatest() (loss, infinite *big.Rat)
	// ordinary reports that all numbers of the pair are within the limits of ordinary.go, of which the threshold for a
	// loss of ε has one.
	ordinary(eps *big.Rat) bool
}

// A Listed pair has a list of outcomes.
type Listed interface {
	Pair
	// Outcomes are the masses of the outcomes in a direction.
	Outcomes(d mechanism.Direction) []Mass
}

// A Density is a pair of densities on the real line, whose loss rises with the outcome in the direction remove.
type Density interface {
	Pair
	// Outcome is the outcome of a loss in the direction remove, in float64: −∞ or ∞ for losses below or above all.
	Outcome(loss float64) float64
	// mixture is a distribution as a mixture of copies of the noise that are moved.
	mixture(s Side) []moved
	// tail is P(X > t) of the noise that is moved, in float64.
	tail(t float64) float64
}

// A Divisible pair of densities is divided into cells, of which a checker computes the masses.
type Divisible interface {
	Density
	// Loss is the log of the likelihood ratio at an outcome in the direction remove, in float64.
	Loss(t float64) float64
	// above has P(X > t) and Q(X > t).
	above(t fixed.Real) Mass
}

// A Mass is what P and Q have.
type Mass struct{ P, Q fixed.Real }

// In is the mass in a direction.
func (m Mass) In(d mechanism.Direction) Mass {
	if d == mechanism.Add {
		return Mass{m.Q, m.P}
	}
	return m
}

// Three is the arithmetic in which masses and profiles are computed.
var Three fixed.Three

// RatOne is 1.
var RatOne = big.NewRat(1, 1)

// exchanged is the profile of (Q, P) by that of (P, Q): (q − αp)₊ = q − αp + α(p − q/α)₊.
func exchanged(p Pair, alpha fixed.Real) fixed.Real {
	inverse := p.Profile(mechanism.Remove, Three.Inv(alpha))
	return Three.Add(Three.Sub(fixed.Int(1), alpha), Three.Mul(alpha, inverse))
}

// cut is P(X > t) − αQ(X > t) at about the outcome t of the loss log α. The error of t is of second order in it.
func cut(p Divisible, t float64, alpha fixed.Real) fixed.Real {
	x := new(big.Rat).SetFloat64(t)
	if x == nil {
		return fixed.Unknown()
	}
	m := p.above(Three.Rat(x))
	return Three.Sub(m.P, Three.Mul(alpha, m.Q))
}

// LogOf is about log x; −∞ for what is not positive.
func LogOf(x fixed.Real) float64 {
	if !x.Known() || x.Positive() != interval.True {
		return math.Inf(-1)
	}
	m := new(big.Float)
	e := x.Interval().Hi().MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}

// Float64 is about x.
func Float64(x fixed.Real) float64 {
	f, _ := x.Interval().Hi().Float64()
	return f
}

// A Side is one distribution of a pair.
type Side int

// The two sides.
const (
	OfP Side = iota
	OfQ
)

// A moved component of a mixture is noise about a mean, with a weight.
type moved struct{ weight, mean float64 }

// SF is P(X > t) of a side, in float64.
func SF(p Density, t float64, s Side) float64 {
	sum := 0.0
	for _, c := range p.mixture(s) {
		sum += c.weight * p.tail(t-c.mean)
	}
	return sum
}

// CDF is P(X ≤ t) of a side, in float64. The noise is symmetric about 0.
func CDF(p Density, t float64, s Side) float64 {
	sum := 0.0
	for _, c := range p.mixture(s) {
		sum += c.weight * p.tail(c.mean-t)
	}
	return sum
}

// Between has the masses of the outcomes from a threshold to the next.
func Between(p Divisible, thresholds []int64, k int) Mass {
	lo := beyond(p, thresholds[k])
	if k+1 == len(thresholds) {
		return lo
	}
	hi := beyond(p, thresholds[k+1])
	return Mass{Three.Sub(lo.P, hi.P), Three.Sub(lo.Q, hi.Q)}
}

// beyond has P(X > t) and Q(X > t).
func beyond(p Divisible, threshold int64) Mass {
	return p.above(Three.Rat(new(big.Rat).Mul(new(big.Rat).SetInt64(threshold), interval.Pow2(-ThresholdBits))))
}
