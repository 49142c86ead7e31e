// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shard

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dpverify/certify"
)

// manyClaims are n claims of two files, some malformed, and two of these without an id.
func manyClaims(t *testing.T, n int) []*certify.Claim {
	t.Helper()
	var all []*certify.Claim
	for _, file := range []string{"b.yaml", "a.yaml"} {
		text := "version: 1\nclaims:\n  - {event: {class_name: NoOpDpEvent}, claim: {epsilon: 0, delta: 0}}\n"
		for i := range n / 2 {
			text += fmt.Sprintf("  - {id: %s-%d, event: {class_name: LaplaceDpEvent, noise_multiplier: %d}, claim: {epsilon: 0.1, delta: 0}}\n", file[:1], i, i%20)
		}
		cs, err := certify.Parse(file, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cs...)
	}
	return all
}

// decided decides claims.
func decided(t *testing.T, claims []*certify.Claim) certify.Report {
	t.Helper()
	var outcomes []*certify.Outcome
	for _, c := range claims {
		o, err := certify.Decide(t.Context(), c, certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, o)
	}
	return certify.NewReport(outcomes)
}

// TestShardsAreAPartition: each claim is in exactly one shard, wherever it stands, and no shard is
// much larger than another.
func TestShardsAreAPartition(t *testing.T) {
	claims := manyClaims(t, 2000)
	for _, n := range []int{1, 2, 7} {
		total := 0
		for k := 1; k <= n; k++ {
			mine := Shard{k, n}.Select(claims)
			if len(mine) < 1000/n || len(mine) > 4000/n {
				t.Errorf("shard %d/%d has %d of %d claims", k, n, len(mine), len(claims))
			}
			total += len(mine)
			for _, c := range mine {
				moved := *c
				moved.Line++
				moved.File = "elsewhere.yaml"
				if c.ID != "" && !(Shard{k, n}).Has(&moved) {
					t.Errorf("%s leaves shard %d/%d when it moves", c.ID, k, n)
				}
			}
		}
		if total != len(claims) {
			t.Errorf("%d shards have %d of %d claims", n, total, len(claims))
		}
	}
	for _, bad := range []string{"", "1", "3/2", "1/0", "0/0", "-1/2", "1/2/3", "a/b", "1/x"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("the shard %q is taken", bad)
		}
	}
	if s, err := Parse("0/8"); err != nil || s != (Shard{8, 8}) {
		t.Errorf("0/8 is %v, %v", s, err)
	}
	if s, err := Parse("2/8"); err != nil || s != (Shard{2, 8}) {
		t.Errorf("2/8 is %v, %v", s, err)
	}
}

// TestMergedShardsAreOneRun: the reports of all shards, in any order and some of them twice, are
// together the report of one run, byte for byte.
func TestMergedShardsAreOneRun(t *testing.T) {
	claims := manyClaims(t, 100)
	want, err := decided(t, claims).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var parts []Part
	for _, k := range []int{3, 1, 2, 1} {
		data, err := decided(t, Shard{k, 3}.Select(claims)).JSON()
		if err != nil {
			t.Fatal(err)
		}
		r, err := certify.ReadReport("part.json", data)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, Part{fmt.Sprint(k), r})
	}
	merged, err := Merge(parts, claims)
	if err != nil {
		t.Fatal(err)
	}
	got, err := merged.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the merged report is not the report of one run")
	}
	// Without the claims the order is by files.
	sorted, err := Merge(parts, nil)
	if err != nil || len(sorted.Claims) != len(claims) || sorted.Claims[0].File != "a.yaml" {
		t.Errorf("%d claims, %v", len(sorted.Claims), err)
	}
	// What is lost, or said twice in different words, is an error.
	if _, err := Merge(parts[:2], claims); err == nil || !strings.Contains(err.Error(), "claims have no result") {
		t.Errorf("a lost shard: %v", err)
	}
	if _, err := Merge(parts, claims[1:]); err == nil || !strings.Contains(err.Error(), "1 results are of other claims: b.yaml:3") {
		t.Errorf("a result too many: %v", err)
	}
	other := parts[0]
	other.Name = "other"
	other.Claims = append([]certify.ClaimReport{}, other.Claims...)
	other.Claims[0].Verdict = certify.Undecided
	if _, err := Merge(append(parts, other), nil); err == nil || !strings.Contains(err.Error(), "3 and other say different things") {
		t.Errorf("two verdicts: %v", err)
	}
}

// TestMergeComparesTheClaims: a result is of its claim, in all that a result depends on, also where it is VERIFIED.
func TestMergeComparesTheClaims(t *testing.T) {
	const claim = "{id: a, %s event: {class_name: GaussianDpEvent, noise_multiplier: %s}, claim: {epsilon: 1, delta: 1e-5}}"
	read := func(more, sigma string) []*certify.Claim {
		claims, err := certify.Parse("c.yaml", fmt.Appendf(nil, "version: 1\nclaims: ["+claim+"]", more, sigma), nil)
		if err != nil {
			t.Fatal(err)
		}
		return claims
	}
	parts := []Part{{"1", decided(t, read("derivation: rdp-mironov, note: x,", "4"))}}
	if _, err := Merge(parts, read("note: y, derivation: rdp-mironov,", "4")); err != nil {
		t.Error(err)
	}
	for _, changed := range [][]*certify.Claim{
		read("derivation: rdp-mironov,", "0.1"), read("derivation: rdp-cks,", "4"), read("", "4"),
		read("derivation: rdp-mironov, orders: [2],", "4"), read("derivation: rdp-mironov, expect: verified,", "4"),
	} {
		if _, err := Merge(parts, changed); err == nil || err.Error() != "1 results are not of the claims as they are now: a" {
			t.Errorf("a result of another claim: %v", err)
		}
	}
}

// TestMergeChecksTheVerdict: a verdict that was changed by hand is not that of the enclosures beside it.
func TestMergeChecksTheVerdict(t *testing.T) {
	const gaussian = "event: {class_name: GaussianDpEvent, noise_multiplier: 1}"
	for claims, want := range map[string]string{
		"{epsilon: 4.38, delta: 1e-5}":                    "one that delta = [",
		"{epsilon: 4.37, delta: 1e-5}":                    "one that delta = [",
		"{epsilon: 4, delta: 0}":                          "one that delta = [",
		"{epsilon: -0.5, delta: 0.9}":                     "one that delta = [",
		"{quantity: tv, lower: 0.38}":                     "one that value = [",
		"{quantity: tv, upper: 0.38}":                     "one that value = [",
		"{quantity: tv, equals: 0.3829, tolerance: 1e-4}": "one that value = [",
		"{quantity: tv, equals: 0.5, tolerance: 0.1}":     "one that value = [",
		"{renyi: [[2, 1], [4, 2.1]]}":                     "one that renyi[0] = [",
		"{renyi: [[2, 1], [4, 1.9]]}":                     "one that renyi[1] = [",
	} {
		cs, err := certify.Parse("c.yaml", []byte("version: 1\nclaims: [{id: a, "+gaussian+", claim: "+claims+"}]"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := decided(t, cs)
		if _, err := Merge([]Part{{"1.json", r}}, cs); err != nil {
			t.Errorf("%s: %v", claims, err)
		}
		switch v := &r.Claims[0].Verdict; *v {
		case certify.Verified:
			*v = certify.Refuted
		case certify.Refuted:
			*v = certify.Verified
		default:
			t.Errorf("%s: %s", claims, *v)
		}
		_, err = Merge([]Part{{"1.json", r}}, cs)
		if err == nil || !strings.Contains(err.Error(), "1.json: claim a of c.yaml:2: verdict = "+string(r.Claims[0].Verdict)+", want "+want) {
			t.Errorf("%s: %v", claims, err)
		}
	}
}

// TestMergeTakesNoVerdictOfNothing: a verdict that no enclosure decides, or of a claim that has no meaning, is not taken.
func TestMergeTakesNoVerdictOfNothing(t *testing.T) {
	for claim, want := range map[string]string{
		"event: gaussian(1), claim: {epsilon: 4.38, delta: 1e-5}":                                       "one that takes no delta",
		"event: gaussian(1), claim: {quantity: tv, lower: 0.38}":                                        "one that takes no value",
		"event: gaussian(1), claim: {renyi: [[2, 1], [4, 2.1]]}":                                        "one that takes no renyi[0]",
		"event: gaussian(-1), claim: {epsilon: 4.38, delta: 1e-5}":                                      "malformed",
		"event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}, claim: {epsilon: 1, delta: 0}": "one that takes no delta",
	} {
		cs, err := certify.Parse("c.yaml", []byte("version: 1\nclaims: [{id: a, "+claim+"}]"), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := decided(t, cs)
		if _, err := Merge([]Part{{"1.json", r}}, cs); err != nil {
			t.Errorf("%s: %v", claim, err)
		}
		for _, v := range []certify.Verdict{certify.Verified, certify.Refuted} {
			made := r
			made.Claims = []certify.ClaimReport{r.Claims[0]}
			c := &made.Claims[0]
			c.Verdict, c.Delta, c.Epsilon, c.Value, c.Renyi = v, nil, nil, nil, nil
			if _, err = Merge([]Part{{"1.json", made}}, cs); err == nil || !strings.Contains(err.Error(), ", want "+want) {
				t.Errorf("%s, %s: %v", claim, v, err)
			}
		}
	}
}

// TestMergeChecksWhatIsExpected: the claims say which verdict is expected, not the results.
func TestMergeChecksWhatIsExpected(t *testing.T) {
	for _, expect := range []certify.Verdict{"", certify.Verified, certify.Refuted} {
		text := "version: 1\nclaims: [{id: a, event: gaussian(1), claim: {epsilon: 4.38, delta: 1e-9}}]"
		if expect != "" {
			text = strings.TrimSuffix(text, "}]") + ", expect: " + string(expect) + "}]"
		}
		cs, err := certify.Parse("c.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := decided(t, cs)
		if _, err := Merge([]Part{{"1.json", r}}, cs); err != nil {
			t.Errorf("%q: %v", expect, err)
		}
		other := certify.Undecided
		made := r
		made.Claims = []certify.ClaimReport{r.Claims[0]}
		made.Claims[0].Expect, made.Claims[0].AsExpected = &other, false
		if _, err = Merge([]Part{{"1.json", made}}, cs); err == nil || !strings.Contains(err.Error(), "as the claim has it") {
			t.Errorf("%q: %v", expect, err)
		}
	}
}
