// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"fmt"
	"strings"
	"testing"
)

// TestAliasesAreCounted: what aliases stand for is counted before any of it is made: 9^9 values are refused at once, as
// are values that hold themselves, and what is within the limit is read.
func TestAliasesAreCounted(t *testing.T) {
	nested := func(n, times int) []byte {
		var b strings.Builder
		b.WriteString("a0: &a0 [x]\n")
		for i := range n {
			fmt.Fprintf(&b, "a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), times), ","))
		}
		return []byte(b.String())
	}
	if n, err := ParseYAML(nested(6, 9)); err != nil || len(n.Get("a6").Items) != 9 {
		t.Errorf("9^6: %v", err)
	}
	for _, text := range []string{string(nested(9, 9)), "a: &a [*a]\n", "&a {b: {c: *a}}\n"} {
		allocs := testing.AllocsPerRun(1, func() {
			if _, err := ParseYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), "values after aliases are expanded") {
				t.Errorf("%.20q: %v", text, err)
			}
		})
		if allocs > 10_000 {
			t.Errorf("%.20q: %v allocations", text, allocs)
		}
	}
}
