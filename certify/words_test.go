// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"strings"
	"testing"

	"dpverify/certify/mended"
	"dpverify/internal/document"
)

// TestWords: a sentence names what was claimed and what is true, and never contradicts its verdict.
func TestWords(t *testing.T) {
	for _, c := range []struct{ event, claim, want string }{
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 4.38, delta: 1e-5}", "The claim is true. At δ = 1e-5 the least ε is between 4.377 and 4.378; the claim says 4.38."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 4.3771, delta: 1e-5}", "The claim is false. At δ = 1e-5 the least ε is between 4.37717 and 4.378; the claim says 4.3771. With four decimals it has to say ε = 4.3772 at δ = 1e-5, or with one digit δ = 2e-5 at ε = 4.3771."},
		{"{class_name: LaplaceDpEvent, noise_multiplier: 1/3}", "{epsilon: 3, delta: 0}", "The claim is true. At δ = 0 the least ε is 3; the claim says 3."},
		{"{class_name: NonPrivateDpEvent}", "{epsilon: 3, delta: 0.1}", "The claim is false. At δ = 0.1 no ε is enough; the claim says 3."},
		{"{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}", "{epsilon: 1, delta: 0}", "The claim is only stated: the mechanism is given by nothing but the guarantee that is claimed, so there was nothing to verify."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 0}", "{epsilon: 1, delta: 0}", "The claim cannot be read, and nothing was decided."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{rho: 0.6}", "The claim is true."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{quantity: tv, equals: 0.3829, tolerance: 1e-4}", "The claim is true. The total variation is between 0.3829 and 0.3830; the claim says total variation = 0.3829 ± 0.0001."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{quantity: delta, at: 1, upper: 0.12}", "The claim is false. δ(1) is between 0.1269 and 0.1270; the claim says δ(1) ≤ 0.12. With two decimals it has to say δ(1) = 0.13."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{mu: 1}", "The claim is true. The least μ is 1; the claim says μ(1e-12) ≤ 1."},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{renyi: [[2, 1], [4, 1.9]]}", "The claim is false. The Rényi divergence of order 4 is 2; the claim says at most 1.9. With one decimal it has to say R(4) = 2.0."},
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

// TestMended: a refuted claim is told the least number with its own digits that is true, and that number is true, and
// the one below it is not.
func TestMended(t *testing.T) {
	for _, c := range []struct{ event, claim, want string }{
		{"gaussian(1)", "{epsilon: 4.37, delta: 1e-5}", "With two decimals it has to say ε = 4.38 at δ = 1e-5, or with one digit δ = 2e-5 at ε = 4.37."},
		{"gaussian(1)", "{epsilon: 4.3, delta: 0.00001}", "With one decimal it has to say ε = 4.4 at δ = 0.00001, or with one digit δ = 2e-5 at ε = 4.3."},
		{"gaussian(1)", "{epsilon: 13/3, delta: 1.0e-5}", "With five digits it has to say ε = 4.3772 at δ = 1.0e-5, or with two digits δ = 1.3e-5 at ε = 13/3."},
		{"gaussian(1)", "{epsilon: 4, delta: 1e-5}", "With no decimals it has to say ε = 5 at δ = 1e-5, or with one digit δ = 5e-5 at ε = 4."},
		{"gaussian(1)", "{rho: 0.45}", "With two decimals it has to say ρ = 0.50."},
		{"laplace(1) * 3", "{rho: 0.5}", "With one decimal it has to say ρ = 1.2."},
		{"gaussian(1.3)", "{mu: 0.76}", "With two decimals it has to say μ(1e-12) = 0.77."},
		{"gaussian(1)", "{renyi: [[2, 1], [4, 1.9]]}", "With one decimal it has to say R(4) = 2.0."},
		{"{class_name: NonPrivateDpEvent}", "{epsilon: 3, delta: 0.1}", ""}, // δ = 1 says nothing
		{"gaussian(1)", "{epsilon: 4.38, delta: 1e-5}", ""},
		// The least ε decides, and δ is in [0, 3.7e-4].
		{"laplace(1e6) + laplace(0.7)", "{epsilon: 1.428572428571, delta: 0}", "With 12 decimals it has to say ε = 1.428572428572 at δ = 0."},
	} {
		cs, err := Parse("a.yaml", []byte("version: 1\nclaims:\n  - {id: a, event: \""+c.event+"\", claim: "+c.claim+"}\n"), nil)
		if strings.HasPrefix(c.event, "{") {
			cs, err = Parse("a.yaml", []byte("version: 1\nclaims:\n  - {id: a, event: "+c.event+", claim: "+c.claim+"}\n"), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(t.Context(), cs[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := mended.Sentence(o.Mended()); got != c.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.event, c.claim, got, c.want)
		}
	}
}

// TestRecounted: a claim that is true of ⌊n/batch⌋ steps an epoch and not of ⌈n/batch⌉ says so, unless it says how it
// counts.
func TestRecounted(t *testing.T) {
	for args, want := range map[string]string{
		"":              "with count=ceil, 3,525 steps of rate 8/1875, the claim is refuted",
		", count=floor": "",
	} {
		s := Single{Event: &document.Node{Kind: document.String, Text: "sgd(sigma=1.1, batch=256, n=60000, epochs=15" + args + ")"}, Epsilon: "1.134", Delta: "1e-5"}
		o, err := Decide(t.Context(), s.Claim(nil), Options{})
		if err != nil || o.Verdict != Verified {
			t.Fatal(o, err)
		}
		if got := strings.Join(o.Notes, "\n"); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// TestMendedOfWide: of parameters that are known in part, the number that is enough holds for all of them.
func TestMendedOfWide(t *testing.T) {
	cs, err := Parse("a.yaml", []byte("version: 1\nclaims: [{id: a, event: {class_name: LaplaceDpEvent, noise_multiplier: {lo: 0.25, hi: 0.5}}, claim: {epsilon: 1, delta: 0}}]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Decide(t.Context(), cs[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m := o.Mended(); len(m) == 0 || m[0].Least != "2" || m[0].Holds != "4" {
		t.Errorf("%+v, want ε = 2 or more, and 4 is enough", m)
	}
}

// TestMendedInBinary64: where a written number is read as a float64 that is on the other side of the truth, nothing is
// said of it: 0.3 is below 0.0001 + 0.2999, and is not enough; 0.1 is 0.1, and 0.2 is not needed.
func TestMendedInBinary64(t *testing.T) {
	two := func(a, b string) string {
		pure := func(x string) string { return "{class_name: EpsilonDeltaDpEvent, epsilon: " + x + ", delta: 0}" }
		return "{class_name: ComposedDpEvent, events: [" + pure(a) + ", " + pure(b) + "]}"
	}
	for _, c := range []struct{ event, claim, of, want string }{
		{two("0.0001", "0.2999"), "{epsilon: 0.1, delta: 0}", "ε", ""},
		{two("0.0001", "0.2999"), "{epsilon: 0.3, delta: 0}", "ε", ""},
		{two("0.0001", "0.2998"), "{epsilon: 0.1, delta: 0}", "ε", "0.3"},
		{"{class_name: ZCDpEvent, rho: 0.1}", "{rho: 0.05}", "ρ", ""},
		{"{class_name: ZCDpEvent, rho: 0.3}", "{rho: 0.05}", "ρ", "0.3"},
	} {
		cs, err := Parse("a.yaml", []byte("version: 1\nclaims: [{id: a, number_format: binary64, event: "+c.event+", claim: "+c.claim+"}]"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(t.Context(), cs[0], Options{})
		if err != nil || o.Verdict != Refuted {
			t.Fatalf("%s, %s: %v, %v", c.event, c.claim, o, err)
		}
		got := ""
		for _, n := range o.Mended() {
			if n.Of == c.of {
				got = n.Holds
			}
		}
		if got != c.want {
			t.Errorf("%s, %s: %s = %q is enough, want %q", c.event, c.claim, c.of, got, c.want)
		}
	}
}
