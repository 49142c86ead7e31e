// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// proved are the folders whose mistakes could make a verdict false.
var proved = []string{"mechanism/", "exact/", "ask/", "certify/", "internal/number/", "internal/document/",
	"internal/pldfile/", "internal/rounded/", "internal/table/", "internal/cells/", "internal/field/", "internal/shorthand/", "internal/figure/", "internal/efforts/"}

// TestList: every mutant finds its line, leaves a file that parses, lies where a
// mistake matters, and has a killer.
func TestList(t *testing.T) {
	ms, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	if len(ms) < 60 {
		t.Errorf("%d mutants, want at least 60", len(ms))
	}
	tests := make(map[string]map[string]bool) // of a package
	for _, m := range ms {
		matters := slices.ContainsFunc(proved, func(dir string) bool { return strings.HasPrefix(m.File, dir) })
		if !matters || strings.HasSuffix(m.File, "_test.go") {
			t.Errorf("%s:%d: %s is about %s, want a file of %s that is no test", m.List, m.Line, m.Name, m.File, strings.Join(proved, ", "))
		}
		src, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(m.File)))
		if err != nil {
			t.Errorf("%s:%d: %s: %v", m.List, m.Line, m.Name, err)
			continue
		}
		mutated, err := m.apply(src)
		if err != nil {
			t.Error(err)
			continue
		}
		if path.Ext(m.File) != ".go" {
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, mutated, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s:%d: %s: %v", m.List, m.Line, m.Name, err)
		}
		if tests[m.Package] == nil {
			tests[m.Package] = testsOf(t, filepath.Join("../..", filepath.FromSlash(m.Package)))
		}
		if !tests[m.Package][m.Test] {
			t.Errorf("%s:%d: %s: there is no %s in %s", m.List, m.Line, m.Name, m.Test, m.Package)
		}
	}
}

// testsOf returns the names of the tests in a directory.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
				names[d.Name.Name] = true
			}
		}
	}
	return names
}

func TestParseList(t *testing.T) {
	const good = "# A comment.\n\nname-1: it is wrong\na/b.go: T.f\n- x := 1\n+\nkilled by a TestF\n\nname-2: it hangs\nb.go: f\n- x\n+ y\ntimes out in . TestG\n"
	ms, err := parseList("list", good)
	if err != nil {
		t.Fatal(err)
	}
	want := []Mutant{
		{Name: "name-1", Why: "it is wrong", File: "a/b.go", In: "T.f", Old: "x := 1", Package: "a", Test: "TestF", List: "list", Line: 3},
		{Name: "name-2", Why: "it hangs", File: "b.go", In: "f", Old: "x", New: "y", Package: ".", Test: "TestG", Hangs: true, List: "list", Line: 9},
	}
	if len(ms) != len(want) {
		t.Fatalf("%d mutants, want %d", len(ms), len(want))
	}
	var text []string
	for i := range ms {
		if ms[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", ms[i], want[i])
		}
		text = append(text, ms[i].String())
	}
	again, err := parseList("list", strings.Join(text, "\n\n"))
	if err != nil || len(again) != 2 || again[1].String() != ms[1].String() {
		t.Errorf("what is printed is not read again: %v, %v", again, err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "list: no mutants"},
		{"Name: x", `list:1: "Name: x", want <name>: <what would be wrong>`},
		{"a: b\n\nc.go: f", `list:2: "", want <file>: <declaration>`},
		{"a: b\nc.txt: f", `list:2: "c.txt: f", want <file>: <declaration>`},
		{"a: b\nc.go: f\n+ x", `list:3: "+ x", want - <the line as it is>`},
		{"a: b\nc.go: f\n- x\nkilled by a TestF", `list:4: "killed by a TestF", want + <the line as it would be>`},
		{"a: b\nc.go: f\n- x\n+ y\nkilled by a F", `list:5: "killed by a F", want killed by <package> <test>`},
		{"a: b\nc.go: f\n- x\n+ x\nkilled by a TestF", "list:1: a changes nothing"},
		{"a: b\nc.go: f\n- x", "list: ends inside a, want + <the line as it would be>"},
	} {
		if _, err := parseList("list", c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	const src = "package p\n\nfunc f() int {\n\tx := 1\n\treturn x\n}\n\nfunc (t *T) f() int {\n\tx := 1\n\tx := 1\n\treturn x\n}\n\nvar (\n\ta = 1\n\tb = 2\n)\n\ntype T struct{}\n"
	m := Mutant{Name: "m", File: "p.go", List: "list", Line: 7}
	for _, c := range []struct{ in, before, after, want string }{
		{"f", "x := 1", "x := 2", strings.Replace(src, "x := 1", "x := 2", 1)},
		{"T.f", "return x", "", strings.Replace(src, "return x\n}\n\nvar", "\n}\n\nvar", 1)},
		{"b", "b = 2", "b = 3", strings.Replace(src, "b = 2", "b = 3", 1)},
	} {
		m.In, m.Old, m.New = c.in, c.before, c.after
		got, err := m.apply([]byte(src))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.in, err, got)
		}
	}
	for _, c := range []struct{ in, before, want string }{
		{"g", "x := 1", "list:7: m: p.go does not declare g"},
		{"f", "x := 2", `list:7: m: f of p.go has no line "x := 2"`},
		{"f", "x :=", `list:7: m: f of p.go has no line "x :="`},
		{"b", "a = 1", `list:7: m: b of p.go has no line "a = 1"`},
		{"T.f", "x := 1", `list:7: m: T.f of p.go has "x := 1" on lines 9 and 10, want it once`},
	} {
		m.In, m.Old, m.New = c.in, c.before, ""
		if _, err := m.apply([]byte(src)); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestApplyToAssembly: a declaration is a TEXT or a #define, up to the next one.
func TestApplyToAssembly(t *testing.T) {
	const src = "#define TWICE(X) \\\n\tADDQ X, X\n\n#define THRICE \\\n\tADDQ X, X\n\nTEXT ·f(SB), NOSPLIT, $0\n\tADDQ X, X\n\tRET\n"
	for in, want := range map[string]int{"TWICE": 1, "THRICE": 2, "f": 3} {
		m := Mutant{Name: "m", File: "p_amd64.s", In: in, Old: "ADDQ X, X", New: "RET", List: "list", Line: 7}
		got, err := m.apply([]byte(src))
		parts := strings.SplitAfterN(src, "ADDQ X, X", want+1)
		parts[want-1] = strings.TrimSuffix(parts[want-1], "ADDQ X, X") + "RET"
		if err != nil || string(got) != strings.Join(parts, "") {
			t.Errorf("%s: %v\n%s", in, err, got)
		}
	}
	m := Mutant{Name: "m", File: "p_amd64.s", In: "TWI", Old: "ADDQ X, X", List: "list", Line: 7}
	if _, err := m.apply([]byte(src)); err == nil || err.Error() != "list:7: m: p_amd64.s does not declare TWI" {
		t.Errorf("error %v", err)
	}
}
