// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A shifted pair is symmetric noise at the shift and at 0, whose losses are at most the shift.
type shifted struct{ Shift *big.Rat }

// Greatest is the shift.
func (n shifted) Greatest() (loss, infinite *big.Rat) { return n.Shift, new(big.Rat) }

// profile is inner where it is neither 1 − α nor 0, in either direction.
func (n shifted) profile(alpha fixed.Real, inner func(one fixed.Real) fixed.Real) fixed.Real {
	one, s := fixed.Int(1), number.Float64(n.Shift)
	switch x := LogOf(alpha); {
	case x < -s:
		return Three.Sub(one, alpha)
	case x > s:
		return fixed.Int(0)
	}
	return inner(one)
}

// outcome is inner within the losses.
func (n shifted) outcome(x float64, inner func(s float64) float64) float64 {
	switch s := number.Float64(n.Shift); {
	case x < -s:
		return math.Inf(-1)
	case x >= s:
		return math.Inf(1)
	default:
		return inner(s)
	}
}

func (n shifted) mixture(s Side) []moved {
	if s == OfQ {
		return []moved{{1, 0}}
	}
	return []moved{{1, number.Float64(n.Shift)}}
}

// A Laplace pair is Lap(s, 1) and Lap(0, 1), where s is the shift.
type Laplace struct{ shifted }

// Profile is 1 − √(αe^(−s)).
func (l Laplace) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	return l.profile(alpha, func(one fixed.Real) fixed.Real {
		return Three.Sub(one, Three.Sqrt(Three.Mul(alpha, Three.Exp(Three.Rat(l.Shift).Neg()))))
	})
}

// Loss is |t| − |t − s|.
func (l Laplace) Loss(t float64) float64 { return math.Abs(t) - math.Abs(t-number.Float64(l.Shift)) }

// Outcome is (x + s)/2.
func (l Laplace) Outcome(x float64) float64 {
	return l.outcome(x, func(s float64) float64 { return (x + s) / 2 })
}

func (l Laplace) tail(t float64) float64 {
	if t < 0 {
		return 1 - math.Exp(t)/2
	}
	return math.Exp(-t) / 2
}

func (l Laplace) above(t fixed.Real) Mass {
	tail := func(t fixed.Real) fixed.Real {
		half := func(x fixed.Real) fixed.Real { return Three.Scale(Three.Exp(x), -1) }
		if t.Negative() == interval.True {
			return Three.Sub(fixed.Int(1), half(t))
		}
		return half(t.Neg())
	}
	return Mass{tail(Three.Sub(t, Three.Rat(l.Shift))), tail(t)}
}

// A Clamped pair is Laplace noise that is clamped at Clamp below its median before it is shifted.
type Clamped struct {
	Noise Laplace
	Clamp *big.Rat
}

// Greatest is unknown: below the clamp losses are infinite.
func (c Clamped) Greatest() (loss, infinite *big.Rat) { return nil, nil }

// Profile is that of Laplace noise and what the atom adds, min(α, e^s)·e^(−clamp)/2, in the direction remove.
func (c Clamped) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	if d == mechanism.Add {
		return exchanged(c, alpha)
	}
	least := alpha
	if LogOf(alpha) > number.Float64(c.Noise.Shift) {
		least = Three.Exp(Three.Rat(c.Noise.Shift))
	}
	atom := Three.Scale(Three.Mul(least, Three.Exp(Three.Rat(c.Clamp).Neg())), -1)
	return Three.Add(c.Noise.Profile(d, alpha), atom)
}

// Outcome is about that of Laplace noise.
func (c Clamped) Outcome(x float64) float64 { return c.Noise.Outcome(x) }

func (c Clamped) mixture(s Side) []moved { return c.Noise.mixture(s) }
func (c Clamped) tail(t float64) float64 { return c.Noise.tail(t) }

// A Logistic pair is logistic noise at the shift and at 0.
type Logistic struct{ shifted }

// Profile is (√E − √α)²/(E − 1), E = e^s.
func (l Logistic) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	return l.profile(alpha, func(one fixed.Real) fixed.Real {
		e := Three.Exp(Three.Rat(l.Shift))
		return Three.Div(Three.Sqr(Three.Sub(Three.Sqrt(e), Three.Sqrt(alpha))), Three.Sub(e, one))
	})
}

// Outcome solves e^s·(1 + e^(−t))²/(1 + e^(s−t))² = e^x.
func (l Logistic) Outcome(x float64) float64 {
	return l.outcome(x, func(s float64) float64 {
		g := math.Exp((x - s) / 2)
		return math.Log((g*math.Exp(s) - 1) / (1 - g))
	})
}

func (l Logistic) tail(t float64) float64 { return 1 / (1 + math.Exp(t)) }
