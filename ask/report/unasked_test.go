// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/internal/testkit"
)

// TestUnasked: published numbers whose derivation is known from elsewhere are recognised, without being told, and what
// proves a claim or comes nearest to it is named.
func TestUnasked(t *testing.T) {
	const dpsgd = "{class_name: SelfComposedDpEvent, count: 14062, event: {class_name: PoissonSampledDpEvent, sampling_probability: 256/60000, event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}}}"
	const fifty = "{class_name: SelfComposedDpEvent, count: 50, event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 1e-8}}"
	const census = "{class_name: ZCDpEvent, rho: 2.56}"
	for _, test := range []struct {
		event, claim string
		verdict      certify.Verdict
		many         bool
		want, not    string
	}{
		{census, "{epsilon: 17.14, delta: 1e-10}", certify.Refuted, true, "none proves the claim; the nearest, zcdp-cks, proves ε = 17.1584", "comes from"},
		{census, "{epsilon: 17.5, delta: 1e-10}", certify.Verified, false, "proved by zcdp-cks (17.1584), rdp-cks (17.1584)", "comes from"},
		{dpsgd, "{epsilon: 3.01, delta: 1e-5}", certify.Verified, false, "comes from rdp-mironov (3.00828, rounded)", "none proves"},
		{dpsgd, "{epsilon: 2.324, delta: 1e-5}", certify.Refuted, false, "comes from gdp-clt (2.32427, rounded, no bound); none proves the claim; the nearest, rdp-cks, proves ε = 2.59656", "proved by"},
		{fifty, "{epsilon: 3.4, delta: 1e-6}", certify.Verified, false, "comes from kov (3.4)", "none proves"},
		{fifty, "{epsilon: 3.4, delta: 1e-6, derivation: kov}", certify.Verified, false, "", "derivations"},
		{census, "{epsilon: 17.14, delta: 1e-10}", certify.Undecided, false, "", "derivations"},
		{census, "{epsilon: 17.16, delta: 1e-10}", certify.Verified, true, "comes from zcdp-cks (17.1584, rounded)", "none proves"},
	}[:testkit.Cases(7, 8)] {
		stated := ""
		claim, _, found := strings.Cut(test.claim, ", derivation: ")
		if found {
			claim, stated = claim+"}", ", derivation: kov"
		}
		claims, err := certify.Read(t.Context(), strings.NewReader("{version: 1, claims: [{id: a, event: "+test.event+", claim: "+claim+stated+"}]}"), "claims.yaml", "")
		if err != nil {
			t.Fatal(err)
		}
		got := Unasked(t.Context(), claims[0], test.verdict, time.Hour, test.many)
		if !strings.Contains(got, test.want) || strings.Contains(got, test.not) || (got == "") != (test.want == "") {
			t.Errorf("%s %s: %q, want %q and not %q", test.event, test.claim, got, test.want, test.not)
		}
	}
}
