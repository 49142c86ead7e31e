// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/mechanism"
)

// TestFirstAnswerWhenTheTimeIsUp: an answer that no rung has given comes from a draft, it
// contains the truth, and says that it is none of a rung.
func TestFirstAnswerWhenTheTimeIsUp(t *testing.T) {
	q := exact.Question{Event: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(5000, 1)}, Count: 1_000_000}}
	as, err := For(t.Context(), q, Goal{Digits: 1000, Budget: time.Nanosecond}, Delta(big.NewRat(200, 1)), Delta(big.NewRat(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if a := as[0]; a.Computed || !a.Complete() || a.Hi().Sign() != 0 {
		t.Errorf("δ(200) in %v, %q", a.Interval, a.Reason())
	}
	if a := as[1]; a.Computed || a.Complete() || !a.Found {
		t.Errorf("δ(1) in %v, %q", a.Interval, a.Reason())
	}
}

// TestInterruption: the error comes from the caller's context, and there are answers.
func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	as, err := For(ctx, exact.Question{Event: mechanism.NoOp{}}, Goal{Budget: time.Hour}, TotalVariation())
	if !errors.Is(err, context.Canceled) || len(as) != 1 || as[0].Lacking != errInterrupted {
		t.Errorf("%+v, %v", as, err)
	}
}
