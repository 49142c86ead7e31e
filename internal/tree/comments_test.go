// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// goFiles are the files of all modules that git has, without tests.
func goFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for f := range strings.FieldsSeq(string(out)) {
		if !strings.HasSuffix(f, "_test.go") {
			files = append(files, f)
		}
	}
	if len(files) < 500 {
		t.Fatalf("%d files, want at least 500", len(files))
	}
	return files
}

// article may stand before the name that a comment begins with.
var article = regexp.MustCompile(`^(A|An|The) `)

// misnamed reports that a comment begins with another word than a name.
func misnamed(doc *ast.CommentGroup, name string) bool {
	if doc == nil || name == "_" {
		return false
	}
	rest, ok := strings.CutPrefix(article.ReplaceAllString(doc.Text(), ""), name)
	next, _ := utf8.DecodeRuneInString(rest)
	return doc.Text() != "" && (!ok || strings.ContainsRune("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", next))
}

// TestCommentsBeginWithTheName that they document: of functions, methods, types, variables, constants, and of methods
// of interfaces. The comment of a group in parentheses is about all that is in it, and may begin with any word.
func TestCommentsBeginWithTheName(t *testing.T) {
	found := 0
	for _, file := range goFiles(t) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		check := func(doc *ast.CommentGroup, name *ast.Ident) {
			found++
			if misnamed(doc, name.Name) {
				line, _, _ := strings.Cut(doc.Text(), "\n")
				t.Errorf("%s: the comment of %s begins with another word: %s", fset.Position(name.Pos()), name.Name, line)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Doc, n.Name)
				return false
			case *ast.GenDecl:
				for _, s := range n.Specs {
					doc := n.Doc
					if n.Lparen.IsValid() {
						doc = nil
					}
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Doc != nil {
							doc = s.Doc
						}
						check(doc, s.Name)
					case *ast.ValueSpec:
						if s.Doc != nil {
							doc = s.Doc
						}
						check(doc, s.Names[0])
					}
				}
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					if len(m.Names) > 0 {
						check(m.Doc, m.Names[0])
					}
				}
			}
			return true
		})
	}
	if found < 5000 {
		t.Errorf("%d names, want at least 5,000", found)
	}
}

// maxWidth is how many characters a line has at most, a tab being one.
const maxWidth = 120

// wide are files with lines that are tables.
var wide = map[string]string{
	"ask/reproduce/buckets.go":          "entries of a paper, one a line",
	"ask/reproduce/dominating.go":       "entries of a paper, one a line",
	"ask/reproduce/laplacetransform.go": "entries of a paper, one a line",
	"ask/reproduce/paper3.go":           "entries of a paper, one a line",
	"ask/reproduce/vuvuzela.go":         "entries of a paper, one a line",
}

// TestLinesAreNotWide: of code and of comments, but for tests.
func TestLinesAreNotWide(t *testing.T) {
	for _, file := range goFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		long := 0
		for k, line := range bytes.Split(data, []byte("\n")) {
			if n := utf8.RuneCount(line); n > maxWidth {
				long++
				if wide[file] == "" {
					t.Errorf("%s:%d has %d characters, want at most %d", file, k+1, n, maxWidth)
				}
			}
		}
		if wide[file] != "" && long == 0 {
			t.Errorf("%s has no wide line, and is listed because %q", file, wide[file])
		}
	}
}

// TestTextIsNotWide: of pages and proofs, outside of tables and of what is code or printed.
func TestTextIsNotWide(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "*.md", "proofs/*.v", "proofs/*.ml").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	if len(files) < 60 {
		t.Errorf("%d files, want at least 60", len(files))
	}
	for _, file := range files {
		if file == "docs/coverage.md" { // lines of code, as they stand
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page, printed := strings.HasSuffix(file, ".md"), false
		for k, line := range strings.Split(string(data), "\n") {
			text := strings.TrimSpace(line)
			if strings.HasPrefix(text, "```") {
				printed = !printed
			}
			if page && (printed || strings.HasPrefix(text, "|") || strings.HasPrefix(text, "![") || strings.HasPrefix(line, "    ")) {
				continue
			}
			if n := utf8.RuneCountInString(line); n > maxWidth {
				t.Errorf("%s:%d has %d characters, want at most %d", file, k+1, n, maxWidth)
			}
		}
	}
}

// delimiter is the second line of a table.
var delimiter = regexp.MustCompile(`^\|(\s*:?-+:?\s*\|)+$`)

// TestTablesAreWhole: each line of a table in a page has as many cells as its head.
func TestTablesAreWhole(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for file := range strings.FieldsSeq(string(out)) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bars := func(line string) int { return strings.Count(line, "|") - strings.Count(line, `\|`) }
		before, want, printed := "", 0, false
		for k, line := range strings.Split(string(data), "\n") {
			text := strings.TrimSpace(line)
			cells := bars(text)
			switch {
			case strings.HasPrefix(text, "```"):
				printed = !printed
			case printed || text == "" || strings.HasPrefix(text, "<!--"):
				want = 0
			case delimiter.MatchString(text):
				tables++
				if want = cells; bars(before) != want {
					t.Errorf("%s:%d: the head of a table has other cells than the line below", file, k)
				}
			case want > 0 && (cells != want || !strings.HasPrefix(text, "|") || !strings.HasSuffix(text, "|")):
				t.Errorf("%s:%d: %d bars in a line of a table, want %d", file, k+1, cells, want)
			}
			before = text
		}
	}
	if tables < 50 {
		t.Errorf("%d tables, want at least 50", tables)
	}
}
