// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package remembered

import (
	"errors"
	"testing"
)

// TestForgets: a store does not grow without bound, what was asked for lately stays, and values stay.
func TestForgets(t *testing.T) {
	var s Store[int]
	made := 0
	for i := range 40 {
		for _, n := range []int{i, 0} { // 0 is asked for every time
			y, err := Recall(&s, n, func() (int, int, error) { made++; return n, Most / 8, nil })
			if err != nil || y != n || s.young.size > Most || s.aged.size > Most {
				t.Errorf("%d: %d, %v, sizes %d and %d", n, y, err, s.young.size, s.aged.size)
			}
		}
	}
	if made != 40 {
		t.Errorf("%d values were made, want each of 40 once", made)
	}
	if n := s.Len(); n == 0 || n > 16 {
		t.Errorf("%d are kept", n)
	}
}

// TestErrorsAreNotKept: what failed is tried again.
func TestErrorsAreNotKept(t *testing.T) {
	var s Store[string]
	failed := errors.New("failed")
	if _, err := Recall(&s, "x", func() (int, int, error) { return 0, 1, failed }); err != failed || s.Len() > 0 {
		t.Errorf("%v, %d kept", err, s.Len())
	}
	if y, err := Recall(&s, "x", func() (int, int, error) { return 7, 1, nil }); err != nil || y != 7 || s.Len() != 1 {
		t.Errorf("%d, %v, %d kept", y, err, s.Len())
	}
}
