// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// TestWhereDecisionsEnd: a decision that more effort does not help ends before the top of
// the ladder.
func TestWhereDecisionsEnd(t *testing.T) {
	fixed := func(e exact.Effort) Options { return Options{Fixed: &e} }
	// R_2 of Laplace noise of scale 1 to more digits than 512 bits tell.
	q := exact.Question{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}
	r, err := exact.Renyi(q, renyi.At(big.NewRat(2, 1)), exact.Effort(5))
	if err != nil {
		t.Fatal(err)
	}
	_, near := r.Decimal(200)
	laplace := "event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {renyi: [[2, " + near + "]]}"
	for _, test := range []struct {
		name, claim string
		o           Options
		verdict     Verdict
		effort      exact.Effort
	}{
		{"not tight, and no longer shrinking", "event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.9, event: {class_name: ZCDpEvent, rho: 0.5}}, claim: {epsilon: 1, delta: 0.13}", Options{}, Undecided, 1},
		{"true and false, by interval parameters", "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 5}}, claim: {epsilon: 1, delta: 0.1}", Options{}, Undecided, 0},
		{"a divergence", laplace, Options{}, Undecided, 3},
		{"a divergence at an effort above the last one", laplace, fixed(4), Verified, 4},
		{"a divergence below what is known to attain a guarantee", "event: {class_name: ZCDpEvent, rho: 1}, claim: {renyi: [[2, 1.9]]}", Options{}, Refuted, 0},
		{"a fixed effort", gauss1 + ", claim: {epsilon: 1, delta: 0.2}", fixed(2), Verified, 2},
	} {
		o := decide(t, test.claim, test.o)
		if o.Verdict != test.verdict || o.Effort != test.effort {
			t.Errorf("%s: %s at effort %d (%s), want %s at %d", test.name, o.Verdict, o.Effort, o.Reason, test.verdict, test.effort)
		}
	}
}

// TestMoreRungsForDerivations: the digits of a derivation that is the least ε take up to two
// rungs more, none where the effort is fixed or nothing is above, and a rung that contradicts
// what decided the claim changes nothing.
func TestMoreRungsForDerivations(t *testing.T) {
	c := parse(t, "version: 1\nclaims: [{id: x, "+gauss1+", claim: {epsilon: 4.3772, delta: 1e-5}, derivation: exact}]")[0]
	span := func(lo, hi int64) *exact.Enclosure {
		return &exact.Enclosure{Interval: interval.Union(interval.Int(lo), interval.Int(hi))}
	}
	e := exact.Effort(0)
	for _, test := range []struct {
		name string
		out  Outcome
		o    Options
		want string // of the derived ε
	}{
		{"from the ground", Outcome{Epsilon: span(4, 5)}, Options{}, "[4.377, 4.378]"},
		{"from the top", Outcome{Epsilon: span(4, 5), Effort: exact.MaxEffort}, Options{}, "[4, 5]"},
		{"at a fixed effort", Outcome{Epsilon: span(4, 5)}, Options{Fixed: &e}, "[4, 5]"},
		{"against what decided the claim", Outcome{Epsilon: span(5, 6)}, Options{}, "[5, 6]"},
	} {
		out := test.out
		out.Claim, out.Derivation = c, &Derivation{Name: "exact"}
		if err := (decision{Outcome: &out, ctx: t.Context(), o: test.o}).deriveLeast(c.Statement.(Point)); err != nil {
			t.Fatal(err)
		}
		if lo, hi := out.Derivation.Epsilon.Decimal(4); fmt.Sprintf("[%s, %s]", lo, hi) != test.want {
			t.Errorf("%s: [%s, %s], want %s", test.name, lo, hi, test.want)
		}
	}
}

// TestQuestionsHaveTheMemory: whatever is asked about a claim, also for the digits of its
// derivation, has to fit into the memory allowed.
func TestQuestionsHaveTheMemory(t *testing.T) {
	c := parse(t, gaussClaim)[0]
	more, less := (decision{Outcome: &Outcome{Claim: c}, o: Options{MaxMemory: 7}}).questions()
	if more.MaxMemory != 7 || less.MaxMemory != 7 {
		t.Errorf("%d and %d bytes, want 7", more.MaxMemory, less.MaxMemory)
	}
}
