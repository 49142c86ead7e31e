// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxLines is how many lines of code a package has at most. One that grows beyond holds more than one room.
const maxLines = 3000

// larger are the packages that may have more, each with its limit and the reason.
var larger = map[string]struct {
	lines  int
	reason string
}{
	"exact/pair":      {5000, "one file for each pair"},
	"exact/renyi":     {3500, "an engine: moments of every pair"},
	"exact/pld":       {4000, "an engine: lattices, and grids of every kind of pair in words and in numbers of any length"},
	"exact/inversion": {5300, "an engine: one argument, docs/inversion.md, from the transform to the bound"},
}

// TestSizesOfPackages: no package is larger than it may be, and none may be larger for no reason.
func TestSizesOfPackages(t *testing.T) {
	found := make(map[string]int)
	for _, p := range goList(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "dpverify"), "/")
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found[name] += bytes.Count(text, []byte("\n"))
		}
		limit := maxLines
		if l, ok := larger[name]; ok {
			limit = l.lines
		}
		if found[name] > limit {
			t.Errorf("%s has %d lines of code, want at most %d: what is one room of it?", name, found[name], limit)
		}
	}
	for name, l := range larger {
		if l.reason == "" || found[name] <= min(maxLines, l.lines)*9/10 {
			t.Errorf("%s has %d lines of code and is listed as larger, because %q", name, found[name], l.reason)
		}
	}
	if len(found) < 50 {
		t.Errorf("%d packages, want at least 50", len(found))
	}
}

// limit matches a limit of a package in this file.
var limit = regexp.MustCompile(`"([a-z/]+)": +\{(\d+),|(maxLines|maxWidth) += (\d+)`)

// limits are those that a file of this folder has at a revision, or as it is.
func limits(t *testing.T, revision string) map[string]int {
	t.Helper()
	found := make(map[string]int)
	for _, name := range []string{"sizes_test.go", "comments_test.go"} {
		text, err := os.ReadFile("internal/tree/" + name)
		if revision != "" {
			text, err = exec.Command("git", "show", revision+":internal/tree/"+name).Output()
		}
		if err != nil {
			t.Logf("no %s at %q: %v", name, revision, err)
			continue
		}
		for _, m := range limit.FindAllStringSubmatch(string(text), -1) {
			n, err := strconv.Atoi(m[2] + m[4])
			if err != nil {
				t.Fatal(err)
			}
			found[m[1]+m[3]] = n
		}
	}
	return found
}

// TestLimitsFall: no limit is higher than at the commit before, or at $DPVERIFY_BASE. A package that is listed newly
// was below maxLines.
func TestLimitsFall(t *testing.T) {
	base := cmp.Or(os.Getenv("DPVERIFY_BASE"), "HEAD~1")
	if err := exec.Command("git", "rev-parse", "--verify", "--quiet", base).Run(); err != nil {
		t.Skipf("%s is not here, as in a clone of one commit", base)
	}
	before, now := limits(t, base), limits(t, "")
	if now["maxLines"] != maxLines || now["maxWidth"] != maxWidth || len(now) != len(larger)+2 {
		t.Fatalf("%v are not the limits", now)
	}
	for name, n := range now {
		if old, ok := before[name]; ok && n > old || !ok && before["maxLines"] > 0 && name != "maxWidth" {
			t.Errorf("the limit of %s rises from %d to %d", name, old, n)
		}
	}
}
