// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/ast"
	"go/types"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"dpverify/certify/derive"
	"dpverify/mechanism"
)

// What docs/adding.md asks for and no compiler does.

// TestPagesNameEveryClass: what an event means is written down for people.
func TestPagesNameEveryClass(t *testing.T) {
	var names []string
	for _, name := range mechanism.ClassNames() {
		names = append(names, strings.TrimSuffix(name, "Event"))
	}
	namedIn(t, "docs/format.md", names)
	namedIn(t, "docs/relations.md", names)
}

// TestPagesNameEveryDerivation: so is what a claim may state.
func TestPagesNameEveryDerivation(t *testing.T) {
	var names []string
	for _, m := range derive.Methods {
		names = append(names, m.Name)
	}
	namedIn(t, "docs/format.md", names)
}

func namedIn(t *testing.T, page string, names []string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(data), name) {
			t.Errorf("%s does not name %s", page, name)
		}
	}
}

// TestEveryMethodIsTried: an exported function that returns a plan, or a method, is in the list that the solver goes
// through.
func TestEveryMethodIsTried(t *testing.T) {
	p := load(t, "./exact/method")[0]
	scope := p.Types.Scope()
	listed := make(map[types.Object]bool)
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			for _, v := range declarations(d) {
				if v.name == "All" {
					uses(p, v.node, func(o types.Object) { listed[o] = true })
				}
			}
		}
	}
	found := 0
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.Func)
		if !ok || !o.Exported() || o.Signature().Results().Len() != 1 {
			continue
		}
		of := o.Signature().Results().At(0).Type()
		if !types.Identical(of, types.NewPointer(scope.Lookup("Plan").Type())) && of != scope.Lookup("Method").Type() {
			continue
		}
		if found++; !listed[o] {
			t.Errorf("exact/method.%s is a method and not in All of methods.go", name)
		}
	}
	if found < 20 {
		t.Errorf("%d methods, want at least 20", found)
	}
}

// TestEveryQuantityCanBeAskedFor: a quantity of ask is in its list of kinds, which `verify query` and claims go by, and
// of a command.
func TestEveryQuantityCanBeAskedFor(t *testing.T) {
	used := map[string]bool{}
	kinds := map[string]bool{"TotalVariation": true} // which is δ(0), of `verify delta`
	var quantities []string
	for _, p := range load(t, "./ask", "./cmd/verify", "./ask/curve") {
		if p.PkgPath == "dpverify/ask" {
			for _, name := range p.Types.Scope().Names() {
				if f, ok := p.Types.Scope().Lookup(name).(*types.Func); ok && f.Exported() && f.Signature().Results().Len() == 1 &&
					f.Signature().Results().At(0).Type().String() == "dpverify/ask.Quantity" {
					quantities = append(quantities, name)
				}
			}
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if list, ok := n.(*ast.ValueSpec); ok && p.PkgPath == "dpverify/ask" && list.Names[0].Name == "kinds" {
					uses(p, list, func(o types.Object) { kinds[strings.TrimPrefix(o.Name(), "Kind")] = true })
				}
				return true
			})
			if p.PkgPath == "dpverify/cmd/verify" {
				uses(p, f, func(o types.Object) { used[o.Name()] = true })
			}
		}
	}
	if len(quantities) < 5 {
		t.Fatalf("quantities %v, want at least 5", quantities)
	}
	for _, q := range quantities {
		if !kinds[q] {
			t.Errorf("ask.Kind%s is not in kinds of ask/kind.go", q)
		}
		if !used["Kind"+q] && q != "TotalVariation" {
			t.Errorf("ask.Kind%s is asked for by no command of cmd/verify", q)
		}
	}
}

// uses calls f for every object that a node uses.
func uses(p *packages.Package, n ast.Node, f func(types.Object)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := p.TypesInfo.Uses[id]; o != nil {
				f(o)
			}
		}
		return true
	})
}
