// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"errors"
	"math/big"

	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/mechanism"
)

// gaussianDigits are the digits of the noise that a Gaussian filter may spend.
const gaussianDigits = 8

// NewGaussianFilter returns a filter for (eps, delta) that accepts Gaussian noise only, for as long as Σ 1/σ² is at
// most the 1/σ² of one Gaussian that is (eps, delta)-DP: the least noise that is found, which is certified.
// There is nothing sharper for it. The error is calibrate's if no noise is enough.
func NewGaussianFilter(ctx context.Context, q Question, eps, delta *big.Rat) (*Filter, error) {
	t, err := calibrate.Parse("noise", []byte(`{"class_name": "GaussianDpEvent", "noise_multiplier": "?"}`),
		mechanism.Decoder{})
	if err != nil {
		return nil, err
	}
	found, err := calibrate.Search(ctx, calibrate.Question{
		Template: t, Epsilon: eps, Delta: delta, Relation: q.Relation, Direction: q.Direction, Digits: gaussianDigits,
		Budget: q.Budget,
	})
	if err != nil {
		return nil, err
	}
	if found.Best == nil {
		return nil, errors.New("no noise was certified to keep the budget in time")
	}
	f := &Filter{Gaussian: true, Bound: inverseSquare(found.Best.Value), Spent: new(big.Rat), sure: new(big.Rat)}
	if next := found.Next; next != nil && next.Outcome.Verdict == certify.Refuted && next.Value.Sign() > 0 {
		f.most = inverseSquare(next.Value)
	}
	return f, nil
}

func inverseSquare(x *big.Rat) *big.Rat { return new(big.Rat).Inv(new(big.Rat).Mul(x, x)) }

// gaussian returns Σ 1/σ² of an event that is nothing but Gaussian noise; nil of another, and without noise.
func gaussian(e mechanism.Event) *big.Rat {
	switch e := e.(type) {
	case mechanism.Gaussian:
		if variance := e.Variance(); variance.Sign() > 0 {
			return variance.Inv(variance)
		}
	case mechanism.SelfComposed:
		if one := gaussian(e.Event); one != nil {
			return one.Mul(one, new(big.Rat).SetInt64(e.Count))
		}
	case mechanism.Composed:
		sum := new(big.Rat)
		for _, part := range e.Events {
			x := gaussian(part)
			if x == nil {
				return nil
			}
			sum.Add(sum, x)
		}
		return sum
	}
	return nil
}

// notGaussian is why a Gaussian filter refuses an event.
const notGaussian = "not Gaussian noise only"
