// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestGuardReturnsPanics(t *testing.T) {
	failed := errors.New("failed")
	if err := Guard(func() error { return failed }); err != failed {
		t.Errorf("%v", err)
	}
	var p *PanicError
	err := Guard(func() error { panic("impossible") })
	if !errors.As(err, &p) || p.Value != "impossible" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("%v", err)
	}
	// Through a computation in another goroutine, it keeps where it began.
	err = Guard(func() error {
		_, err := Within(t.Context(), func(context.Context) (int, error) { panic("far away") })
		return err
	})
	if !errors.As(err, &p) || p.Value != "far away" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("%v", err)
	}
}

func TestRepanic(t *testing.T) {
	Repanic(nil)
	Repanic(errors.New("no panic"))
	caught := Guard(func() error { panic("impossible") })
	if again := Guard(func() error { Repanic(caught); return nil }); again != caught {
		t.Errorf("%v, want %v", again, caught)
	}
}
