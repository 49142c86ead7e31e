// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"dpverify/float/value"
	"dpverify/internal/testkit"
)

// TestReproduceFunction repeats the comparison that a FunctionViolation names.
func TestReproduceFunction(t *testing.T) {
	for _, f := range floatFunctions {
		if f.name != *functionFlag || *precFlag != 0 {
			continue
		}
		x, err := strconv.ParseFloat(*argumentsFlag, 64)
		if err != nil {
			t.Fatal(err)
		}
		if v := f.check(x); v != nil {
			t.Error(v)
		}
		return
	}
	t.Skip("no -function given")
}

// TestFunctions: the functions of package math are as accurate as float/value says.
func TestFunctions(t *testing.T) {
	n := testkit.Cases(500, 2000)
	checked, err := Functions(context.Background(), 1, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(checked) != len(floatFunctions) {
		t.Errorf("checked %v", checked)
	}
}

// TestFunctionsBite: a value that is off by 16 units of its last place is a violation.
func TestFunctionsBite(t *testing.T) {
	for _, f := range floatFunctions {
		good := f.fast
		f.fast = func(x value.Value) value.Value {
			y := good(x)
			y.V += 64 * value.U * math.Max(math.Abs(y.V), 0x1p-3)
			return y
		}
		v := f.check(1.7)
		if v == nil {
			t.Errorf("%s: a wrong value passes", f.name)
			continue
		}
		if !strings.Contains(v.Error(), "reproduce with: ") {
			t.Errorf("no command in %q", v)
		}
	}
}
