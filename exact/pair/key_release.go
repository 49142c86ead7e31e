// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// KeyRelease is a key that only one record has, released if its noisy count is at least Threshold:
// with the record it is shown with the probability p = P(s + noise ≥ Threshold), where s is the count, and
// without it never,
//
//	P = {shown: p, not shown: 1 − p}, Q = {not shown: 1}.
//
// Noise is a Gaussian or Laplace event, with s = 1 and the noise multiplier for the scale, or a DiscreteLaplace
// or DiscreteGaussian one, with ⌊sensitivity⌋ for s. Reversed swaps P and Q.
type KeyRelease struct {
	Noise     mechanism.Event
	Threshold *big.Rat
	Reversed  bool
}

func (k KeyRelease) String() string {
	return fmt.Sprintf("KeyRelease(%s, %s)%s", mechanism.EncodeEvent(k.Noise), k.Threshold.RatString(),
		reversedMark(k.Reversed))
}

func (k KeyRelease) Reverse() Pair {
	k.Reversed = !k.Reversed
	return k
}
func (KeyRelease) SelfDual() bool     { return false }
func (k KeyRelease) isReversed() bool { return k.Reversed }
func (KeyRelease) Kind() Kind         { return Discrete }
func (KeyRelease) parts() []Product   { return nil }

// infMass: p is no rational number.
func (k KeyRelease) infMass() (*big.Rat, bool) { return new(big.Rat), k.Reversed }

// reach: the one finite loss is log(1 − p) < 0, or its opposite reversed.
func (k KeyRelease) reach() reach {
	if !k.Reversed {
		return within(Loss{})
	}
	_, hidden := k.chances(64)
	if least, _, ok := hidden.Rationals(); ok && least.Sign() > 0 {
		return within(LogLoss(least.Inv(least)))
	}
	return unknownReach()
}

// Outcomes: as in [Pair].
func (k KeyRelease) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if limit < 2 {
		return notListed()
	}
	shown, hidden := k.chances(p)
	out := []Outcome{{P: shown}, {P: hidden, Q: interval.Int(1)}}
	if k.Reversed {
		out[0], out[1] = out[0].reverse(), out[1].reverse()
	}
	return out, interval.Interval{}, true
}

// chances encloses p and 1 − p.
func (k KeyRelease) chances(p interval.Prec) (shown, hidden interval.Interval) {
	w := p + 16
	switch e := k.Noise.(type) {
	case mechanism.Gaussian:
		x := w.Div(w.Rat(k.beyond(ratOne, ratOne)), w.Sqrt(w.Rat(e.Variance())))
		return p.Round(w.NormalSF(x)), p.Round(w.NormalCDF(x))
	case mechanism.Laplace:
		x := k.beyond(ratOne, e.NoiseMultiplier)
		tail := w.Scale(w.Exp(w.Rat(new(big.Rat).Abs(x)).Neg()), -1)
		shown, hidden = p.Round(tail), p.Round(w.Sub(interval.Int(1), tail))
		if x.Sign() < 0 {
			shown, hidden = hidden, shown
		}
		return shown, hidden
	case mechanism.DiscreteLaplace:
		// P(Z ≥ m) = e^(−am)/(1 + e^(−a)) for m ≥ 1.
		m := ceil(k.beyond(new(big.Rat).SetInt64(e.Sensitivity), ratOne))
		return aboveOrBelow(m, func(m *big.Int) (tail, rest interval.Interval) {
			a := e.NoiseParameter
			y := w.Exp(w.Rat(new(big.Rat).Mul(a, new(big.Rat).SetInt(m))).Neg())
			tail = w.Div(y, w.Add(interval.Int(1), w.Exp(w.Rat(a).Neg())))
			return p.Round(tail), p.Round(w.Sub(interval.Int(1), tail))
		})
	case mechanism.DiscreteGaussian:
		s := new(big.Int).Quo(e.Sensitivity.Num(), e.Sensitivity.Denom())
		m := ceil(k.beyond(new(big.Rat).SetInt(s), ratOne))
		return aboveOrBelow(m, func(m *big.Int) (tail, rest interval.Interval) {
			tail = discreteGaussianTail(w, e.Sigma2(), m)
			return p.Round(tail), p.Round(w.Sub(interval.Int(1), tail))
		})
	}
	panic(fmt.Sprintf("pair: internal error: a key with the noise %T", k.Noise))
}

// beyond returns (Threshold − count)/scale.
func (k KeyRelease) beyond(count, scale *big.Rat) *big.Rat {
	x := new(big.Rat).Sub(k.Threshold, count)
	return x.Quo(x, scale)
}

// aboveOrBelow returns P(Z ≥ m) and P(Z < m) of symmetric integer noise, from both for m ≥ 1:
// P(Z ≥ m) = P(Z ≤ −m) = P(Z < 1 − m).
func aboveOrBelow(m *big.Int,
	positive func(m *big.Int) (tail, rest interval.Interval)) (shown, hidden interval.Interval) {
	if m.Sign() > 0 {
		return positive(m)
	}
	hidden, shown = positive(new(big.Int).Sub(big.NewInt(1), m))
	return shown, hidden
}

func ceil(x *big.Rat) *big.Int {
	n := new(big.Int).Neg(x.Num())
	n.Div(n, x.Denom()) // floor of −x
	return n.Neg(n)
}

// discreteGaussianTail encloses P(Z ≥ m), m ≥ 1, for masses ∝ g(x) = e^(−x²/2σ²) on the integers.
//
// g(x + 1)/g(x) = e^(−(2x+1)/2σ²) falls in x: with r that ratio at x = n, what is beyond n is at most g(n)·r/(1 − r).
// Each sum stops where that is 2^−w of it.
func discreteGaussianTail(w interval.Prec, sigma2 *big.Rat, m *big.Int) interval.Interval {
	// Each term adds a rounding or two of its own to those before it.
	v := w + 32
	step := v.Exp(v.Rat(new(big.Rat).Inv(sigma2)).Neg()) // of the ratio
	half := new(big.Rat).Inv(new(big.Rat).Add(sigma2, sigma2))
	from := func(m *big.Int) interval.Interval {
		x := new(big.Rat).SetInt(m)
		ratio := v.Exp(v.Rat(new(big.Rat).Mul(half, x.Add(x, x).Add(x, ratOne))).Neg())
		sum, term := interval.Int(1), interval.Int(1)
		for {
			term = v.Mul(term, ratio)
			ratio = v.Mul(ratio, step)
			sum = v.Add(sum, term)
			beyond := v.Div(v.Mul(term, ratio), v.Sub(interval.Int(1), ratio))
			if beyond.Less(v.Scale(sum, -int(w))) == interval.True {
				return v.Add(sum, interval.Union(interval.Int(0), beyond))
			}
		}
	}
	// 1 + 2·Σ g(x), x ≥ 1
	all := v.Add(interval.Int(1), v.Scale(v.Mul(v.Exp(v.Rat(half).Neg()), from(big.NewInt(1))), 1))
	x := new(big.Rat).SetInt(m)
	first := v.Exp(v.Rat(x.Mul(x, x).Mul(x, half)).Neg())
	return w.Div(v.Mul(first, from(m)), all)
}
