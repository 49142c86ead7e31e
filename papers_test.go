// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dpverify_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPapersHaveCommandsAndTests: docs/papers.md names commands and tests that there are, both in
// every row.
func TestPapersHaveCommandsAndTests(t *testing.T) {
	page, err := os.ReadFile("docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	reference, err := os.ReadFile("docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile("`([a-z0-9/]+): (Test[A-Za-z0-9_]+)`")
	command := regexp.MustCompile("`(verify [a-z]+)`")
	sources := make(map[string]string)
	rows := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| statement") {
			continue
		}
		rows++
		cs, ts := command.FindAllStringSubmatch(line, -1), test.FindAllStringSubmatch(line, -1)
		if len(cs) == 0 || len(ts) == 0 {
			t.Errorf("no command or no test: %s", line)
		}
		for _, c := range cs {
			if !strings.Contains(string(reference), "\n## "+c[1]+"\n") {
				t.Errorf("%s is no command: %s", c[1], line)
			}
		}
		for _, x := range ts {
			if _, ok := sources[x[1]]; !ok {
				files, _ := filepath.Glob(filepath.Join(x[1], "*_test.go"))
				var all strings.Builder
				for _, f := range files {
					data, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					all.Write(data)
				}
				sources[x[1]] = all.String()
			}
			if !strings.Contains(sources[x[1]], "\nfunc "+x[2]+"(") {
				t.Errorf("there is no %s in %s: %s", x[2], x[1], line)
			}
		}
	}
	if rows < 90 {
		t.Errorf("%d rows, want at least 90", rows)
	}
}
