// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"slices"
	"testing"

	"dpverify/ask"
	"dpverify/exact/interval"
)

// TestClimbShowsWhatIsKnown: the ends that are shown come nearer and never go back, whatever order they come in.
func TestClimbShowsWhatIsKnown(t *testing.T) {
	between := func(lo, hi int64) interval.Interval { return interval.Union(interval.Int(lo), interval.Int(hi)) }
	var g ask.Goal
	var got []string
	Climb(&g, func(what string) { got = append(got, what) }, "ε", []string{"1e-5"})
	g.Progress(0, 1)
	g.Known(0, between(1, 9))
	g.Progress(1, 1)
	g.Known(0, between(3, 4))
	g.Known(0, between(2, 8))
	want := []string{"effort 0", "effort 0, ε(1e-5) ∈ [1, 9]", "effort 1, ε(1e-5) ∈ [1, 9]", "effort 1, ε(1e-5) ∈ [3, 4]",
		"effort 1, ε(1e-5) ∈ [3, 4]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if Climb(&g, func(string) {}, "ε", []string{"1e-5", "1e-6"}); g.Known != nil {
		t.Error("of several answers, one is shown")
	}
}
