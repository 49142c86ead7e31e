// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import "testing"

// TestWords: a sentence names what was claimed and what is true, and never contradicts its verdict.
func TestWords(t *testing.T) {
	for _, c := range []struct{ event, claim, want string }{
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 4.38, delta: 1e-5}", "The claim is true. At δ = 1e-5 the least ε is between 4.377 and 4.378; the claim says 4.38."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 4.3771, delta: 1e-5}", "The claim is false. At δ = 1e-5 the least ε is between 4.37717 and 4.378; the claim says 4.3771."},
		{"{class_name: LaplaceDpEvent, noise_multiplier: 1/3}", "{epsilon: 3, delta: 0}", "The claim is true. At δ = 0 the least ε is 3; the claim says 3."},
		{"{class_name: NonPrivateDpEvent}", "{epsilon: 3, delta: 0.1}", "The claim is false. At δ = 0.1 no ε is enough; the claim says 3."},
		{"{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}", "{epsilon: 1, delta: 0}", "The claim is only stated: the mechanism is given by nothing but the guarantee that is claimed, so there was nothing to verify."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 0}", "{epsilon: 1, delta: 0}", "The claim cannot be read, and nothing was decided."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{rho: 0.6}", "The claim is true."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{quantity: tv, equals: 0.3829, tolerance: 1e-4}", "The claim is true. The total variation is between 0.3829 and 0.3830; the claim says total variation = 0.3829 ± 0.0001."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{quantity: delta, at: 1, upper: 0.12}", "The claim is false. δ(1) is between 0.1269 and 0.1270; the claim says δ(1) ≤ 0.12."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{mu: 1}", "The claim is true. The least μ is 1; the claim says μ(1e-12) ≤ 1."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{renyi: [[2, 1], [4, 1.9]]}", "The claim is false. The Rényi divergence of order 4 is 2; the claim says at most 1.9."},
	} {
		cs, err := Parse("a.yaml", []byte("version: 1\nclaims:\n  - {id: a, event: "+c.event+", claim: "+c.claim+"}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(t.Context(), cs[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Words(); got != c.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.event, c.claim, got, c.want)
		}
	}
}
