// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/internal/testkit"
)

// write decides claims of a file, one of so many, and writes their evidence. It returns the lines that a checker
// should print, and how many of the claims have no evidence.
func write(t *testing.T, file, dir string, oneOf int) (want string, without int) {
	t.Helper()
	claims, err := certify.ReadFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	accepted := 0
	for i, c := range claims {
		if i%oneOf > 0 {
			fmt.Fprintf(&lines, "NONE %s\n", c.ID)
			continue
		}
		o, err := certify.Decide(context.Background(), c, certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := evidence.New(context.Background(), o)
		switch {
		case errors.Is(err, evidence.ErrNone):
			without++
			fmt.Fprintf(&lines, "NONE %s\n", c.ID)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if len(data) > 200_000 {
			t.Errorf("%s: %d bytes, want at most 200000", c.ID, len(data))
		}
		if err := os.WriteFile(filepath.Join(dir, evidence.FileName(c.ID)), data, 0o666); err != nil {
			t.Fatal(err)
		}
		accepted++
		fmt.Fprintf(&lines, "ACCEPTED %s %s\n", c.ID, strings.ToUpper(string(o.Verdict)))
	}
	return lines.String() + fmt.Sprintf("%d ACCEPTED, 0 REJECTED, %d NONE\n", accepted, len(claims)-accepted), without
}

// TestEvidenceIsAccepted by the checker, for every eighth claim of its own tests and, with
// DPVERIFY_LONG, for all of them and all published ones.
func TestEvidenceIsAccepted(t *testing.T) {
	checker := evidence.BuildChecker(t)
	files, oneOf := []string{"../../checker/testdata/claims.yaml"}, 64/testkit.Draws(4, 8, 8)
	if os.Getenv("DPVERIFY_LONG") != "" {
		published, err := filepath.Glob("../../testdata/golden/published/*.yaml")
		if err != nil || len(published) == 0 {
			t.Fatal(err, "no published claims")
		}
		files, oneOf = append(files, published...), 1
	}
	for _, file := range files {
		dir := t.TempDir()
		want, without := write(t, file, dir, oneOf)
		out, err := exec.Command(checker, file, dir).Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v, got\n%swant\n%s", file, err, out, want)
		}
		if file == files[0] && without > 0 {
			t.Errorf("a claim of %s has no evidence:\n%s", file, want)
		}
	}
}

// TestNone: claims that have no form of evidence, and none that would be rejected. Those that take seconds are last.
func TestNone(t *testing.T) {
	for _, claim := range testkit.First(testkit.Draws(5, 10, 10),
		`{id: a, event: {class_name: ZCDpEvent, rho: 0.1}, claim: {epsilon: 3, delta: 1e-5}}`,
		`{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {rho: 0.5}}`,
		`{id: a, event: {class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.816, 0.184]}, claim: {rho: 0.2604}}`,
		`{id: a, event: {class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.5, 0.5]}, claim: {renyi: [[2, 0]]}}`,
		`{id: a, event: {class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.816, 0.184]}, claim: {renyi: [[1000000000000000, 2]]}}`,
		`{id: a, relation: REPLACE_SPECIAL, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}}, claim: {renyi: [[2, 9]]}}`,
		`{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 1.1}}, claim: {epsilon: 3, delta: 0.1}}`,
		`{id: a, relation: REPLACE_ONE, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}, claim: {epsilon: 3, delta: 0.1}}`,
		`{id: a, event: {class_name: PermuteAndFlipDpEvent, epsilon: 1}, claim: {epsilon: 0.5, delta: 0.001}}`,
		`{id: a, event: {class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 100, sampling_probability: 0.1, truncated_batch_size: 12, noise_multiplier: 1}, claim: {epsilon: 0, delta: 1e-6}}`,
		`{id: a, event: {class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 100, sampling_probability: 0.1, truncated_batch_size: 12, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.003}}`,
		`{id: a, event: {class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 100, sampling_probability: 0.1, truncated_batch_size: 8, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.1}}`,
	) {
		claims, err := certify.Parse("claims.yaml", []byte("version: 1\nclaims: ["+claim+"]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := certify.Decide(context.Background(), claims[0], certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := evidence.New(context.Background(), o); !errors.Is(err, evidence.ErrNone) {
			t.Errorf("%s: %s, %v, want no evidence", claim, data, err)
		}
	}
}

func TestFileNames(t *testing.T) {
	for id, want := range map[string]string{"dp-SGD_1": "dp-SGD_1", "a/b c": "a%2fb%20c", "é\xff": "%c3%a9%ff", strings.Repeat("x", 300): strings.Repeat("x", 100), strings.Repeat("/", 50): strings.Repeat("%2f", 33) + "%"} {
		if got := evidence.FileName(id); got != want+".evidence" {
			t.Errorf("%q is in %s, want %s.evidence", id, got, want)
		}
	}
}

// TestDistinct: ids whose files would be the same are found, also in two files of claims and where names are cut; a
// malformed claim has no file.
func TestDistinct(t *testing.T) {
	claim := func(file, id string) *certify.Claim { return &certify.Claim{File: file, Line: 1, ID: id} }
	long := strings.Repeat("x", 100)
	malformed := claim("b", "a")
	malformed.Err = errors.New("malformed")
	for _, c := range []struct {
		claims []*certify.Claim
		name   func(string) string
		ok     bool
	}{
		{[]*certify.Claim{claim("a", "a"), claim("a", "b"), claim("a", ""), claim("b", ""), malformed}, evidence.FileName, true},
		{[]*certify.Claim{claim("a", "a"), claim("b", "a")}, evidence.FileName, false},
		{[]*certify.Claim{claim("a", "a"), claim("b", "a")}, evidence.CoqName, false},
		{[]*certify.Claim{claim("a", long+"1"), claim("a", long+"2")}, evidence.FileName, false},
		{[]*certify.Claim{claim("a", long+"1"), claim("a", long+"2"), claim("a", "a-b"), claim("a", "a_b")}, evidence.CoqName, true},
	} {
		if err := evidence.Distinct(c.claims, c.name); (err == nil) != c.ok {
			t.Errorf("%v, want none: %v", err, c.ok)
		}
	}
}

// TestNoCoq: claims of which coqc would not accept a file have none:
// numbers of many thousand digits are more than its stack holds, and shifts below what binary64 holds are 0 to
// interval.
func TestNoCoq(t *testing.T) {
	for claim, want := range map[string]bool{
		`{id: a, event: {class_name: SelfComposedDpEvent, count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}, claim: {epsilon: 1, delta: 0.9}}`:   true,
		`{id: a, event: {class_name: SelfComposedDpEvent, count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}, claim: {epsilon: -1, delta: 0.99}}`: true,
		`{id: a, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 1e-2000}}`:                                                   true,
		`{id: a, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 1e-3000}}`:                                                   false,
		`{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1e300}, claim: {epsilon: -1, delta: 0.9}}`:                                                 false,
	} {
		claims, err := certify.Parse("claims.yaml", []byte("version: 1\nclaims: ["+claim+"]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := certify.Decide(t.Context(), claims[0], certify.Options{})
		if err != nil || o.Verdict != certify.Verified {
			t.Fatal(o, err)
		}
		if _, err := evidence.Coq(t.Context(), o); (err == nil) != want || err != nil && !errors.Is(err, evidence.ErrNone) {
			t.Errorf("%s: %v, want a file: %v", claim, err, want)
		}
	}
}

// TestManyCopiesAreOnAGrid: compositions of finite pairs that would take long to write out, and those whose losses are
// on one, with the step of these; the grid decides claims that differ in the fourteenth digit of δ.
func TestManyCopiesAreOnAGrid(t *testing.T) {
	for _, c := range []struct {
		numbers string
		grid    string
	}{
		{"count: 1, epsilon: 0.1, delta: 0}}, claim: {epsilon: 0.05, delta: 1e-1", ""},
		{"count: 100, epsilon: 0.1, delta: 0}}, claim: {epsilon: 6, delta: 1e-3", `"step":"1/10","leaves":[{"levels":0,"index":[-1,1],`},
		{"count: 100, epsilon: 0.1, delta: 1e-8}}, claim: {epsilon: 6.9696187, delta: 1e-6",
			`"bits":114,"step":"1/10","leaves":[{"levels":0,"index":[171,1,-1,-171],"part":[0,0,0,0]}]`},
		{"count: 20000, epsilon: 0.01, delta: 0}}, claim: {epsilon: 7, delta: 1e-3", `"levels":8`},
	} {
		numbers := strings.Replace(c.numbers, "epsilon", "event: {class_name: EpsilonDeltaDpEvent, epsilon", 1)
		claims, err := certify.Parse("claims.yaml", []byte("version: 1\nclaims: [{id: a, event: {class_name: SelfComposedDpEvent, "+numbers+"}}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := certify.Decide(context.Background(), claims[0], certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := evidence.New(context.Background(), o)
		if err != nil || strings.Contains(string(data), `"grid"`) != (c.grid != "") || !strings.Contains(string(data), c.grid) {
			t.Errorf("%s: %s, %v, want a grid with %s", c.numbers, data, err, c.grid)
		}
	}
}
