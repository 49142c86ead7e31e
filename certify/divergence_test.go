// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestClaimsAboutDivergences: {rho} and {renyi} are decided.
func TestClaimsAboutDivergences(t *testing.T) {
	const gauss = "{class_name: GaussianDpEvent, noise_multiplier: 2}"
	dpsgd := sampledGaussian(100, "0.01", "1")
	for _, test := range []struct {
		event, claim, more string
		want               Verdict
		says               string // in the notes or the reason
	}{
		{gauss, "{rho: 0.125}", "", Verified, ""},
		{gauss, "{rho: 0.12499}", "", Refuted, "the divergence tends to at least 0.125 where the order tends to 1, more than ρ = 0.12499"},
		{gauss, "{rho: 0.499}", ", relation: REPLACE_ONE", Refuted, ""},
		{gauss, "{rho: 0.5}", ", relation: REPLACE_ONE", Verified, ""},
		{dpsgd, "{rho: 50}", "", Verified, ""},
		{dpsgd, "{rho: 49}", "", Refuted, "the divergence of order "},
		{"{class_name: LaplaceDpEvent, noise_multiplier: 1}", "{rho: 0.5}", "", Verified, ""},
		{guarantees(2, "1", "1e-9"), "{rho: 10}", "", Refuted, "some mechanism with it violates"},
		{guarantees(1, "1", "0"), "{rho: 0.4622}", "", Verified, ""},
		{"{class_name: ZCDpEvent, rho: 0.3}", "{rho: 0.3}", "", Verified, ""},
		{"{class_name: ZCDpEvent, rho: 0.3, xi: 0.1}", "{rho: 0.4}", "", Verified, ""},
		{"{class_name: ZCDpEvent, rho: 0.3, xi: 0.1}", "{rho: 0.399}", "", Undecided, gapReason},
		{"{class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 2}}", "{rho: 0.25}", "", Undecided, splitReason},
		{gauss, "{renyi: [[2, 0.25], [4, 0.5]]}", "", Verified, ""},
		{gauss, "{renyi: [[2, 0.25], [4, 0.4999999999999999999999999999]]}", "", Refuted, "the divergence of order 4 exceeds"},
		{dpsgd, "{renyi: [[1.5, 0.0136], [64, 1400]]}", "", Refuted, "order 64"},
		{dpsgd, "{renyi: [[1.5, 0.0137], [64, 3200]]}", "", Verified, ""},
		{"{class_name: RenyiCurveEvent, orders: [2, 4], values: [0.1, 0.3]}", "{renyi: [[3, 0.3]]}", "", Verified, ""},
		{"{class_name: RenyiCurveEvent, orders: [2, 4], values: [0.1, 0.3]}", "{renyi: [[3, 0.2]]}", "", Undecided, gapReason},
		{"{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 100, sample_size: 10, event: {class_name: DiscreteGaussianDpEvent, sigma: 1}}", "{renyi: [[2, 0.02]]}", ", relation: REPLACE_ONE", Undecided, "the claim lies between what is proved"},
		{"{class_name: RandomizedResponseDpEvent, noise_parameter: 0.5, num_buckets: 2}", "{rho: 1}", "", Malformed, ""},
	} {
		name := test.claim + " about " + test.event
		if test.event == dpsgd && strings.Contains(test.claim, "rho") && os.Getenv("DPVERIFY_LONG") == "" {
			continue // exact/renyi.TestConcentrated asks for fewer steps of such an event
		}
		c := parse(t, fmt.Sprintf("version: 1\nclaims:\n  - {id: a, event: %s, claim: %s%s}\n", test.event, test.claim, test.more))[0]
		out, err := Truth(t.Context(), c, Options{}) // of guarantees too, that repeat the claim
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if out.Verdict != test.want || !strings.Contains(strings.Join(out.Notes, " ")+out.Reason, test.says) {
			t.Errorf("%s is %s (%s %s), want %s (%s)", name, out.Verdict, out.Reason, out.Notes, test.want, test.says)
		}
		if s, ok := c.Statement.(Renyi); ok && len(out.Renyi) != len(s.Points) {
			t.Errorf("%s: %d divergences", name, len(out.Renyi))
		}
	}
}
