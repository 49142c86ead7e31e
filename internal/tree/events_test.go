// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// leftovers returns what functions with a switch over events leave to its default, and whether they say why, by
// testdata/leftovers.txt.
func leftovers(t *testing.T) (events map[string][]string, reasons map[string]bool) {
	t.Helper()
	data, err := os.ReadFile("internal/tree/testdata/leftovers.txt")
	if err != nil {
		t.Fatal(err)
	}
	events, reasons = make(map[string][]string), make(map[string]bool)
	function := ""
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] != ' ':
			function = words[0]
			if _, ok := events[function]; ok {
				t.Errorf("leftovers.txt names %s twice", function)
			}
			events[function] = nil
		case words[0] == "#":
			reasons[function] = true
		default:
			events[function] = append(events[function], words...)
		}
	}
	return events, reasons
}

// TestEverySwitchDecidesOnEveryEvent: no event falls to the default of a switch unseen. A
// default may be unsound: it was written before the event was.
func TestEverySwitchDecidesOnEveryEvent(t *testing.T) {
	ps := load(t, "./...")
	events := eventTypes(ps)
	if len(events) < 25 {
		t.Fatalf("%d events, want at least 25: %v", len(events), events)
	}
	seen := make(map[string]bool)
	left, reasons := leftovers(t)
	for _, p := range ps {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := strings.TrimPrefix(p.PkgPath, "dpverify/") + "." + fn.Name.Name
				for _, cases := range eventSwitches(p, fn) {
					seen[name] = true
					defaults, ok := left[name]
					if !ok || len(defaults) > 0 && !reasons[name] {
						t.Errorf("%s has a switch over events and no entry with a reason in leftovers.txt", name)
						continue
					}
					for _, e := range events {
						switch isLeft := slices.Contains(defaults, e); {
						case !isLeft && !cases[e]:
							t.Errorf("%s has no case for mechanism.%s: add one, or name the event in its list of leftovers.txt if its default is right", name, e)
						case isLeft && cases[e]:
							t.Errorf("%s has a case for mechanism.%s, which leftovers.txt leaves to its default", name, e)
						}
					}
				}
			}
		}
	}
	for function, defaults := range left {
		if !seen[function] {
			t.Errorf("leftovers.txt names %s, which has no switch over events", function)
		}
		for _, e := range defaults {
			if !slices.Contains(events, e) {
				t.Errorf("leftovers.txt leaves %s to the default of %s: it is no event", e, function)
			}
		}
	}
}

// eventTypes returns the names of all events.
func eventTypes(ps []*packages.Package) []string {
	var out []string
	for _, p := range ps {
		if p.PkgPath != "dpverify/mechanism" {
			continue
		}
		scope := p.Types.Scope()
		event := scope.Lookup("Event").Type().Underlying().(*types.Interface)
		for _, name := range scope.Names() {
			if o, ok := scope.Lookup(name).(*types.TypeName); ok && !types.IsInterface(o.Type()) && types.Implements(o.Type(), event) {
				out = append(out, name)
			}
		}
	}
	return out
}

// eventSwitches returns the cases of each switch over the type of an event.
func eventSwitches(p *packages.Package, fn *ast.FuncDecl) []map[string]bool {
	var out []map[string]bool
	ast.Inspect(fn, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		var asserted ast.Expr
		switch a := s.Assign.(type) {
		case *ast.AssignStmt:
			asserted = a.Rhs[0]
		case *ast.ExprStmt:
			asserted = a.X
		}
		if x := p.TypesInfo.TypeOf(asserted.(*ast.TypeAssertExpr).X); x == nil || x.String() != "dpverify/mechanism.Event" {
			return true
		}
		cases := make(map[string]bool)
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if x := p.TypesInfo.TypeOf(e); x != nil {
					cases[strings.TrimPrefix(x.String(), "dpverify/mechanism.")] = true
				}
			}
		}
		out = append(out, cases)
		return true
	})
	return out
}
