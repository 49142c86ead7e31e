// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// An accepted verdict that is wrong is an error which names the mutant and the claim.
func TestDeceptionsAreReported(t *testing.T) {
	var out bytes.Buffer
	err := reportDeceptions(&out, []deception{
		{Mutant: Mutant{Name: "one"}, wrong: []string{"a", "b"}, evidence: 1},
		{Mutant: Mutant{Name: "two"}, broken: "does not compile"},
		{Mutant: Mutant{Name: "three"}},
	})
	if want := "3 mutants, 1 without verdicts; 1 change 2 verdicts, 1 with evidence, of which 0 are accepted\n"; err != nil || out.String() != want {
		t.Errorf("%q and %v, want %q", out.String(), err, want)
	}
	err = reportDeceptions(io.Discard, []deception{{Mutant: Mutant{Name: "four"}, wrong: []string{"a"}, evidence: 1, accepted: []string{"a"}}})
	if err == nil || !strings.Contains(err.Error(), "four: the checker accepts a wrong verdict on a") {
		t.Errorf("%v, want an error", err)
	}
}

// The claims are decided by a mutant that changes verdicts, and no evidence for these is accepted.
func TestDeceive(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("builds mutants, which takes minutes: make long runs it")
	}
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	var ms []Mutant
	for _, m := range all {
		if m.Name == "gaussian-swapped" {
			ms = append(ms, m)
		}
	}
	var out bytes.Buffer
	if err := deceive(t.Context(), "../..", ms, 0, &out, io.Discard); err != nil || !strings.Contains(out.String(), "1 mutants, 0 without verdicts; 1 change ") {
		t.Errorf("%v, %s", err, out.String())
	}
}
