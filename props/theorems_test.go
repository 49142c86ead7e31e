// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An entry of docs/theorems.md or docs/errata.md: a heading of level 3, with what its
// lines "Code:" and "Tests:" name.
type entry struct {
	name  string
	text  string
	code  []anchor
	tests []anchor
}

// An anchor names a declaration: `exact/pld/grid.go: NewGrid`, or a test of a
// directory: `exact/pld: TestX`.
type anchor struct{ path, ident string }

func (a anchor) String() string { return a.path + ": " + a.ident }

var anchorPattern = regexp.MustCompile("`([^`: ]+): ([^`]+)`")

// readEntries parses a document.
func readEntries(t *testing.T, name string) []entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	part := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "### "):
			out = append(out, entry{name: line[4:]})
			part = ""
		case strings.HasPrefix(line, "#"):
			part = "outside"
		case strings.HasPrefix(line, "Code: "):
			part = "code"
		case strings.HasPrefix(line, "Tests: "):
			part = "tests"
		case strings.TrimSpace(line) == "":
			if part != "outside" {
				part = ""
			}
		}
		if len(out) == 0 || part == "outside" {
			continue
		}
		e := &out[len(out)-1]
		found := func() (as []anchor) {
			for _, m := range anchorPattern.FindAllStringSubmatch(line, -1) {
				as = append(as, anchor{m[1], m[2]})
			}
			return as
		}
		switch part {
		case "code":
			e.code = append(e.code, found()...)
		case "tests":
			e.tests = append(e.tests, found()...)
		default:
			e.text += line + "\n"
		}
	}
	return out
}

// A tree of declarations, parsed once per file.
type declarations map[string]map[string]bool

// of returns the names that a Go file declares at its top level; methods as T.M.
func (d declarations) of(path string) (map[string]bool, error) {
	if names, ok := d[path]; ok {
		return names, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				name = receiver(decl.Recv.List[0].Type) + "." + name
			}
			names[name] = true
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	d[path] = names
	return names, nil
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// missing says what is wrong with an anchor of code, or of a test; empty if nothing.
func (d declarations) missing(a anchor, test bool) string {
	files := []string{a.path}
	if test {
		found, err := filepath.Glob(filepath.Join("..", a.path, "*_test.go"))
		if err != nil || len(found) == 0 {
			return "no tests in " + a.path
		}
		files = nil
		for _, f := range found {
			rel, _ := filepath.Rel("..", f)
			files = append(files, rel)
		}
	} else if strings.HasSuffix(a.path, "_test.go") {
		return a.String() + " is a test"
	}
	for _, f := range files {
		names, err := d.of(f)
		if err != nil {
			return err.Error()
		}
		if names[a.ident] && strings.HasPrefix(a.ident, "Test") == test {
			return ""
		}
	}
	return a.String() + " does not exist"
}

// Every statement that docs/theorems.md lists has code and a test, and every anchor
// exists; and every property here that is named after a statement is listed, there or
// in docs/errata.md.
func TestStatementsHaveCodeAndTests(t *testing.T) {
	theorems, errata := readEntries(t, "theorems.md"), readEntries(t, "errata.md")
	if len(theorems) < 60 || len(errata) < 20 {
		t.Fatalf("%d theorems and %d errata are listed", len(theorems), len(errata))
	}
	known := make(declarations)
	listed := make(map[string]bool)
	for _, e := range slices.Concat(theorems, errata) {
		for _, a := range e.code {
			if s := known.missing(a, false); s != "" {
				t.Errorf("%s: %s", e.name, s)
			}
		}
		for _, a := range e.tests {
			if s := known.missing(a, true); s != "" {
				t.Errorf("%s: %s", e.name, s)
			}
			listed[a.String()] = true
		}
	}
	names := make(map[string]bool)
	for _, e := range theorems {
		switch {
		case len(e.code) == 0:
			t.Errorf("%s: no code", e.name)
		case len(e.tests) == 0:
			t.Errorf("%s: no test", e.name)
		case !strings.Contains(e.text, "Source: "):
			t.Errorf("%s: no source", e.name)
		case names[e.name]:
			t.Errorf("%s is listed twice", e.name)
		}
		if n := words(e.text); n > 250 {
			t.Errorf("%s: %d words, want at most 250: divide it", e.name, n)
		}
		names[e.name] = true
	}
	for _, e := range errata {
		if strings.Contains(e.name, "UNSOUND") && len(e.tests) == 0 {
			t.Errorf("erratum %s: no test", e.name)
		}
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names, err := known.of(filepath.Join("props", f))
		if err != nil {
			t.Fatal(err)
		}
		for name := range names {
			if namedAfterStatement.MatchString(name) && !listed["props: "+name] {
				t.Errorf("%s is listed in neither docs/theorems.md nor docs/errata.md", name)
			}
		}
	}
}

// words counts what is read as a word, two letters in a row, before the source. Formulas are not words.
func words(text string) int {
	text, _, _ = strings.Cut(text, "Source: ")
	return len(wordPattern.FindAllString(text, -1))
}

var wordPattern = regexp.MustCompile(`\S*[A-Za-z]{2}\S*`)

var namedAfterStatement = regexp.MustCompile(`^Test(Lemma|Theorem|Corollary|Proposition|Definition|ClosedForm|Identity|Erratum|Table|Lindemann)`)

// The check itself finds what is missing.
func TestStatementAnchorsBite(t *testing.T) {
	known := make(declarations)
	for _, c := range []struct {
		a    anchor
		test bool
		ok   bool
	}{
		{anchor{"exact/pld/grid.go", "NewGrid"}, false, true},
		{anchor{"exact/pld/grid.go", "Grid.Delta"}, false, true},
		{anchor{"exact/pld/grid.go", "Grid.Gone"}, false, false},
		{anchor{"exact/pld/gone.go", "NewGrid"}, false, false},
		{anchor{"props", "TestStatementAnchorsBite"}, true, true},
		{anchor{"props", "TestGone"}, true, false},
		{anchor{"props", "forAll"}, true, false},
		{anchor{"props/model_test.go", "divergence"}, false, false},
	} {
		if s := known.missing(c.a, c.test); (s == "") != c.ok {
			t.Errorf("%v: %q", c.a, s)
		}
	}
}
