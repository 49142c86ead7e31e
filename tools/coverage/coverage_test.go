// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListIsOfThisVersion: every entry of docs/coverage.md is a line of a function that
// exists, under a reason. Whether it is covered, `make coverage` says.
func TestListIsOfThisVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", "docs", "coverage.md"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := parseList(string(text))
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]map[place]bool)
	n := 0
	for _, s := range l.sections {
		if s.reason == "" || s.title == open {
			t.Errorf("%q has no reason", s.title)
		}
		for p := range s.entries {
			n++
			file, _, _ := strings.Cut(string(p), ": ")
			if sources[file] == nil {
				src, err := readSource("../..", file)
				if err != nil {
					t.Errorf("%s: %v", p, err)
					sources[file] = map[place]bool{}
					continue
				}
				sources[file] = src.places()
			}
			if !sources[file][p] {
				t.Errorf("%s: there is no such line", p)
			}
		}
	}
	if n == 0 {
		t.Error("nothing is listed")
	}
	if got := l.String(); got != string(text) {
		t.Error("docs/coverage.md is not in the form that -update writes")
	}
}

const sample = `mode: set
dpverify/a/b.go:4.2,5.3 2 0
dpverify/a/b.go:4.2,5.3 2 1
dpverify/a/b.go:7.9,8.3 1 0
dpverify/a/b.go:11.9,12.3 1 0
`

const program = `package a

func (t *T) f() {
	x := 1
	if x > 0 { // as always
		y()
	}
	for range 3 { z() }

	//
	if x > 0 {
	}
}
`

// TestProfile: a block that one package reaches is covered; places are places of the source.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "b.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	blocks, err := parseProfile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if share, n := covered(blocks); share != 0.5 || n != 4 {
		t.Errorf("%v of %d", share, n)
	}
	missing, err := uncovered(dir, blocks)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) != 2 || missing["a/b.go: T.f: if x > 0"] != 1 || missing["a/b.go: T.f: }"] != 1 {
		t.Errorf("uncovered %v", missing)
	}
	for _, bad := range []string{"", "mode: set\n", "mode: set\na.go:1.2,3.4 5\n", "mode: set\na.go:1,3.4 5 6\n", "mode: set\na.go:1.2,3.4 x 6\n"} {
		if _, err := parseProfile(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestCompare: what is missing on either side shows, and what chance decides does not; an
// update settles it but for the reasons.
func TestCompare(t *testing.T) {
	const text = "# Title\n\nText.\n\n## Why\n\nBecause.\n\n- `f: g: x`\n- `f: g: y` ×2\n\n## Covered by chance\n\nTiming.\n\n- `f: g: z`\n"
	l, err := parseList(text)
	if err != nil {
		t.Fatal(err)
	}
	if l.String() != text {
		t.Errorf("%q became %q", text, l.String())
	}
	if faults := l.compare(map[place]int{"f: g: x": 1, "f: g: y": 2}); len(faults) != 0 {
		t.Errorf("faults %q", faults)
	}
	missing := map[place]int{"f: g: y": 3, "f: h: w": 1, "f: g: z": 1}
	faults := l.compare(missing)
	for _, want := range []string{"f: g: y: 3 blocks", "f: h: w: not covered", "f: g: x: docs/coverage.md lists 1"} {
		if !slices.ContainsFunc(faults, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no %q in %q", want, faults)
		}
	}
	l.update(missing)
	if faults := l.compare(missing); len(faults) != 1 || faults[0] != "f: h: w: no reason in docs/coverage.md" {
		t.Errorf("after the update: %q", faults)
	}
	for _, bad := range []string{"## a\n- x\n", "## a\n- `x` ×1\n", "## a\n- `x`\n## b\n- `x`\n"} {
		if _, err := parseList(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// places returns all places of a source.
func (s *source) places() map[place]bool {
	out := make(map[place]bool)
	for i := range s.lines {
		if p, err := s.place(i + 1); err == nil {
			out[p] = true
		}
	}
	return out
}
