// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"strings"
	"testing"

	"dpverify/internal/document"
)

// TestSingleIsTheClaimOfAFile: a claim without a file is decided as the same one in a file.
func TestSingleIsTheClaimOfAFile(t *testing.T) {
	event, err := document.Parse([]byte(`{class_name: GaussianDpEvent, noise_multiplier: 1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		epsilon string
		want    Verdict
	}{{"4.38", Verified}, {"4.37", Refuted}, {"-1", Refuted}} {
		c := Single{Event: event, Epsilon: test.epsilon, Delta: "1e-5", Relation: "REPLACE_SPECIAL", Binary64: true}.Claim(nil)
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		o, err := Decide(t.Context(), c, Options{})
		if err != nil || o.Verdict != test.want {
			t.Errorf("ε = %s: %s, %v, want %s", test.epsilon, o.Verdict, err, test.want)
		}
	}
	bad := Single{Event: event, Epsilon: "x", Delta: "2", Relation: "ODD"}.Claim(nil)
	for _, want := range []string{`claim.epsilon = "x", want`, `relation = "ODD", want`} {
		if bad.Err == nil || !strings.Contains(bad.Err.Error(), want) {
			t.Errorf("%v, want … %s", bad.Err, want)
		}
	}
}

// TestAllErrorsOfAClaim: each part of a claim says what is wrong with it.
func TestAllErrorsOfAClaim(t *testing.T) {
	cs, err := Parse("a.yaml", []byte(`version: 1
claims:
  - id: a
    colour: red
    relation: SOMETIMES
    event: {class_name: GaussianDpEvent, sigma: 1}
    claim: {epsilon: -x, delta: 1e-5}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(cs[0].Err.Error()) {
		lines = append(lines, strings.TrimSpace(line))
	}
	want := []string{
		`a.yaml:4: claim a: unknown field "colour", want one of id,`,
		`a.yaml:5: claim a: relation = "SOMETIMES", want`,
		`a.yaml:6: claim a: mechanism: GaussianDpEvent: unknown field "sigma", want noise_multiplier, noise_variance; perhaps noise_multiplier`,
		`a.yaml:7: claim a: claim.epsilon = "-x", want a number`,
	}
	if len(lines) != len(want) {
		t.Fatalf("%d errors:\n%s", len(lines), cs[0].Err)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], w) {
			t.Errorf("error %d: %s, want %s", i+1, lines[i], w)
		}
	}
}
