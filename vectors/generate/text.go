// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"fmt"
	"strings"

	"dpverify/internal/prose"
)

// Text writes for people what a check found.
func (r CheckResult) Text() string {
	var b strings.Builder
	for _, line := range r.Wrong {
		fmt.Fprintln(&b, "WRONG", line)
	}
	for _, line := range r.Wider {
		fmt.Fprintln(&b, "WIDER", line)
	}
	fmt.Fprintf(&b, "%s confirmed, %d computed wider, %d wrong\n", prose.Many(r.Confirmed, "test", "tests"),
		len(r.Wider), len(r.Wrong))
	return b.String()
}
