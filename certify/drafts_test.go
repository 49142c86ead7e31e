// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"strings"
	"testing"
	"time"

	"dpverify/exact"
)

// TestDraftsOfDeltaComeFirst: a release whose least ε takes the first draft long has a draft of δ
// by Rényi divergences, which decides the claim, before that ε is searched for.
func TestDraftsOfDeltaComeFirst(t *testing.T) {
	cs, err := Read(t.Context(), strings.NewReader(`version: 1
claims:
- id: mixed
  event:
    class_name: ComposedDpEvent
    events:
    - {class_name: SelfComposedDpEvent, count: 2000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.01, event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}}}
    - {class_name: SelfComposedDpEvent, count: 30, event: {class_name: LaplaceDpEvent, noise_multiplier: 20}}
    - {class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 1e-7}
    - {class_name: SelfComposedDpEvent, count: 100, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.02, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}}
  claim: {epsilon: 6, delta: 1e-5}
`), "test", "")
	if err != nil {
		t.Fatal(err)
	}
	d := &drafts{q: asked(cs[0])}
	if err := d.make(t.Context(), exact.Instant); err != nil {
		t.Fatal(err)
	}
	if d.rung.delta == nil || d.searched != 0 {
		t.Errorf("the first draft: δ in %v, %d searches for ε", d.rung.delta, d.searched)
	}
	if err := d.make(t.Context(), exact.ByMoments); err != nil {
		t.Fatal(err)
	}
	if d.rung.verdict != Verified {
		t.Errorf("by moments: %v, δ in %v", d.rung.verdict, d.rung.delta)
	}
}

// TestDraftKeepsEpsilon: the least ε that a draft has found stays when the next one has a
// sharper δ.
func TestDraftKeepsEpsilon(t *testing.T) {
	cs, err := Read(t.Context(), strings.NewReader(`version: 1
claims:
- id: laplace
  event: {class_name: SelfComposedDpEvent, count: 1000, event: {class_name: LaplaceDpEvent, noise_multiplier: 50}}
  claim: {epsilon: 5, delta: 1e-5}
`), "test", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := &drafts{q: asked(cs[0])}
	if err := d.make(ctx, exact.Instant); err != nil {
		t.Fatal(err)
	}
	if err := d.search(ctx); err != nil || d.rung.epsilon == nil {
		t.Fatalf("ε in %v, %v", d.rung.epsilon, err)
	}
	if err := d.make(ctx, exact.ByMoments); err != nil {
		t.Fatal(err)
	}
	if d.rung.verdict != Verified || d.rung.epsilon == nil {
		t.Errorf("%v, ε in %v", d.rung.verdict, d.rung.epsilon)
	}
}

// asked is the question of a claim (ε, δ).
func asked(c *Claim) pointQuestion {
	q := pointQuestion{Point: c.Statement.(Point)}
	q.more, q.less = c.questions()
	return q
}
