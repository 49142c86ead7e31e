// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !js

package calibrate

import (
	"context"
	"errors"
	"math"

	"dpverify/float"
	"dpverify/mechanism"
)

// fast estimates δ at the wanted ε by the fast path, within the budget: what it is, and where it may be, which is
// anywhere if there is no estimate.
func (q Question) fast(ctx context.Context, e mechanism.Event) (low, middle, high float64, err error) {
	limited, cancel := context.WithTimeout(ctx, q.Budget)
	defer cancel()
	var a float.Answer
	p, err := float.Prepare(limited, float.Question{Event: e, Relation: q.Relation, Direction: q.Direction})
	if err == nil {
		a, err = p.Delta(limited, q.Epsilon)
	}
	var unsupported *float.UnsupportedError
	switch {
	case err == nil:
		return a.Lo(), a.V, a.Hi(), nil
	case ctx.Err() == nil && (errors.As(err, &unsupported) || errors.Is(err, context.DeadlineExceeded)):
		return math.Inf(-1), 0, math.Inf(1), nil
	}
	return 0, 0, 0, err
}
