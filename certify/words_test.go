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
