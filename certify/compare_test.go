// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"testing"

	"dpverify/exact/interval"
)

// TestCompared: of each event between the two ends the verdict is right, whatever is not known of them.
func TestCompared(t *testing.T) {
	truths := []interval.Truth{interval.False, interval.Unknown, interval.True}
	for _, worst := range truths {
		for _, best := range truths {
			v, split := compared(worst, best)
			// What is not known may be either; what holds at the worst end holds at the best one.
			may := func(known interval.Truth, value bool) bool {
				return known == interval.Unknown || (known == interval.True) == value
			}
			all, none, some := may(worst, true) && may(best, true), may(worst, false) && may(best, false), may(worst, false) && may(best, true)
			if !all && !none && !some {
				continue // no statement is so
			}
			want, wantSplit := Undecided, !all && !none
			switch {
			case !none && !some:
				want = Verified
			case !all && !some:
				want = Refuted
			}
			if v != want || split != wantSplit {
				t.Errorf("worst %v, best %v: %v, split %t, want %v, %t", worst, best, v, split, want, wantSplit)
			}
		}
	}
}
