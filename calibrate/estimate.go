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
	e, err := q.event(x)
	if err != nil {
		return false, err
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
	asked := exact.Question{Event: e, Relation: q.Relation, Direction: q.Direction, Scale: q.Delta}
	y, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) { return exact.Delta(ctx, asked, q.Epsilon, 1) })
	if err != nil {
		return false, err
	}
	mid, _ := y.Lo().Rat(nil)
	high, _ := y.Hi().Rat(nil)
	mid.Add(mid, high)
	return mid.Quo(mid, big.NewRat(2, 1)).Cmp(q.Delta) <= 0, nil
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
