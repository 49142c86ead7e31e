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

// A Laplace pair is Lap(s, 1) and Lap(0, 1), where s is the shift.
type Laplace struct{ Shift *big.Rat }

// SelfDual reports that (Q, P) is (P, Q) mirrored.
func (l Laplace) SelfDual() bool { return true }

// Greatest is the shift: losses are at most as large.
func (l Laplace) Greatest() (loss, infinite *big.Rat) { return l.Shift, new(big.Rat) }

// Profile is 1 − √(αe^(−s)) where it is neither 1 − α nor 0, in either direction.
func (l Laplace) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	one, s := fixed.Int(1), number.Float64(l.Shift)
	switch x := LogOf(alpha); {
	case x < -s:
		return Three.Sub(one, alpha)
	case x > s:
		return fixed.Int(0)
	}
	return Three.Sub(one, Three.Sqrt(Three.Mul(alpha, Three.Exp(Three.Rat(l.Shift).Neg()))))
}

// Loss is |t| − |t − s|.
func (l Laplace) Loss(t float64) float64 { return math.Abs(t) - math.Abs(t-number.Float64(l.Shift)) }

// Outcome is (x + s)/2 within the losses.
func (l Laplace) Outcome(x float64) float64 {
	switch s := number.Float64(l.Shift); {
	case x < -s:
		return math.Inf(-1)
	case x >= s:
		return math.Inf(1)
	default:
		return (x + s) / 2
	}
}

func (l Laplace) mixture(s Side) []moved { return shifted(l.Shift, s) }

// shifted are the sides of noise that is moved by a shift.
func shifted(shift *big.Rat, s Side) []moved {
	if s == OfQ {
		return []moved{{1, 0}}
	}
	return []moved{{1, number.Float64(shift)}}
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

// SelfDual reports false: the atoms of P and Q are at different places.
func (c Clamped) SelfDual() bool { return false }

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
type Logistic struct{ Shift *big.Rat }

// SelfDual reports that (Q, P) is (P, Q) mirrored.
func (l Logistic) SelfDual() bool { return true }

// Greatest is the shift: losses are at most as large.
func (l Logistic) Greatest() (loss, infinite *big.Rat) { return l.Shift, new(big.Rat) }

// Profile is (√E − √α)²/(E − 1), E = e^s, where it is neither 1 − α nor 0, in either direction.
func (l Logistic) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	one, s := fixed.Int(1), number.Float64(l.Shift)
	switch x := LogOf(alpha); {
	case x < -s:
		return Three.Sub(one, alpha)
	case x > s:
		return fixed.Int(0)
	}
	e := Three.Exp(Three.Rat(l.Shift))
	return Three.Div(Three.Sqr(Three.Sub(Three.Sqrt(e), Three.Sqrt(alpha))), Three.Sub(e, one))
}

// Outcome solves e^s·(1 + e^(−t))²/(1 + e^(s−t))² = e^x within the losses.
func (l Logistic) Outcome(x float64) float64 {
	switch s := number.Float64(l.Shift); {
	case x < -s:
		return math.Inf(-1)
	case x >= s:
		return math.Inf(1)
	default:
		g := math.Exp((x - s) / 2)
		return math.Log((g*math.Exp(s) - 1) / (1 - g))
	}
}

func (l Logistic) mixture(s Side) []moved { return shifted(l.Shift, s) }

func (l Logistic) tail(t float64) float64 { return 1 / (1 + math.Exp(t)) }
