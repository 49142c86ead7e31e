// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// circles returns the circles of a package: files of which each uses the declarations of each other, over others
// perhaps.
func circles(p *packages.Package) [][]string {
	uses := make(map[string]map[string]bool)
	name := func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".go") }
	for _, f := range p.Syntax {
		from := name(p.Fset.Position(f.Pos()).Filename)
		uses[from] = make(map[string]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := p.TypesInfo.Uses[id]; o != nil && o.Pkg() == p.Types && o.Pos().IsValid() {
					if to := name(p.Fset.Position(o.Pos()).Filename); to != from {
						uses[from][to] = true
					}
				}
			}
			return true
		})
	}
	reach := make(map[string]map[string]bool)
	for from := range uses {
		seen := make(map[string]bool)
		for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
			for to := range uses[todo[0]] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reach[from] = seen
	}
	var out [][]string
	done := make(map[string]bool)
	for _, f := range slices.Sorted(maps.Keys(uses)) {
		if done[f] || !reach[f][f] {
			continue
		}
		var circle []string
		for _, g := range slices.Sorted(maps.Keys(reach[f])) {
			if reach[g][f] {
				circle, done[g] = append(circle, g), true
			}
		}
		out = append(out, circle)
	}
	return out
}

// Why files of a package may form a circle.
const (
	method   = "the methods of one type stand by their subject"
	parts    = "what is known of a whole is known of its parts by the same functions"
	dispatch = "an event has events inside, whose meaning is asked for where all events are told apart"
)

// mostInCircles is how many files of a package stand in circles at most, and why a redesign would not help. Packages
// that are not listed have none.
var mostInCircles = map[string]struct {
	files  int
	reason string
}{
	"definition":       {12, dispatch},
	"exact/conversion": {4, parts},
	"exact/inversion":  {25, method},
	"exact/meaning":    {12, dispatch},
	"exact/pair":       {6, parts},
	"exact/renyi":      {23, parts},
}

// TestCircles: files of a package build on each other in one direction, but where a reason is given.
func TestCircles(t *testing.T) {
	found := make(map[string]bool)
	for _, p := range load(t, "./...") {
		name := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, "dpverify"), "/")
		n, cs := 0, circles(p)
		for _, c := range cs {
			n += len(c)
		}
		found[name] = n > 0
		if most := mostInCircles[name].files; n > most {
			t.Errorf("%s: %d files stand in circles, want at most %d: %v", name, n, most, cs)
		}
	}
	for name, l := range mostInCircles {
		if !found[name] || l.reason == "" {
			t.Errorf("%s has no circle of files and is listed, because %q", name, l.reason)
		}
	}
}

// TestCirclesBite: a circle over three files is found, and a chain is none.
func TestCirclesBite(t *testing.T) {
	for _, c := range []struct {
		b    string
		want string
	}{{"func b() { c() }", "[[a b c]]"}, {"func b() {}", "[]"}} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module m\ngo 1.24\n", "a.go": "package m\nfunc a() { b() }\n", "b.go": "package m\n" + c.b + "\n", "c.go": "package m\nfunc c() { a() }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		ps, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo}, ".")
		if err != nil || len(ps) != 1 || len(ps[0].Errors) > 0 {
			t.Fatal(ps, err)
		}
		if got := fmt.Sprint(circles(ps[0])); got != c.want {
			t.Errorf("circles %s, want %s", got, c.want)
		}
	}
}
