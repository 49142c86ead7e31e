// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shorthand_test

import (
	"slices"
	"strings"
	"testing"

	. "dpverify/internal/shorthand"
)

// TestCounts: the three ways of counting the steps of an epoch, said and not said.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		args   string
		counts Counts
		want   string
		unsaid int
		used   []Counts
	}{
		{"epochs=15", Floor, "3510", 1, []Counts{Floor}},
		{"epochs=15", Ceil, "3525", 1, []Counts{Floor}},
		{"epochs=15, count=exact", Ceil, "3516", 0, []Counts{Exact}},
		{"15, count=ceil", Floor, "3525", 0, []Counts{Ceil}},
		{"epochs=0.5", Floor, "117", 1, []Counts{Floor}},
		{"epochs=0.5, count=ceil", Floor, "118", 0, []Counts{Ceil}},
		{"epochs=0.5, count=exact", Floor, "118", 0, []Counts{Exact}},
		{"steps=7", Ceil, "7", 0, nil},
	} {
		text := "sgd(1.1, 256, 60000, " + c.args + ")"
		event, unsaid, err := Counting(text, c.counts)
		if err != nil || !strings.Contains(string(event), `"count":"`+c.want+`"`) || unsaid != c.unsaid || !slices.Equal(Counted(text), c.used) {
			t.Errorf("%s: %s, %d, %v, %v, want %s", text, event, unsaid, Counted(text), err, c.want)
		}
	}
	for text, want := range map[string]string{
		"sgd(1, 2, 5, count=floor)":        "sgd with count=floor takes epochs",
		"sgd(1, 2, 5, epochs=1, steps=up)": `"up)", want a number`,
		"sgd(1, 2, 5, epochs=ceil)":        `"ceil)", want a number`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
