// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package guard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithinReturnsTheResult(t *testing.T) {
	failed := errors.New("failed")
	got, err := Within(t.Context(), func(context.Context) (int, error) { return 7, failed })
	if got != 7 || err != failed {
		t.Errorf("%d, %v", got, err)
	}
	// Also a result that comes a little late.
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	got, err = Within(ctx, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		time.Sleep(10 * time.Millisecond)
		return 8, nil
	})
	if got != 8 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestWithinGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		never := make(chan int)
		defer close(never)
		got, err := Within(ctx, func(context.Context) (int, error) { return <-never, nil })
		if got != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d, %v", got, err)
		}
	})
}

func TestWithinPassesPanicsOn(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		if !ok || !strings.HasPrefix(err.Error(), "impossible\n") || !strings.Contains(err.Error(), "within_test.go") {
			t.Errorf("%v", err)
		}
	}()
	_, _ = Within(t.Context(), func(context.Context) (int, error) { panic("impossible") })
}
