// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"strings"
	"testing"
	"time"

	"dpverify/internal/document"
)

// TestText: a claim is written as it was, its numbers digit by digit, and an alias as what it stands for.
func TestText(t *testing.T) {
	root, err := document.Parse([]byte("claims:\n- id: a\n  event: &e {p: ['0.5', 1/2], class_name: X}\n  claim: {epsilon: 1.10, delta: 1e-5}\n- {id: \"b\\\"\", event: *e, ok: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"id":"a","event":{"p":["0.5","1/2"],"class_name":"X"},"claim":{"epsilon":1.10,"delta":1e-5}}`,
		`{"id":"b\"","event":{"p":["0.5","1/2"],"class_name":"X"},"ok":true}`,
	}
	for i, claim := range field(root, "claims").Items {
		if got := string(claim.JSON()); got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
}

// TestSummary: what counts, and what fails.
func TestSummary(t *testing.T) {
	made := func(id string, change func(r *row)) row {
		r := row{id: id, verdict: "verified", bytes: 100, decide: 2 * time.Second, check: time.Second, accepted: true}
		change(&r)
		return r
	}
	good := func(*row) {}
	var rows []row
	for range 9 {
		rows = append(rows, made("good", good))
	}
	for _, test := range []struct {
		rows  []row
		line  string
		fails string
	}{
		{rows, "9 decided claims; 9 with accepted evidence; 9 of these", ""},
		{append(rows[:9:9], made("slow", func(r *row) { r.check = r.decide })), "Checked more slowly than decided: slow.", ""},
		{append(rows[:8:8], made("large", func(r *row) { r.bytes = maxSize + 1 })), "Too large: large.", "8 of 9"},
		{append(rows[:8:8], made("none", func(r *row) { r.accepted, r.bytes = false, 0 })), "No evidence: none.", "8 of 9"},
		{append(rows[:9:9], made("bad", func(r *row) { r.accepted, r.problem = false, "REJECTED bad" })), "10 decided claims; 9 with", "REJECTED bad"},
	} {
		var out strings.Builder
		err := summary(test.rows, &out)
		if !strings.Contains(out.String(), test.line) {
			t.Errorf("%s does not say %q", out.String(), test.line)
		}
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%q: error %v, want %q", test.line, err, test.fails)
		}
	}
}

// TestRests: what an accepted certificate rests on, by its sides and the classes of the claim.
func TestRests(t *testing.T) {
	for _, c := range [][3]string{
		{`{"verdict":"VERIFIED","chains":[{"direction":"remove"}]}`, `GaussianDpEvent`, "closed form"},
		{`{"verdict":"VERIFIED","chains":[{"grid":{}}]}`, `GaussianDpEvent`, "theorems 1–3"},
		{`{"verdict":"REFUTED","chains":[{"grid":{}}]}`, `GaussianDpEvent`, "theorem 4"},
		{`{"verdict":"VERIFIED","chains":[{"grid":{}}]}`, `PermuteAndFlipDpEvent`, "theorems 1–3, domination by noise"},
	} {
		if got := rests(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %q, want %q", c[0], got, c[2])
		}
	}
}
