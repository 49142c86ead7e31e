// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestCounted: comments and blank lines are no code, a line that is broken is one more line of code and no more tokens.
func TestCounted(t *testing.T) {
	for text, want := range map[string]count{
		"package a\n":                                 {1, 1, 1, 2},
		"// A comment.\n\npackage a // b\n":           {1, 3, 1, 2},
		"package a\n\nvar x = f(1, 2)\n":              {1, 3, 2, 11},
		"package a\n\nvar x = f(1,\n\t2)\n":           {1, 4, 3, 11},
		"package a\n\nconst x = `a\nb\n`\n/* c\nd */": {1, 6, 4, 6},
	} {
		if got := counted([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestFunctionsAreThere: what is counted apart is a package, and is said to do something.
func TestFunctionsAreThere(t *testing.T) {
	for line := range strings.Lines(functions) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if _, err := os.Stat("../../" + name); err != nil || what == "" {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestFormIsThere: what is counted by its form is a commit since then, and stands once in the list.
func TestFormIsThere(t *testing.T) {
	if err := exec.Command("git", "cat-file", "-e", thirdReading+"^{commit}").Run(); err != nil {
		t.Skipf("a clone without the commits that form.txt names, which git fetch --unshallow brings: %v", err)
	}
	out, err := exec.Command("git", "log", "--format=%s", thirdReading+"..").Output()
	if err != nil {
		t.Fatal(err)
	}
	since := strings.Split(string(out), "\n")
	seen := make(map[string]bool)
	for line := range strings.Lines(form) {
		subject := strings.TrimSpace(line)
		if !slices.Contains(since, subject) || seen[subject] {
			t.Errorf("%q is no commit, or stands twice", subject)
		}
		seen[subject] = true
	}
}
