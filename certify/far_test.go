// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

const dpsgd = "event: {class_name: SelfComposedDpEvent, count: 1000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.02, event: {class_name: GaussianDpEvent, noise_multiplier: 2}}}"

// TestClaimsFarFromTheTruth: a claim far above the truth is verified by a bound that costs little, which holds what a
// sharp decision finds; the least ε is the same.
func TestClaimsFarFromTheTruth(t *testing.T) {
	for _, claim := range testkit.Few(1, []string{"{epsilon: 15, delta: 1e-5}", "{epsilon: 30, delta: 1e-9}"}) {
		far, sharp := decide(t, dpsgd+", claim: "+claim, Options{}), decide(t, dpsgd+", claim: "+claim, Options{Sharp: true})
		if far.Verdict != Verified || sharp.Verdict != Verified || far.Effort != 0 {
			t.Fatalf("%s: %s at effort %d, and %s", claim, far.Verdict, far.Effort, sharp.Verdict)
		}
		if far.Delta.Lo().Sign() != 0 || sharp.Delta.RelativeBits(60) < 20 {
			t.Errorf("%s: δ in %v, and in %v", claim, far.Delta.Interval, sharp.Delta.Interval)
		}
		if sharp.Delta.LessEq(interval.Point(far.Delta.Hi())) != interval.True {
			t.Errorf("%s: δ ≤ %v, and in %v", claim, far.Delta.Hi(), sharp.Delta.Interval)
		}
		if a, b := far.Epsilon.String(), sharp.Epsilon.String(); a != b {
			t.Errorf("%s: the least ε is in %s, and in %s", claim, a, b)
		}
	}
	near := decide(t, dpsgd+", claim: {epsilon: 2, delta: 1e-5}", Options{})
	if near.Verdict != Verified || near.Delta.RelativeBits(60) < 20 {
		t.Errorf("not far: %s, δ in %v", near.Verdict, near.Delta.Interval)
	}
}

// TestDeltaOnly: without the least ε the verdict and δ are the same, and where δ does not decide, the least ε still
// does.
func TestDeltaOnly(t *testing.T) {
	for _, claim := range []string{"{epsilon: 2, delta: 1e-5}", "{epsilon: 0.1, delta: 1e-5}"} {
		whole, part := decide(t, dpsgd+", claim: "+claim, Options{}), decide(t, dpsgd+", claim: "+claim, Options{DeltaOnly: true})
		if part.Verdict != whole.Verdict || whole.Verdict == Undecided || part.Delta.String() != whole.Delta.String() {
			t.Errorf("%s: %s with δ in %v, and %s with δ in %v", claim, whole.Verdict, whole.Delta, part.Verdict, part.Delta)
		}
		if whole.Epsilon == nil || part.Epsilon != nil {
			t.Errorf("%s: least ε %v, and %v", claim, whole.Epsilon, part.Epsilon)
		}
	}
	const sampled = "event: {class_name: SelfComposedDpEvent, count: 5, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}}, claim: {epsilon: 0.7928253937, delta: 0}"
	lowest := exact.Effort(0)
	if o := decide(t, sampled, Options{Fixed: &lowest, DeltaOnly: true}); o.Verdict != Refuted {
		t.Errorf("%s: %s", sampled, o.Verdict)
	}
}

// TestFarRangesOfEvents: what is far below a claim for the least private event is for all; not what is for the most
// private one.
func TestFarRangesOfEvents(t *testing.T) {
	event := func(lo, hi string) string {
		return "event: {class_name: SelfComposedDpEvent, count: 1000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.02, event: {class_name: GaussianDpEvent, noise_multiplier: {lo: " + lo + ", hi: " + hi + "}}}}, claim: {epsilon: 15, delta: 1e-5}"
	}
	if o := decide(t, event("2", "4"), Options{}); o.Verdict != Verified || o.Delta.Lo().Sign() != 0 {
		t.Errorf("far for all: %s, δ in %v", o.Verdict, o.Delta)
	}
	if o := decide(t, event("0.4", "4"), Options{}); o.Verdict != Undecided {
		t.Errorf("far for some: %s, δ in %v", o.Verdict, o.Delta)
	}
}
