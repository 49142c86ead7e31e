// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestSlowRowsLeaveTimeToTheOthers: formulas come first, and no row takes more than its share of
// what is left.
func TestSlowRowsLeaveTimeToTheOthers(t *testing.T) {
	rows := comparedMethods()
	const budget = 400 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), budget)
	defer cancel()
	var asked []string
	err := deriveAll(ctx, rows, func(m *comparedMethod, ctx context.Context) error {
		asked = append(asked, m.name())
		if ctx.Err() != nil {
			t.Errorf("no time is left for %s", m.name())
		}
		if !m.Formula {
			<-ctx.Done() // all of its share
		}
		return nil
	})
	if err != nil || len(asked) != len(rows) {
		t.Errorf("%d of %d rows, %v", len(asked), len(rows), err)
	}
	if got := strings.Join(asked[:5], " "); got != "basic advanced zcdp-bs zcdp-cks gdp-clt" {
		t.Errorf("first come %s", got)
	}
	for _, name := range asked[len(asked)-2:] {
		if !strings.HasSuffix(name, ", real orders") {
			t.Errorf("among the last is %s", name)
		}
	}
}
