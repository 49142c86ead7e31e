// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"context"
	"errors"
	"math/big"
	"sort"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/binomial"
	"dpverify/exact/interval"
)

// A PlanRequest asks how many canaries contradict a hypothesis with a given probability.
type PlanRequest struct {
	Power, Confidence *big.Rat
	Event             *exact.Question // the hypothesis, or nil for Claim
	Claim             *Claim
	Truth             *exact.Question // what runs instead; nil is what the best attack sees all of
	ask.Goal
}

// A Plan says how many canaries are enough; 0 where no number of at most 2^17 was found to be.
type Plan struct {
	PlanRequest
	Runs     int64    // independent runs with the canary, and as many without it
	TypeI    *big.Rat // the rate of false positives that the attack has to be set to
	Canaries int64    // of one run, all guessed
}

// rates are the rates of false positives that a plan tries.
var rates = []*big.Rat{new(big.Rat), big.NewRat(1, 100), big.NewRat(1, 20), big.NewRat(3, 20), big.NewRat(3, 10),
	big.NewRat(1, 2)}

// NewPlan answers a request, for the best attack on the truth: a weaker one takes more canaries. With the numbers of
// the plan the probability is at least the power, as long as the engine's bound for the truth is attained.
func NewPlan(ctx context.Context, r PlanRequest) (*Plan, error) {
	out := &Plan{PlanRequest: r}
	var h hypothesis
	switch {
	case r.Event != nil:
		h = newEvent(*r.Event, r.Goal)
	case r.Claim != nil:
		h = guarantee{r.Claim.Epsilon, r.Claim.Delta}
	default:
		return nil, errors.New("nothing to contradict, want an event or a claim")
	}
	t := tester{ctx, new(big.Rat).Sub(big.NewRat(1, 1), r.Confidence)}
	miss := new(big.Rat).Sub(big.NewRat(1, 1), r.Power)
	half := new(big.Rat).Quo(miss, big.NewRat(2, 1))
	var truth *event
	if r.Truth != nil {
		truth = newEvent(*r.Truth, r.Goal)
	}
	for _, x := range rates {
		typeII := new(big.Rat)
		if truth != nil {
			var err error
			if typeII, err = truth.greatestTypeII(ctx, x); err != nil {
				return nil, err
			}
		}
		n, err := t.enough(func(n int64) (Attack, error) {
			// Each rate is as good as this but for half of the miss, and better data refute as well.
			return Counts{atLeast(n, new(big.Rat).Sub(big.NewRat(1, 1), typeII), half),
				n - atLeast(n, new(big.Rat).Sub(big.NewRat(1, 1), x), half), n, n}, nil
		}, h)
		if err != nil {
			return nil, err
		}
		if n > 0 && (out.Runs == 0 || n < out.Runs) {
			out.Runs, out.TypeI = n, x
		}
		if truth == nil {
			break
		}
	}
	right := big.NewRat(1, 1)
	if truth != nil {
		as, err := ask.For(ctx, truth.question, truth.goal, ask.TotalVariation())
		if err != nil {
			return nil, err
		}
		if tv, _, ok := as[0].Rationals(); ok {
			right = new(big.Rat).Quo(tv.Add(tv, big.NewRat(1, 1)), big.NewRat(2, 1))
		}
	}
	var err error
	out.Canaries, err = t.enough(func(m int64) (Attack, error) {
		return Guesses{m, m, atLeast(m, right, miss)}, nil
	}, h)
	return out, err
}

// greatestTypeII is at least the type II error of the best test.
func (e *event) greatestTypeII(ctx context.Context, x *big.Rat) (*big.Rat, error) {
	y, err := e.typeII(ctx, x)
	if err != nil {
		return nil, err
	}
	if hi, ok := y.UpperRat(); ok && hi.Cmp(big.NewRat(1, 1)) <= 0 {
		return hi, nil
	}
	return big.NewRat(1, 1), nil
}

// atLeast returns k with P(Bin(n, q) < k) ≤ miss, the greatest one that is certain.
func atLeast(n int64, q, miss *big.Rat) int64 {
	return int64(sort.Search(int(n), func(k int) bool {
		// more than n − (k + 1) failures
		fewer := binomial.AtLeast(tailBits, n, n-int64(k), new(big.Rat).Sub(big.NewRat(1, 1), q))
		return fewer.LessEqRat(miss) != interval.True
	}))
}

// tailBits is the precision of tails.
const tailBits = interval.Prec(40)
