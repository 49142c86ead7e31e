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

// TestOctalNumbersAreErrors: what one version of YAML takes for another number than the other is none, unless it has
// quotes; as a text, it is one.
func TestOctalNumbersAreErrors(t *testing.T) {
	for text, good := range map[string]bool{"012": false, "-012": false, "+00017": false, "007": false, `"012"`: true, "0": true,
		"-0": true, "0.12": true, "09": true, "0e1": true, "012e0": true, "12": true} {
		n, err := ParseYAML([]byte("x: " + text))
		if err != nil {
			t.Fatal(err)
		}
		r := Reader{Node: n}
		if x := r.Literal("x", n.Get("x"), "a number"); (x != nil) != good || (r.Err == nil) != good {
			t.Errorf("%s is %v, %v", text, x, r.Err)
		}
		if r := (Reader{Node: n}); r.Text("x", "a text") == "" || r.Err != nil {
			t.Errorf("%s is no text: %v", text, r.Err)
		}
	}
}
