// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatementsForCoq: what is printed are the parts, directions and numbers of the claim; and nothing where the
// theory has no word for a part, or the event is dominated only.
func TestStatementsForCoq(t *testing.T) {
	const head = "From Coq Require Import List ZArith QArith.\nFrom Dpverify Require Import Part Claim.\n" +
		"Import ListNotations.\nLocal Open Scope Z_scope.\n\nDefinition statement : claim := {|\n  parts := ["
	const gaussian = "{class_name: GaussianDpEvent, noise_multiplier: 2}"
	sampled := func(event string) string {
		return "{class_name: PoissonSampledDpEvent, sampling_probability: 1/3, event: " + event + "}"
	}
	for _, c := range []struct{ name, event, more, want string }{
		{"gaussian", gaussian, "", "(Gaussian (1 # 4) (1 # 1), 1%N)];\n  directions := [Remove; Add]"},
		{"replace", gaussian, "relation: REPLACE_ONE", "(Gaussian (1 # 1) (1 # 1), 1%N)];\n  directions := [Remove; Add]"},
		{"sampled", sampled(gaussian), "direction: add", "(Gaussian (1 # 4) (1 # 3), 1%N)];\n  directions := [Add]"},
		{"sampled-replace", sampled(gaussian), "relation: REPLACE_ONE", ""},
		{"copies", "{class_name: SelfComposedDpEvent, count: 7, event: {class_name: LaplaceDpEvent, noise_multiplier: 2}}",
			"direction: remove", "(LaplaceNoise (1 # 2) (1 # 1), 7%N)];\n  directions := [Remove]"},
		{"two", "{class_name: ComposedDpEvent, events: [" + sampled("{class_name: LaplaceDpEvent, noise_multiplier: 4}") + ", " +
			"{class_name: DiscreteLaplaceDpEvent, noise_parameter: 0.5, sensitivity: 3}]}", "",
			"(LaplaceNoise (1 # 4) (1 # 3), 1%N); (discrete_laplace (1 # 2) 3, 1%N)];\n  directions := [Remove; Add]"},
		{"guarantee", "{class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 0.01}", "",
			"(guarantee (1 # 10) (1 # 100), 1%N)];\n  directions := [Remove; Add]"},
		{"finite", "{class_name: FinitePairEvent, p: [0.5, 0.5, 0], q: [0.25, 0, 0.75]}", "",
			"(Finite [([((1 # 2), 0%Q)], [((1 # 4), 0%Q)]); ([((1 # 2), 0%Q)], nil); (nil, [((3 # 4), 0%Q)])], 1%N)];\n" +
				"  directions := [Remove; Add]"},
		{"sampled-guarantee", sampled("{class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 0.01}"), "",
			"(sample (1 # 3) false (guarantee (1 # 10) (1 # 100)), 1%N)];\n  directions := [Remove; Add]"},
		{"bounded", "{class_name: PermuteAndFlipDpEvent, epsilon: 1}", "", ""},
		{"clamped", "{class_name: ClampedLaplaceEvent, location: 3, scale: 2, shift: 1, order: clamp-then-shift}", "",
			"(ClampedLaplace (1 # 2) (3 # 2) false, 1%N)];\n  directions := [Remove; Add]"},
		{"clamped-before", "{class_name: ClampedLaplaceEvent, location: -3, scale: 2, shift: 1, order: shift-then-clamp}", "",
			"(ClampedLaplace (1 # 2) (-3 # 2) true, 1%N)];\n  directions := [Remove; Add]"},
		{"mixture", "{class_name: MixtureOfGaussiansDpEvent, standard_deviation: 1, sensitivities: [1, 2], " +
			"sampling_probs: [0.5, 0.5]}", "", ""},
		{"unknown", "{class_name: UnsupportedDpEvent}", "", ""},
		{"discrete", "{class_name: DiscreteGaussianDpEvent, sigma: 2, sensitivity: 3, dimension: 1}", "",
			"(DiscreteGaussian (4 # 1) 3, 1%N)];\n  directions := [Remove; Add]"},
		{"sampled-twice", sampled(sampled(gaussian)), "direction: add", "(Gaussian (1 # 4) (1 # 9), 1%N)];\n  directions := [Add]"},
		{"sampled-discrete", sampled("{class_name: DiscreteGaussianDpEvent, sigma: 2, dimension: 1}"), "", ""},
		{"attained-vector", "{class_name: DiscreteGaussianDpEvent, sigma: 2, sensitivity: 2}", "", ""},
		{"attained-subset", "{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 3, sample_size: 2, event: " + gaussian + "}",
			"relation: REPLACE_ONE", ""},
		{"attained-promise", "{class_name: ZCDpEvent, rho: 1}", "", ""},
	} {
		file := filepath.Join(t.TempDir(), "claims.yaml")
		text := "version: 1\nclaims:\n- id: another\n  event: " + gaussian + "\n  claim: {epsilon: 1, delta: 0}\n" +
			"- id: " + c.name + "\n  event: " + c.event + "\n  claim: {epsilon: 1/2, delta: 1e-3}\n"
		if c.more != "" {
			text += "  " + c.more + "\n"
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		status := program([]string{"-coq", c.name, file}, &stdout, &stderr)
		want := ""
		if c.want != "" {
			want = head + c.want + ";\n  eps := (1 # 2); delta := (1 # 1000) |}.\n"
		}
		if stdout.String() != want || (status == 0) != (want != "") || (stderr.Len() == 0) != (want != "") {
			t.Errorf("%s: %d, %s%s, want %q", c.name, status, stdout.String(), stderr.String(), want)
		}
		if status := program([]string{"-coq", "nobody", file}, &stdout, &stderr); status != 2 ||
			!strings.Contains(stderr.String(), `no claim "nobody"`) {
			t.Errorf("an id that no claim has: %d, %s", status, stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	if program([]string{"-coq", "x", "testdata/nothing.yaml"}, &stdout, &stderr) != 2 || stdout.Len() > 0 || stderr.Len() == 0 {
		t.Errorf("no file: %s%s", stdout.String(), stderr.String())
	}
}
