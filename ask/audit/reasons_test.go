// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReasons(t *testing.T) {
	var rs []Result
	for _, r := range []struct {
		id   string
		kind Kind
		text string
	}{
		{"a", Mistaken, "KeyError"},
		{"b", Refused, "delta = 0"},
		{"c", Refused, "count = 12 of 1.5e-7"},
		{"d", Answered, ""},
		{"e", Refused, "count = 3 of 0.25"},
		{"f", Mistaken, "KeyError"},
		{"g", Crashed, "delta = 0"},
	} {
		rs = append(rs, Result{Case: Case{ID: r.id}, Reply: Reply{Kind: r.kind, Text: r.text}})
	}
	want := []Reason{
		{Refused, "count = 12 of 1.5e-7", 2, "c"},
		{Refused, "delta = 0", 1, "b"},
		{Mistaken, "KeyError", 2, "a"},
		{Crashed, "delta = 0", 1, "g"},
	}
	if diff := cmp.Diff(want, Reasons(rs)); diff != "" {
		t.Error(diff)
	}
}
