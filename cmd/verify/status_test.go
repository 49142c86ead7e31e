// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "testing"

// The page gives the order of the statuses: 2, then 1, then 3, then 0.
func TestWorse(t *testing.T) {
	order := []int{statusFailed, statusWrong, statusUndecided, statusOK}
	for i, a := range order {
		for j, b := range order {
			if got, want := worse(a, b), order[min(i, j)]; got != want {
				t.Errorf("worse(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}
