// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// A rung that had to leave a method out for the memory that it needs, and decides
// nothing, takes nothing away from what was reached; it says what would be needed.
func TestRefusedMemoryKeepsWhatWasReached(t *testing.T) {
	bounds := func(lo, hi int64) *exact.Enclosure {
		return &exact.Enclosure{Interval: interval.Union(interval.Int(lo), interval.Int(hi))}
	}
	refused := []exact.Refusal{{Method: "pld", Bytes: 7_000_000}}
	out := decision{Outcome: &Outcome{Verdict: Undecided}}
	out.take(rung{effort: 0, verdict: Undecided, delta: bounds(0, 100), epsilon: bounds(0, 100), methods: []string{"part"}, refused: refused})
	if out.Delta == nil || out.Effort != 0 {
		t.Fatalf("the only rung was not taken: %+v", out.Outcome)
	}
	out.take(rung{effort: 1, verdict: Undecided, tight: true, delta: bounds(3, 5), epsilon: bounds(2, 4), methods: []string{"pld"}})
	out.take(rung{effort: 2, verdict: Undecided, delta: bounds(0, 90), epsilon: bounds(0, 90), methods: []string{"part"}, refused: refused})
	if lo, hi := out.Delta.Decimal(3); lo != "3" || hi != "5" || out.Effort != 1 || out.Methods[0] != "pld" {
		t.Errorf("δ in [%s, %s] by %v at effort %d", lo, hi, out.Methods, out.Effort)
	}
	if lo, hi := out.Epsilon.Decimal(3); lo != "2" || hi != "4" {
		t.Errorf("ε in [%s, %s]", lo, hi)
	}
	if want := "more memory than allowed would be needed at effort 2: pld needs 7.0 MB of memory"; out.Reason != want {
		t.Errorf("reason %q, want %q", out.Reason, want)
	}
	// A verdict counts, whatever was left out.
	out.take(rung{effort: 3, verdict: Verified, delta: bounds(0, 4), methods: []string{"part"}, refused: refused})
	if out.Verdict != Verified || out.Effort != 3 || strings.Contains(out.Reason, "memory") {
		t.Errorf("%s at effort %d, %q", out.Verdict, out.Effort, out.Reason)
	}
}

// Decide hands the limit to the engine.
func TestMaxMemoryIsRespected(t *testing.T) {
	const claim = "event: {class_name: SelfComposedDpEvent, count: 30, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: LaplaceDpEvent, noise_multiplier: 4}}}, direction: remove, claim: {epsilon: 0.3, delta: 0.001}"
	e := exact.Effort(0)
	out := decide(t, claim, Options{Fixed: &e, MaxMemory: 1000})
	if free := decide(t, claim, Options{Fixed: &e}); free.Verdict != Verified {
		t.Errorf("without a limit %s: %s", free.Verdict, free.Reason)
	}
	if out.Verdict == Verified {
		t.Errorf("verified by %v in 1000 bytes", out.Methods)
	}
	if !strings.Contains(out.Reason, "pld needs ") {
		t.Errorf("%s: %s", out.Verdict, out.Reason)
	}
}
