// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module writes a module of one package, which needs no library of its own.
func module(t *testing.T) string {
	t.Helper()
	trimmed = false
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module fake\n\ngo 1.26\n",
		"sum/sum.go": `package sum

func Sum(xs []int) int {
	s := 0
	for i := 0; i < len(xs); i++ {
		s += xs[i]
	}
	return s
}

func Twice(x int) int {
	return 2 * x
}
`,
		"sum/sum_test.go": `package sum

import (
	"os"
	"testing"
)

func TestSum(t *testing.T) {
	if Sum([]int{1, 2}) != 3 {
		t.Error("wrong sum")
	}
}

func TestTwice(t *testing.T) {
	if Twice(0) != 0 {
		t.Error("wrong")
	}
	if err := os.WriteFile("written", nil, 0o644); err != nil {
		t.Error(err)
	}
}

func TestSkipped(t *testing.T) { t.Skip("for TestSurveyRefuses, which has to notice it") }

func TestFails(t *testing.T) { t.Fail() }

func TestLong(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("for TestSurvey: it passes in the long suite alone")
	}
	TestSum(t)
}
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func inSum(name, old, with string) Mutant {
	return Mutant{Name: name, Why: "why", File: "sum/sum.go", In: "Sum", Old: old, New: with, Package: "sum", Test: "TestSum", List: "list", Line: 1}
}

// TestSurvey: what becomes of mutants that are killed, survive, do not compile, hang
// and are said to hang; and the tree stays as it is.
func TestSurvey(t *testing.T) {
	defer func(d time.Duration) { timeLimit = d }(timeLimit)
	timeLimit = 3 * time.Second
	root := module(t)
	before := tree(t, root)
	survivor := Mutant{Name: "survivor", Why: "twice is thrice", File: "sum/sum.go", In: "Twice", Old: "return 2 * x", New: "return 3 * x", Package: "sum", Test: "TestTwice", List: "list", Line: 1}
	hangs := inSum("said-to-hang", "s += xs[i]", "select {}")
	hangs.Hangs = true
	ends := inSum("wrongly-said-to-hang", "s := 0", "s := 1")
	ends.Hangs = true
	long := inSum("long", "s += xs[i]", "s -= xs[i]")
	long.Test, long.With = "TestLong", longSuite
	ms := []Mutant{
		inSum("killed", "s += xs[i]", "s -= xs[i]"),
		inSum("panics", "for i := 0; i < len(xs); i++ {", "for i := 0; i <= len(xs); i++ {"),
		survivor,
		inSum("uncompiled", "return s", "return t"),
		inSum("hangs", "s += xs[i]", "select {}"),
		hangs, ends, long,
	}
	var progress bytes.Buffer
	results, err := survey(t.Context(), root, ms, 0, &progress)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []fate{killed, killed, survived, uncompiled, timedOut, killed, ended, killed} {
		if r := results[i]; r.fate != want || r.Mutant != ms[i] {
			t.Errorf("%s: %s, want %s\n%s", r.Name, r.fate, want, r.output)
		}
	}
	if n := strings.Count(progress.String(), "\n"); n != len(ms)+3 {
		t.Errorf("%d lines of progress:\n%s", n, &progress)
	}
	var summary bytes.Buffer
	err = report(&summary, results)
	if err == nil || err.Error() != "4 of 8 mutants were not killed" {
		t.Errorf("error %v", err)
	}
	const want = `FATE              MUTANT                FILE        KILLER            WHAT WOULD BE WRONG
SURVIVED          survivor              sum/sum.go  TestTwice of sum  twice is thrice
DOES NOT COMPILE  uncompiled            sum/sum.go  TestSum of sum    why
TIMED OUT         hangs                 sum/sum.go  TestSum of sum    why
ENDED             wrongly-said-to-hang  sum/sum.go  TestSum of sum    why
`
	if got := summary.String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "undefined: t") || !strings.HasSuffix(got, "8 mutants, 4 killed\n") {
		t.Errorf("summary:\n%s", got)
	}
	if after := tree(t, root); after != before {
		t.Errorf("the tree has become\n%s", after)
	}
	if err := report(&summary, results[:2]); err != nil {
		t.Errorf("all killed: %v", err)
	}
}

// tree lists the files of a directory with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSurveyRefuses: a list that does not fit the code, and killers that kill nothing.
func TestSurveyRefuses(t *testing.T) {
	root := module(t)
	killer := func(test string) Mutant {
		m := inSum("m", "s := 0", "s := 1")
		m.Test = test
		return m
	}
	elsewhere := killer("TestSum")
	elsewhere.File = "sum/none.go"
	for _, c := range []struct {
		m    Mutant
		want string
	}{
		{inSum("m", "s := 1", ""), `list:1: m: Sum of sum/sum.go has no line "s := 1"`},
		{inSum("m", "}", ""), `list:1: m: Sum of sum/sum.go has "}" on lines 7 and 9, want it once`},
		{elsewhere, "list:1: m: there is no file sum/none.go"},
		{killer("TestNone"), "TestNone of sum does not pass without a mistake"},
		{killer("TestSkipped"), "TestSkipped of sum does not pass without a mistake"},
		{killer("TestFails"), "TestFails of sum does not pass without a mistake"},
	} {
		if _, err := survey(t.Context(), root, []Mutant{c.m}, 0, &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestSurveyOfLittleTime: no mutant is begun after the time, and the first ones are of changed files, in an order
// that the commit gives.
func TestSurveyOfLittleTime(t *testing.T) {
	ms := []Mutant{inSum("a", "s := 0", "s := 1"), inSum("b", "s := 0", "s := 2")}
	if results, err := survey(t.Context(), module(t), ms, time.Nanosecond, &bytes.Buffer{}); err != nil || len(results) != 0 {
		t.Errorf("%d results in no time, %v", len(results), err)
	}
	var many []Mutant
	for i := range 40 {
		m := inSum(fmt.Sprintf("m%d", i), "s := 0", "s := 1")
		if i%10 == 0 {
			m.File = "sum/changed.go"
		}
		many = append(many, m)
	}
	names := func(seed string) string {
		var b strings.Builder
		for i, m := range inTurn(many, []string{"sum/changed.go", "sum/sum_test.go"}, seed) {
			if (i < 4) != (m.File == "sum/changed.go") {
				t.Errorf("%s is number %d", m.Name, i)
			}
			b.WriteString(m.Name + " ")
		}
		return b.String()
	}
	if a, b, c := names("1"), names("1"), names("2"); a != b || a == c {
		t.Errorf("the orders %s, %s and %s", a, b, c)
	}
}

func TestSurveyIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := survey(ctx, module(t), []Mutant{inSum("m", "s := 0", "s := 1")}, 0, &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), "interrupted") {
		t.Errorf("error %v", err)
	}
}

// TestChanged: what changed since a commit, and the mutants that it touches.
func TestChanged(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root := module(t)
	do := func(args ...string) string {
		t.Helper()
		out, err := git(t.Context(), root, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	base := func(given, want string) {
		t.Helper()
		got, ok, err := changeBase(t.Context(), root, given)
		if err != nil || got != want || ok != (want != "") {
			t.Errorf("base %q, %v, %v, want %q", got, ok, err, want)
		}
	}
	do("init", "-q")
	if _, _, err := changeBase(t.Context(), root, ""); err == nil {
		t.Error("a repository without a commit has a base")
	}
	do("add", ".")
	do("commit", "-q", "-m", "first")
	first := do("rev-parse", "HEAD")
	base("", "")
	do("commit", "-q", "--allow-empty", "-m", "second")
	second := do("rev-parse", "HEAD")
	base("", first)
	do("commit", "-q", "--allow-empty", "-m", "third")
	base("", second)
	do("update-ref", "refs/remotes/origin/main", first)
	base("", first)
	do("update-ref", "refs/remotes/origin/main", "HEAD")
	base("", second)
	base(first, first)
	if _, _, err := changeBase(t.Context(), root, "none"); err == nil {
		t.Error("DPVERIFY_BASE = none is a commit")
	}

	m, in := inSum("m", "s := 0", "s := 1"), func(paths ...string) int { return len(touched([]Mutant{inSum("m", "s := 0", "s := 1")}, paths)) }
	if in() != 0 || in("other/sum.go", "sum.go", "go.mod") != 0 || in("sum/new.go") != 1 || in(m.List) != 1 {
		t.Error("touched")
	}
	m.Package = "killers"
	if len(touched([]Mutant{m}, []string{"killers/x_test.go"})) != 1 {
		t.Error("a change of the killer does not count")
	}
	// Changed and new, committed or not.
	if paths, err := changedSince(t.Context(), root, first); err != nil || len(paths) != 0 {
		t.Errorf("changed: %q, %v", paths, err)
	}
	for _, name := range []string{"sum/sum.go", "a b.go"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("package x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if paths, err := changedSince(t.Context(), root, first); err != nil || strings.Join(paths, "|") != "sum/sum.go|a b.go" {
		t.Errorf("changed: %q, %v", paths, err)
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-run", "("}, "-run: "},
		{[]string{"-run", "^no such mutant$"}, `no mutant matches "^no such mutant$"`},
		{[]string{"all"}, `unknown argument "all"`},
	} {
		if err := run(t.Context(), c.args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-list"}, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := parseList("out", out.String()); err != nil || len(again) != len(all) {
		t.Errorf("-list prints %d mutants of %d, %v", len(again), len(all), err)
	}
}
