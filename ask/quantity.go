// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/efforts"
)

// A Quantity is a real number that an event has: what can be asked.
type Quantity struct {
	// scale is the δ of interest, or nil.
	scale *big.Rat
	// x is where the quantity is asked for; nil for ∞.
	x *big.Rat
	// command asks for it: a command of verify with the flag that has x as its value.
	command string
	// ask asks a profile, to an accuracy of digits.
	ask func(ctx context.Context, p *exact.Profile, digits int) (exact.Result, error)
	// direct, if set, asks without the profile that the other quantities share. First answers
	// go by ask, if there is one.
	direct func(ctx context.Context, q exact.Question, e exact.Effort, digits int) (exact.Result, error)
	// all contains every value that the quantity can have.
	all interval.Interval
	// trivial is what is known about every event; an answer that is no better says nothing.
	trivial trivial
	// vanishes says that the quantity can be 0 without being known to be: its accuracy is
	// then wanted down to 10^(−2·digits) only.
	vanishes bool
}

// Delta is δ(eps), eps in nats.
func Delta(eps *big.Rat) Quantity {
	return Quantity{
		x: eps, command: "delta --epsilon", all: unit(), trivial: trivialDelta(eps),
		ask: func(ctx context.Context, p *exact.Profile, digits int) (exact.Result, error) {
			return p.DeltaTo(ctx, eps, exact.DigitBits(digits))
		},
	}
}

// TotalVariation is δ(0), the total variation distance of the outputs on neighbouring data.
func TotalVariation() Quantity { return Delta(new(big.Rat)) }

// Epsilon is ε(delta) = inf{ε : δ(ε) ≤ delta}, in nats: −∞ for delta ≥ 1, ∞ where delta is
// below the probability of an infinite loss.
func Epsilon(delta *big.Rat) Quantity {
	return Quantity{
		x: delta, scale: delta, command: "epsilon --delta", all: interval.Entire(), trivial: trivialEpsilon(delta),
		vanishes: true,
		ask: func(ctx context.Context, p *exact.Profile, digits int) (exact.Result, error) {
			if digits < 4 { // curves print more digits than they ask for
				return p.Epsilon(ctx, delta, exact.DigitBits(digits))
			}
			return p.EpsilonTo(ctx, delta, digits)
		},
	}
}

// Renyi is the Rényi divergence of order alpha, in nats.
func Renyi(alpha renyi.Order) Quantity {
	x, _ := alpha.Rat()
	notNegative := trivial{interval.Int(0), interval.PosInf()}
	return Quantity{
		x: x, command: "renyi --order", all: notNegative.interval(), trivial: notNegative,
		direct: func(_ context.Context, q exact.Question, e exact.Effort, _ int) (exact.Result, error) {
			return exact.Renyi(q, alpha, e)
		},
	}
}

// TradeOff is the least type II error of a test with a type I error of at most x in [0, 1].
func TradeOff(x *big.Rat) Quantity {
	return Quantity{
		x: x, command: "tradeoff --alpha", all: unit(), trivial: trivialTradeOff(x), vanishes: true,
		ask: func(ctx context.Context, p *exact.Profile, digits int) (exact.Result, error) {
			return p.TradeOff(ctx, x, exact.DigitBits(digits))
		},
		direct: func(ctx context.Context, q exact.Question, e exact.Effort, digits int) (exact.Result, error) {
			if x.Sign() > 0 && q.Scale == nil {
				q.Scale = x
			}
			p, err := exact.Prepare(ctx, q, e)
			if err != nil {
				return exact.Result{Effort: e}, err
			}
			return p.TradeOff(ctx, x, exact.DigitBits(digits))
		},
	}
}

// DefaultAlphaMin is where the range of type I errors of GaussianDP starts, if nothing else is asked for.
var DefaultAlphaMin = big.NewRat(1, 1_000_000_000_000)

// GaussianDP is the least μ for which the event is μ-GDP at all type I errors in [alphaMin, 1 − alphaMin], 0 < alphaMin
// ≤ 1/2.
func GaussianDP(alphaMin *big.Rat) Quantity {
	notNegative := trivial{interval.Int(0), interval.PosInf()}
	return Quantity{
		x: alphaMin, scale: alphaMin, command: "gdp --alpha-min", all: notNegative.interval(), trivial: notNegative,
		vanishes: true,
		ask: func(ctx context.Context, p *exact.Profile, digits int) (exact.Result, error) {
			return p.GaussianDP(ctx, alphaMin, exact.DigitBits(digits))
		},
	}
}

// Empty reports the zero value, which is no quantity.
func (q Quantity) Empty() bool { return q.command == "" }

// At is where the quantity is asked for; nil for ∞.
func (q Quantity) At() *big.Rat { return q.x }

// settled reports that an enclosure of the quantity is accurate enough.
func (q Quantity) settled(e exact.Enclosure, digits int) bool {
	floor := 0
	if q.vanishes {
		floor = 2 * digits
	}
	return efforts.Accurate(e, digits, floor)
}

// unit is [0, 1].
func unit() interval.Interval { return interval.Union(interval.Int(0), interval.Int(1)) }

// trivial encloses the least and the greatest value that a quantity has for any event.
type trivial struct{ least, most interval.Interval }

// trivialPrec is the precision of such values.
const trivialPrec = interval.Prec(64)

// interval returns all values between the two.
func (t trivial) interval() interval.Interval { return interval.Bounds(t.least.Lo(), t.most.Hi()) }

// isBetter reports whether an enclosure excludes some value between the two for certain.
func (t trivial) isBetter(y interval.Interval) bool {
	return y.Lo().Cmp(t.least.Hi()) > 0 || y.Hi().Cmp(t.most.Lo()) < 0
}

// trivialDelta: max(0, 1 − e^ε) ≤ δ(ε) ≤ 1, the profile of two equal distributions and that
// of two that have nothing in common.
func trivialDelta(eps *big.Rat) trivial {
	const p = trivialPrec
	return trivial{interval.Max(interval.Int(0), p.Expm1(p.Rat(eps)).Neg()), interval.Int(1)}
}

// trivialEpsilon: log(1 − δ) ≤ ε(δ) for δ < 1, from δ(ε) ≥ 1 − e^ε.
func trivialEpsilon(delta *big.Rat) trivial {
	const p = trivialPrec
	all := interval.Entire()
	t := trivial{interval.Point(all.Lo()), interval.Point(all.Hi())}
	if delta.Cmp(one) < 0 {
		t.least = p.Log1p(p.Rat(delta).Neg())
	}
	return t
}

// trivialTradeOff: 0 ≤ f(x) ≤ 1 − x, which a test that flips a coin reaches. Beyond 1 there is no f, which the engine
// says.
func trivialTradeOff(x *big.Rat) trivial {
	return trivial{interval.Int(0), interval.Max(interval.Int(0), trivialPrec.Rat(new(big.Rat).Sub(one, x)))}
}

// one is 1.
var one = big.NewRat(1, 1)
