// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"fmt"
	"testing"
)

// TestOutwards: the exponent found is the least that does, and nothing is asked twice.
func TestOutwards(t *testing.T) {
	for _, least := range []int{-20, -6, 0, 39, 40, 41, 79, 80, 81, 1000, maxExponent, maxExponent + 1} {
		asked := map[int]bool{}
		hit := 1 << 30
		err := outwards(func(k int) (bool, error) {
			if asked[k] {
				t.Errorf("%d is asked twice", k)
			}
			asked[k] = true
			if k >= least {
				hit = min(hit, k)
			}
			return k >= least, nil
		})
		want := max(least, -6)
		if least > maxExponent {
			want = 1 << 30
		}
		if hit != want || err != nil {
			t.Errorf("least %d: found %d, %v", least, hit, err)
		}
	}
	for most := 40; most < 60; most++ { // from −6 to 40, 80, and 6 between them
		asked := 0
		err := outwards(func(k int) (bool, error) {
			if asked++; asked > most {
				return false, fmt.Errorf("stop")
			}
			return k >= 70, nil
		})
		if (err == nil) != (most >= 54) {
			t.Errorf("%d asked: %v", asked, err)
		}
	}
}
