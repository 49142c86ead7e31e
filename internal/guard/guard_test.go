// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package guard

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRunReturnsPanics(t *testing.T) {
	failed := errors.New("failed")
	if err := Run(func() error { return failed }); err != failed {
		t.Errorf("%v", err)
	}
	var p *PanicError
	err := Run(func() error { panic("impossible") })
	if !errors.As(err, &p) || p.Value != "impossible" || !strings.Contains(string(p.Stack), "guard_test.go") {
		t.Errorf("%v", err)
	}
	// Through a computation in another goroutine, it keeps where it began.
	err = Run(func() error {
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
	caught := Run(func() error { panic("impossible") })
	if again := Run(func() error { Repanic(caught); return nil }); again != caught {
		t.Errorf("%v, want %v", again, caught)
	}
}
