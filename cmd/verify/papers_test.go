// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dpverify/internal/testkit"
)

// The commands of docs/papers.md answer as they are written there, some of them in the quick suite. Entries of `verify
// reproduce` are looked for in its list, as reproduce's own tests compute them, and what takes seconds is run by the
// long suite.
func TestCommandsOfPapers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	page, err := os.ReadFile("../../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") {
			for _, m := range regexp.MustCompile("`(verify [^`]*)`").FindAllStringSubmatch(line, -1) {
				commands = append(commands, m[1])
			}
		}
	}
	slices.Sort(commands)
	commands = slices.Compact(commands)
	if len(commands) < 60 {
		t.Errorf("%d commands, want at least 60", len(commands))
	}
	slow := regexp.MustCompile("--buckets 100000|--output |(compare|selftest) .*poisson|count: 10, event: .class_name: Exponential")
	var script strings.Builder
	for _, c := range testkit.Few(25, commands) {
		switch {
		case strings.HasPrefix(c, "verify reproduce "):
			fmt.Fprintf(&script, "exec verify reproduce --list %s\nstdout .\n", strings.TrimPrefix(c, "verify reproduce "))
		case slow.MatchString(c) && !testkit.Long():
		case strings.Contains(c, "--output"): // of plot, learn and compare, which have scripts of their own
			fmt.Fprintf(&script, "exec %s\n", c)
		default:
			fmt.Fprintf(&script, "exec %s\nstdout .\n", c)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "papers.txt"), []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true})
}
