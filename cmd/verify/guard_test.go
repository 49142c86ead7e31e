// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/guard"
)

func TestBugsAreLoud(t *testing.T) {
	bug := &exact.InconsistencyError{First: "one", Second: "two", Eps: "1", Product: "(p)", Reproduce: "verify delta --epsilon 1 '{}'"}
	var b strings.Builder
	cli.PrintError(&b, fmt.Errorf("claim x: %w", bug))
	got := b.String()
	if !strings.HasPrefix(got, "verify: INTERNAL ERROR: claim x: ") || !strings.Contains(got, "\n  verify delta --epsilon 1 '{}'\n") {
		t.Errorf("%s", got)
	}
	b.Reset()
	err := guard.Run(func() error { panic("impossible") })
	cli.PrintError(&b, err)
	got = b.String()
	if !strings.HasPrefix(got, "verify: INTERNAL ERROR: impossible\n") || !strings.Contains(got, "guard_test.go") {
		t.Errorf("%s", got)
	}
	if err := guard.Run(func() error { return nil }); err != nil {
		t.Error(err)
	}
}
