// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"testing"

	"dpverify/mechanism"
)

// Every simpler case that shrinking tries costs less or is passed over, so shrinking
// ends; and it reaches the simplest case there is.
func TestShrinkingEnds(t *testing.T) {
	for _, c := range Random(5, 40) {
		steps := 0
		for {
			var next *Case
			for s := range simpler(c) {
				if cost(s) < cost(c) {
					next = &s
					break
				}
			}
			if next == nil {
				break
			}
			c = *next
			if steps++; steps > 1000 {
				t.Fatalf("no end: %s", c.Request())
			}
		}
		if _, ok := c.Event.(mechanism.Composed); ok {
			t.Errorf("ends at %s", c.Request())
		}
	}
}
