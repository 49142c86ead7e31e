// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/exact"
)

// readBack returns the certificate of the one claim of a text, as it is read back.
func readBack(t *testing.T, text string) (Certificate, *certify.Claim) {
	t.Helper()
	cert, claim, err := Read("x.json", certificateOf(t, "version: 1\nclaims: ["+text+"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	return cert, claim
}

// Certificates of compositions of sampled Gaussians are recomputed by a method that they do
// not name, to more digits than they need; the certificates of what only one method knows, at another
// precision.
func TestCheckByAnotherMethod(t *testing.T) {
	const laplace = `event: {class_name: SelfComposedDpEvent, count: 30, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}}`
	const sgd = `event: {class_name: SelfComposedDpEvent, count: 1000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 256/60000, event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}}}`
	for _, c := range []struct{ name, claim, how string }{
		{"Gaussian, false", "{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.12}}", "precision: 128 bits and not 64, by gaussian"},
		{"Laplace", "{id: a, " + laplace + ", claim: {epsilon: 1, delta: 0.05}}", "methods: pld at 64 bits"},
		{"Laplace, false", "{id: a, " + laplace + ", claim: {epsilon: 1, delta: 0.01}}", "methods: pld at 64 bits"},
		{"sampled Gaussian", "{id: a, " + sgd + ", claim: {epsilon: 1.2, delta: 1e-5}}", "methods: pld at 64 bits"},
	} {
		if testing.Short() && c.name == "sampled Gaussian" {
			continue
		}
		cert, claim := readBack(t, c.claim)
		k, err := Verify(t.Context(), cert, claim, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if k.Verdict != Confirmed || k.How != c.how {
			t.Errorf("%s, by %v: %s (%s) by %q, want %s by %q", c.name, cert.Methods, k.Verdict, k.Reason, k.How, Confirmed, c.how)
		}
		if methods, ok := strings.CutPrefix(k.How, "methods: "); ok {
			for _, m := range regexp.MustCompile(`[a-z-]+`).FindAllString(methods, -1) {
				if slices.Contains(cert.Methods, m) {
					t.Errorf("%s: %s is no other method", c.name, m)
				}
			}
		}
	}
}

// What bounds some orientations only decides nothing.
func TestCheckBoundsAllOrientations(t *testing.T) {
	cert, claim := readBack(t, `{id: a, event: {class_name: SelfComposedDpEvent, count: 30, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}}, claim: {epsilon: 1, delta: 0.05}}`)
	q := cert.question(claim, claim.Statement.(certify.Point))
	products, _, err := exact.Orientations(q)
	if err != nil || len(products) != 1 {
		t.Fatalf("%v, %v", products, err)
	}
	x, names, err := otherMethods(t.Context(), cert, claim.Statement.(certify.Point), q, products, 0)
	if err != nil || x == nil {
		t.Fatalf("%v by %v, %v", x, names, err)
	}
	if x, names, err = otherMethods(t.Context(), cert, claim.Statement.(certify.Point), q, append(products, "another"), 0); err != nil || x != nil {
		t.Errorf("%v by %v, %v: an orientation is left out", x, names, err)
	}
}

// A certificate far from the truth may state δ as sharp as the effort gives it, or by the bound of little cost that
// decides; no less than either gives.
func TestCertificatesFarFromTheTruth(t *testing.T) {
	const text = "{id: a, event: {class_name: SelfComposedDpEvent, count: 1000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.02, event: {class_name: GaussianDpEvent, noise_multiplier: 2}}}, claim: {epsilon: 15, delta: 1e-5}}"
	cert, claim := readBack(t, text)
	o, err := certify.Decide(t.Context(), claim, certify.Options{Sharp: true})
	if err != nil {
		t.Fatal(err)
	}
	sharp, ok := New(o)
	if !ok || sharp.Delta.Lo == "0" || cert.Delta.Lo != "0" {
		t.Fatalf("δ in %v, and %v", cert.Delta, sharp.Delta)
	}
	below := cert
	below.Delta.Hi = sharp.Delta.Lo
	for _, c := range []struct {
		name string
		cert Certificate
		ok   bool
	}{{"as issued", cert, true}, {"sharp", sharp, true}, {"below the truth", below, false}} {
		if why, err := c.cert.repeat(t.Context(), claim); err != nil || (why == "") != c.ok {
			t.Errorf("%s: %q, %v", c.name, why, err)
		}
	}
}
