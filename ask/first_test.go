// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"math/big"
	"sync"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
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

// TestFirstAnswerWhenInterrupted: somebody who waits a little and interrupts has a bound, with a limit and without one.
func TestFirstAnswerWhenInterrupted(t *testing.T) {
	q := exact.Question{Event: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(50, 1)}, Count: 1_000_000}}
	for _, budget := range []time.Duration{0, time.Hour} {
		for wait := 200 * time.Millisecond; ; wait *= 2 {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			as, err := For(ctx, q, Goal{Digits: 3000, Budget: budget}, Epsilon(big.NewRat(1, 1000)))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%v, want a question that takes longer", err)
			}
			if as[0].Found && !as[0].Hi().IsInf() {
				break
			}
			if wait > time.Minute {
				t.Fatalf("ε in %v after %v", as[0].Interval, wait)
			}
		}
	}
}

// TestKnownContainsTheAnswer: whatever is known on the way contains the answer, and the last of it is the answer.
func TestKnownContainsTheAnswer(t *testing.T) {
	q := exact.Question{Event: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(5, 1)}, Count: 30}}
	var mu sync.Mutex
	var known []interval.Interval
	g := Goal{Digits: 40, Known: func(_ int, x interval.Interval) {
		mu.Lock()
		defer mu.Unlock()
		known = append(known, x)
	}}
	as, err := For(t.Context(), q, g, Epsilon(big.NewRat(1, 1000)))
	if err != nil || len(known) == 0 {
		t.Fatalf("%v, %v", known, err)
	}
	for _, x := range known {
		if both, ok := interval.Intersect(x, as[0].Interval); !ok || both.Lo().Cmp(as[0].Lo()) != 0 || both.Hi().Cmp(as[0].Hi()) != 0 {
			t.Errorf("known %v, the answer is %v", x, as[0].Interval)
		}
	}
}
