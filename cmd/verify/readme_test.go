// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/internal/testkit"
)

// notRun are commands of the pages that these tests cannot run.
var notRun = map[string]bool{
	"go install ./cmd/verify": true, // writes outside of the checkout
}

// An example is a command of a page, with its output if the page shows it.
type example struct{ command, output string }

// examples returns the commands of the console blocks of a page.
func examples(page string) []example {
	var out []example
	block := false
	for line := range strings.Lines(page) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case text == "```console":
			block = true
		case strings.HasPrefix(text, "```"):
			block = false
		case !block:
		case strings.HasPrefix(text, "$ "):
			out = append(out, example{command: text[2:]})
		case len(out) > 0:
			out[len(out)-1].output += line
		}
	}
	return out
}

var seconds = regexp.MustCompile(`"seconds":[0-9.]+`)

// workspace returns a directory that looks like the checkout and takes what commands
// write.
func workspace(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	return dir
}

// All commands that the pages show run, and their output is the one shown.
func TestPagesShowWhatHappens(t *testing.T) {
	if testing.Short() {
		t.Skip("one command after the other, for the whole suite")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run the commands with")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("no python3: its commands are left out")
		notRun["python3 examples/query_client.py"] = true
	}
	dir := workspace(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	shown := 0
	for _, name := range append(pages, "../../README.md", "../../examples/README.md") {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		run := 0
		for _, e := range examples(string(page)) {
			if notRun[e.command] {
				continue
			}
			if !testkit.Long() && strings.Contains(e.command, "plot --output gaussian.svg") ||
				!testkit.Thorough() && strings.Contains(e.command, "plot --output dpsgd.svg") {
				continue // as testdata/script/plot.txt
			}
			run++
			// go run would build the program a second time and flatten its status.
			c := exec.Command("sh", "-c", strings.ReplaceAll(e.command, "go run ./cmd/verify", "verify"))
			c.Dir = dir
			got, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s: %v\n%s", name, e.command, err, got)
				continue
			}
			if diff := cmp.Diff(seconds.ReplaceAllString(e.output, ""), seconds.ReplaceAllString(string(got), "")); e.output != "" && diff != "" {
				t.Errorf("%s: %s: output differs (-page +program):\n%s", name, e.command, diff)
			}
		}
		if run > 0 {
			shown++
		}
	}
	if shown < 6 {
		t.Errorf("%d pages show commands, want at least 6", shown)
	}
}

// Every command of docs/findings.md that shows the truth runs, and what it prints begins with
// the digits of its section.
func TestFindingsAreShown(t *testing.T) {
	if testing.Short() {
		t.Skip("one command after the other, for the whole suite")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run the commands with")
	}
	page, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`(?:at least )?([0-9]+\.[0-9]+)(?:…)?(e-[0-9]+)?`)
	lower := regexp.MustCompile(`∈ \[([0-9.]+)(e-[0-9]+)?,`)
	shown := 0
	for _, section := range strings.Split(string(page), "\n## ") {
		for _, m := range regexp.MustCompile(`(?m)^shown +(verify .*)$`).FindAllStringSubmatch(section, -1) {
			shown++
			if strings.Contains(m[1], "count: 653") && !testkit.Long() {
				continue // takes seconds
			}
			got, err := exec.Command("sh", "-c", m[1]).Output()
			lo := lower.FindStringSubmatch(string(got))
			if err != nil || lo == nil {
				t.Errorf("%s: %s, %v", m[1], got, err)
				continue
			}
			known := false
			for _, n := range number.FindAllStringSubmatch(section, -1) {
				known = known || strings.HasPrefix(lo[1], n[1]) && lo[2] == n[2]
			}
			if !known {
				t.Errorf("%s: %sThe section does not have this number", m[1], got)
			}
		}
	}
	if shown == 0 {
		t.Error("no command is shown")
	}
}

// The index has every page, and the links of all pages lead somewhere.
func TestPagesAreLinked(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	index, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md does not have %s", name)
		}
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../examples/README.md", "../../adapters/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			// f[P, Q](x) is a formula.
			if strings.Contains(m[1], "://") || !strings.ContainsAny(m[1], "./") && filepath.Base(page) == "theorems.md" {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// The first screen of the help shows commands that work.
func TestHelpShowsWhatWorks(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run the commands with")
	}
	for _, command := range strings.Split(newRoot().Example, "\n") {
		c := exec.Command("sh", "-c", command)
		c.Dir = "../.."
		if got, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, got)
		}
	}
}
