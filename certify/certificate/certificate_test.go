// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/internal/testkit"
)

// certificateOf decides the only claim of a file and returns its certificate as JSON.
func certificateOf(t *testing.T, src string) []byte {
	t.Helper()
	claims, err := certify.Parse("claims.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := certify.Decide(context.Background(), claims[0], certify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := New(o)
	if !ok {
		t.Fatalf("no certificate: %s, %v", o.Verdict, o.Err)
	}
	data, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCertificateOfFraction: where δ is exactly the claimed 1/3, of which no decimal is,
// the certificate still decides the claim, and is confirmed.
func TestCertificateOfFraction(t *testing.T) {
	for _, eps := range []string{"0", "5"} {
		data := certificateOf(t, `{"version": 1, "claims": [{"id": "third", "event": {"class_name": "FinitePairEvent", "p": ["1/3", "2/3"], "q": [0, 1]},
			"claim": {"epsilon": `+eps+`, "delta": "1/3"}}]}`)
		cert, claim, err := Read("third.json", data)
		if err != nil {
			t.Errorf("ε = %s: %v", eps, err)
			continue
		}
		if cert.Verdict != certify.Verified {
			t.Errorf("ε = %s: %s, want verified", eps, cert.Verdict)
		}
		k, err := Verify(context.Background(), cert, claim, time.Minute)
		if err != nil || k.Verdict != Confirmed {
			t.Errorf("ε = %s: %s (%s), %v, want confirmed", eps, k.Verdict, k.Reason, err)
		}
	}
}

// TestCertificateCorners: a refutation rests on the more private event alone, so that one
// which is not a corner of the certified event says nothing about it.
func TestCertificateCorners(t *testing.T) {
	testkit.SkipShort(t)
	data := certificateOf(t, `{"version": 1, "claims": [{"id": "g",
		"event": {"class_name": "SelfComposedDpEvent", "count": 2, "event": {"class_name": "PoissonSampledDpEvent", "sampling_probability": {"lo": 0.5, "hi": 0.6},
			"event": {"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1.1, "hi": 1.2}}}},
		"claim": {"epsilon": 1, "delta": 1e-5}}]}`)
	if _, _, err := Read("g.json", data); err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"noise_multiplier": "1.1"`, `"noise_multiplier": "1000"`}, // the certified event is the more private one
		{`"noise_multiplier": "1.2"`, `"noise_multiplier": "0.05"`},
		{`"sampling_probability": "0.5"`, `"sampling_probability": "0.7"`},
		{`"count": "2"`, `"count": "1"`}, // no trend is proved for it
	} {
		if !bytes.Contains(data, []byte(edit[0])) {
			edit[0], edit[1] = strings.ReplaceAll(edit[0], `"2"`, "2"), strings.ReplaceAll(edit[1], `"1"`, "1")
		}
		forged := rehash(t, bytes.Replace(data, []byte(edit[0]), []byte(edit[1]), 1))
		if bytes.Equal(forged, data) {
			t.Fatalf("no %s in %s", edit[0], data)
		}
		if _, _, err := Read("g.json", forged); err == nil || !strings.Contains(err.Error(), "corners") {
			t.Errorf("%s → %s: %v, want an error about the corners", edit[0], edit[1], err)
		}
	}
}

// TestCertificateCornersExchanged: nor is a corner that is less private.
func TestCertificateCornersExchanged(t *testing.T) {
	data := certificateOf(t, `{"version": 1, "claims": [{"id": "g", "event": {"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 0.1, "hi": 0.2}},
		"claim": {"epsilon": 1, "delta": 1e-5}}]}`)
	forged := rehash(t, bytes.Replace(data, []byte(`"0.1"`), []byte(`"1000"`), 1))
	if _, _, err := Read("g.json", forged); err == nil || !strings.Contains(err.Error(), "corners") {
		t.Errorf("%v, want an error about the corners", err)
	}
}

// rehash states the SHA-256 of the question as it is.
func rehash(t *testing.T, data []byte) []byte {
	t.Helper()
	var c Certificate
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	c.SHA256 = c.digest()
	out, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
