// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"math/rand"
	"regexp"

	"dpverify/definition"
	"dpverify/definition/masses"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A quantity is a number that an event has, as exact encloses it, and as it is of two distributions.
type quantity struct {
	name, flags string
	epsilon     *big.Rat // a point that noise is cut for
	ask         func(context.Context, exact.Question) (exact.Result, error)
	// above reports that a pair has more privacy loss than the answer allows, for sure.
	above func(answer, masses.Pair) bool
	// worth rises with the privacy loss of a pair.
	worth func(masses.Pair) float64
}

type answer = exact.Result

func float(r *big.Rat) float64 { return number.Float64(r) }

// slow are events of which answers take long: in the short suite only their first drafts are compared.
var slow = regexp.MustCompile("RepeatAndSelect|RandomAllocation|WithReplacement|GaussianPair|Clamped|Truncated|ZCDp|RenyiCurve|Thresholded|Mixture")

// profile prepares the answers of one draft. It bounds from above as all efforts do, and is wider.
func profile(ctx context.Context, q exact.Question) (*exact.Profile, error) {
	draft, event := exact.Coarse, mechanism.EncodeEvent(q.Event)
	if !testkit.Long() && slow.Match(event) || bytes.Contains(event, []byte("RepeatAndSelect")) {
		draft = exact.Instant
	}
	return exact.PrepareDraft(ctx, q, draft)
}

func deltaAt(eps *big.Rat) quantity {
	return quantity{
		name: "delta", flags: "delta --epsilon=" + number.Format(eps), epsilon: eps,
		ask: func(ctx context.Context, q exact.Question) (exact.Result, error) {
			p, err := profile(ctx, q)
			if err != nil {
				return exact.Result{}, err
			}
			return p.Delta(ctx, eps)
		},
		above: func(r answer, p masses.Pair) bool { return r.LessRat(p.DeltaAtLeast(eps)) == interval.True },
		worth: func(p masses.Pair) float64 { return float(p.DeltaAtLeast(eps)) },
	}
}

func variation() quantity {
	q := deltaAt(new(big.Rat))
	q.name = "tv"
	return q
}

// epsilonAt is above if δ at the greatest ε of the answer is more than delta.
func epsilonAt(delta *big.Rat) quantity {
	return quantity{
		name: "epsilon", flags: "epsilon --delta=" + number.Format(delta), epsilon: rat("1"),
		ask: func(ctx context.Context, q exact.Question) (exact.Result, error) {
			p, err := profile(ctx, q)
			if err != nil {
				return exact.Result{}, err
			}
			return p.Epsilon(ctx, delta, 16)
		},
		above: func(r answer, p masses.Pair) bool {
			if r.Hi().IsInf() {
				return r.Hi().Sign() < 0 && delta.Cmp(rat("1")) < 0
			}
			hi, ok := r.UpperRat()
			return ok && p.DeltaAtLeast(hi).Cmp(delta) > 0
		},
		worth: func(p masses.Pair) float64 { return float(p.DeltaAtLeast(rat("1"))) },
	}
}

func tradeOffAt(x *big.Rat) quantity {
	return quantity{
		name: "tradeoff", flags: "tradeoff --alpha=" + number.Format(x), epsilon: rat("1/2"),
		ask: func(ctx context.Context, q exact.Question) (exact.Result, error) {
			p, err := profile(ctx, q)
			if err != nil {
				return exact.Result{}, err
			}
			return p.TradeOff(ctx, x, 20)
		},
		above: func(r answer, p masses.Pair) bool {
			return r.LessEqRat(definition.TradeOffAtMost(p, x)) == interval.False
		},
		worth: func(p masses.Pair) float64 { return -float(definition.TradeOffAtMost(p, x)) },
	}
}

func gaussianAt(least *big.Rat) quantity {
	return quantity{
		name: "gdp", flags: "gdp --alpha-min=" + number.Format(least), epsilon: rat("1/2"),
		ask: func(ctx context.Context, q exact.Question) (exact.Result, error) {
			p, err := profile(ctx, q)
			if err != nil {
				return exact.Result{}, err
			}
			return p.GaussianDP(ctx, least, 16)
		},
		above: func(r answer, p masses.Pair) bool {
			return r.Less(definition.GaussianDPAtLeast(p, least)) == interval.True
		},
		worth: func(p masses.Pair) float64 { return float(p.DeltaAtLeast(new(big.Rat))) },
	}
}

// renyiAt is of order α, of order ∞ where that is nil.
func renyiAt(alpha *big.Rat) quantity {
	order, at, about := renyi.Order{}, "inf", math.Inf(1)
	if alpha != nil {
		order, at, about = renyi.At(alpha), number.Format(alpha), float(alpha)
	}
	divergence := func(p masses.Pair) interval.Interval {
		if alpha != nil {
			return definition.RenyiAtLeast(p, alpha)
		}
		ratio := p.GreatestRatioAtLeast()
		if ratio == nil {
			return interval.PosInf()
		}
		return interval.Prec(128).Log(interval.Prec(128).Rat(ratio)).Lower()
	}
	return quantity{
		name: "renyi", flags: "renyi --order=" + at, epsilon: rat("1/2"),
		ask: func(_ context.Context, q exact.Question) (exact.Result, error) {
			return exact.Renyi(q, order, 0)
		},
		above: func(r answer, p masses.Pair) bool {
			hi, _ := r.Hi().Float64()
			return definition.RenyiAbout(p, about) > hi-1e-9 && r.Less(divergence(p)) == interval.True
		},
		worth: func(p masses.Pair) float64 { return definition.RenyiAbout(p, about) },
	}
}

// drawQuantity draws one of all.
func drawQuantity(r *rand.Rand) quantity {
	of := func(xs ...string) *big.Rat { return rat(xs[r.Intn(len(xs))]) }
	switch r.Intn(16) {
	case 0, 1, 2, 3, 4:
		return deltaAt(of("1/2", "1", "0", "-1/2", "2"))
	case 5, 6:
		return variation()
	case 7, 8:
		return epsilonAt(of("1/10", "1/100", "0", "1/3"))
	case 9, 10:
		return tradeOffAt(of("0", "1/20", "1/4", "1/2", "9/10"))
	case 11:
		return gaussianAt(of("1/100", "1/10"))
	case 12:
		return renyiAt(nil)
	}
	return renyiAt(of("2", "3", "1/2", "1", "3/2"))
}
