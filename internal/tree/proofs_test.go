// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMachineCheckedStatements: what docs/theorems.md calls machine-checked is a theorem of
// proofs/, nothing there is admitted, and the assumptions of each theorem are printed. Coq
// itself runs in `make proofs`.
func TestMachineCheckedStatements(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	source, printed := "", read("proofs/Assumptions.v")
	for _, name := range []string{"Profile.v", "Bounds.v", "Residues.v"} {
		source += read("proofs/" + name)
	}
	theorems := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^(Theorem|Corollary) ([A-Za-z_]+)`).FindAllStringSubmatch(source, -1) {
		theorems[m[2]] = true
		if !strings.Contains(printed, "Print Assumptions "+m[2]+".\n") {
			t.Errorf("proofs/Assumptions.v does not print what %s rests on", m[2])
		}
	}
	if len(theorems) < 28 {
		t.Errorf("%d theorems, want at least 28", len(theorems))
	}
	if m := regexp.MustCompile(`\b(Admitted|admit|Axiom|Parameter|Conjecture)\b`).FindString(source); m != "" {
		t.Errorf("proofs/ has %s", m)
	}
	named := 0
	for _, m := range regexp.MustCompile("(?m)^Machine-checked: (.*)$").FindAllStringSubmatch(read("docs/theorems.md"), -1) {
		for _, n := range regexp.MustCompile("`([A-Za-z_]+)`").FindAllStringSubmatch(m[1], -1) {
			named++
			if !theorems[n[1]] {
				t.Errorf("docs/theorems.md names %s, which proofs/ does not prove", n[1])
			}
		}
	}
	if named < 8 {
		t.Errorf("docs/theorems.md names %d machine-checked statements, want at least 8", named)
	}
}

// TestTheoryOfDocuments: what docs/checker.md and docs/definitions.md say is in a file of proofs/theory is there.
func TestTheoryOfDocuments(t *testing.T) {
	named := 0
	for _, name := range []string{"docs/checker.md", "docs/definitions.md", "docs/trust.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("((?:`[^`]+`[,; and*]*)+) \\(([A-Z][a-z]+\\.v(?:, [A-Z][a-z]+\\.v)*)\\)").FindAllStringSubmatch(string(data), -1) {
			text := ""
			for _, file := range strings.Split(m[2], ", ") {
				data, err := os.ReadFile("proofs/theory/" + file)
				if err != nil {
					data, err = os.ReadFile("proofs/" + file)
				}
				if err != nil {
					t.Error(err)
				}
				text += string(data)
			}
			for _, n := range regexp.MustCompile("`([A-Za-z_0-9]+)[^`]*`").FindAllStringSubmatch(m[1], -1) {
				named++
				if !regexp.MustCompile(`(?m)^\s*(Theorem|Lemma|Definition|Fixpoint|Inductive|Record|\|) ` + n[1] + `\b`).MatchString(text) {
					t.Errorf("%s names %s, which is not in %s", name, n[1], m[2])
				}
			}
		}
	}
	if named < 40 {
		t.Errorf("%d names only", named)
	}
}
