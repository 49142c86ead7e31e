// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestDraftsInOrder: each draft is made once, the fastest first, although the time has ended
// before; without a limit, none is.
func TestDraftsInOrder(t *testing.T) {
	limited, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	for _, c := range []struct {
		limited context.Context
		want    []exact.Draft
	}{{limited, exact.Drafts}, {t.Context(), nil}} {
		var made []exact.Draft
		d := StartDrafts(t.Context(), c.limited, func(_ context.Context, x exact.Draft) error {
			made = append(made, x)
			return nil
		})
		if err := d.Wait(); err != nil || !slices.Equal(made, c.want) {
			t.Errorf("drafts %v, %v, want %v", made, err, c.want)
		}
		d.Stop()
	}
}

// TestDraftsReportBugsOnly: what a draft cannot do is no error, a bug of the engine is.
func TestDraftsReportBugsOnly(t *testing.T) {
	limited, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	bug := exact.Contradiction("one", interval.Int(0), "two", interval.Int(1))
	for _, c := range []struct {
		name string
		f    func() error
		bug  bool
	}{
		{"unknown event", func() error { return &mechanism.ParamError{} }, false},
		{"contradiction", func() error { return bug }, true},
		{"panic", func() error { panic("impossible") }, true},
	} {
		d := StartDrafts(t.Context(), limited, func(context.Context, exact.Draft) error { return c.f() })
		if err := d.Wait(); (err != nil) != c.bug {
			t.Errorf("%s: %v", c.name, err)
		}
		d.Stop()
	}
}

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
