// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"dpverify/exact"
)

func TestLadders(t *testing.T) {
	fixed := exact.Effort(5)
	for _, c := range []struct {
		name string
		l    Ladder
		want []exact.Effort
	}{
		{"all", UpTo(exact.MaxEffort), []exact.Effort{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"a fixed effort", UpTo(exact.MaxEffort).Or(&fixed), []exact.Effort{5}},
		{"up to an effort", UpTo(3), []exact.Effort{0, 1, 2, 3}},
		{"a fixed effort above the last one", UpTo(3).Or(&fixed), []exact.Effort{5}},
		{"no further than the top", UpTo(exact.MaxEffort + 1), []exact.Effort{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"two more", Ladder{2, 3}, []exact.Effort{2, 3}},
		{"none", Ladder{4, 3}, nil},
	} {
		var got []exact.Effort
		err := c.l.Climb(t.Context(), func(e exact.Effort) (bool, error) {
			got = append(got, e)
			return false, nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func TestClimbEnds(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name string
		rung func(cancel context.CancelFunc, e exact.Effort) (bool, error)
		last exact.Effort
		want error
	}{
		{"when it is done", func(_ context.CancelFunc, e exact.Effort) (bool, error) { return e == 2, nil }, 2, nil},
		{"when a rung fails", func(_ context.CancelFunc, e exact.Effort) (bool, error) {
			if e == 1 {
				return false, failed
			}
			return false, nil
		}, 1, failed},
		{"between two rungs, when its context ends", func(cancel context.CancelFunc, e exact.Effort) (bool, error) {
			if e == 1 {
				cancel()
			}
			return false, nil
		}, 1, context.Canceled},
		{"at the top", func(context.CancelFunc, exact.Effort) (bool, error) { return false, nil }, exact.MaxEffort, nil},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var last exact.Effort
		err := UpTo(exact.MaxEffort).Climb(ctx, func(e exact.Effort) (bool, error) {
			last = e
			return c.rung(cancel, e)
		})
		if last != c.last || !errors.Is(err, c.want) {
			t.Errorf("it ends %s: at effort %d with %v", c.name, last, err)
		}
		cancel()
	}
}

// TestFirstRungIsTried: also when the time has ended before it.
func TestFirstRungIsTried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rungs := 0
	err := UpTo(3).Climb(ctx, func(exact.Effort) (bool, error) {
		rungs++
		return true, nil
	})
	if rungs != 1 || err != nil {
		t.Errorf("%d rungs, %v", rungs, err)
	}
}

func TestOutOfTime(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wrapped := fmt.Errorf("deciding: %w", context.DeadlineExceeded)
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want bool
	}{
		{"a limit within", t.Context(), wrapped, true},
		{"the end of ctx", ended, wrapped, false},
		{"another error", t.Context(), errors.New("deadline"), false},
		{"no error", t.Context(), nil, false},
	} {
		if got := OutOfTime(c.ctx, c.err); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
