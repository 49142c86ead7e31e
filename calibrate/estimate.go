// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/float"
	"dpverify/mechanism"
)

// estimate reports whether a value seems to be private enough: by the fast path where it is
// accurate, else by the exact engine at little effort.
func (q Question) estimate(ctx context.Context, x *big.Rat) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	events, err := q.event(x)
	if err != nil {
		return false, err
	}
	e := events.LessPrivate
	asked := exact.Question{Event: e, Relation: q.Relation, Direction: q.Direction, Scale: q.Delta}
	if sampledGaussian(e) {
		// Far from the border δ(ε) is deep in the tail, which takes long, and the least ε is not.
		y, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) {
			return exact.Epsilon(ctx, asked, q.Delta, draftBits, 0)
		})
		if err != nil {
			return false, err
		}
		if below, decided := sideOf(y, q.Epsilon); decided {
			return below, nil
		}
	}
	a, err := q.fast(ctx, e)
	var unsupported *float.UnsupportedError
	switch {
	case err == nil:
		d, _ := q.Delta.Float64()
		if a.Hi() <= d || a.Lo() > d || a.Rel() < 1e-3 {
			return a.V <= d, nil
		}
	case ctx.Err() != nil, !errors.As(err, &unsupported) && !errors.Is(err, context.DeadlineExceeded):
		return false, err
	}
	y, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) { return exact.Delta(ctx, asked, q.Epsilon, 1) })
	if err != nil {
		return false, err
	}
	mid, _ := y.Lo().Rat(nil)
	high, _ := y.Hi().Rat(nil)
	mid.Add(mid, high)
	return mid.Quo(mid, big.NewRat(2, 1)).Cmp(q.Delta) <= 0, nil
}

// draftBits are enough to say on which side of ε a value is, but next to it.
const draftBits = 30

// sampledGaussian reports whether an event is steps of a Poisson sample of a Gaussian: the exact engine
// answers for them at once, and the fast path may not.
func sampledGaussian(e mechanism.Event) bool {
	if steps, ok := e.(mechanism.SelfComposed); ok {
		e = steps.Event
	}
	sample, ok := e.(mechanism.PoissonSampled)
	if !ok {
		return false
	}
	_, ok = sample.Event.(mechanism.Gaussian)
	return ok
}

// sideOf says on which side of ε an enclosure of the least one lies: below if it does not exceed it.
func sideOf(y exact.Result, epsilon *big.Rat) (below, decided bool) {
	lo, hi := compare(y.Lo(), epsilon), compare(y.Hi(), epsilon)
	return hi <= 0, hi <= 0 || lo > 0
}

// compare returns the sign of x − y; x may be infinite.
func compare(x *big.Float, y *big.Rat) int {
	if x.IsInf() {
		return x.Sign()
	}
	exactly, _ := x.Rat(nil)
	return exactly.Cmp(y)
}

// fast is δ at the wanted ε by the fast path, within the budget.
func (q Question) fast(ctx context.Context, e mechanism.Event) (float.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, q.Budget)
	defer cancel()
	p, err := float.Prepare(ctx, float.Question{Event: e, Relation: q.Relation, Direction: q.Direction})
	if err != nil {
		return float.Answer{}, err
	}
	return p.Delta(ctx, q.Epsilon)
}
