// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"testing"

	"dpverify/internal/cli"
)

// The page gives the order of the statuses: 2, then 1, then 3, then 0.
func TestWorse(t *testing.T) {
	order := []int{cli.StatusFailed, cli.StatusWrong, cli.StatusUndecided, cli.StatusOK}
	for i, a := range order {
		for j, b := range order {
			if got, want := cli.Worse(a, b), order[min(i, j)]; got != want {
				t.Errorf("worse(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}
