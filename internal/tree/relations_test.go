// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	_ "dpverify/internal/testkit" // less garbage collection
)

// meant are the folders that say what a relation means.
var meant = []string{"mechanism", "exact", "float", "certify", "ask/report"}

// TestEveryRelationIsDecidedOn: a function of these that names a relation names all of
// them: what falls to an else was right for the relations of its day.
func TestEveryRelationIsDecidedOn(t *testing.T) {
	ps := load(t, "./...")
	var relations []string
	for _, p := range ps {
		if p.PkgPath == "dpverify/mechanism" {
			for _, name := range p.Types.Scope().Names() {
				if isRelation(p.Types.Scope().Lookup(name)) {
					relations = append(relations, name)
				}
			}
		}
	}
	if len(relations) < 3 {
		t.Fatalf("relations %v, want at least 3", relations)
	}
	for _, p := range ps {
		if !under(strings.TrimPrefix(p.PkgPath, "dpverify/"), meant) {
			continue
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				name, named := relationsIn(p, d)
				if len(named) == 0 {
					continue
				}
				for _, r := range relations {
					if !named[r] {
						t.Errorf("%s names %d relations and not mechanism.%s: say what it does under it", name, len(named), r)
					}
				}
			}
		}
	}
}

func isRelation(o types.Object) bool {
	c, ok := o.(*types.Const)
	return ok && c.Type().String() == "dpverify/mechanism.Relation"
}

// relationsIn returns the name of a declaration and the relations that it names.
func relationsIn(p *packages.Package, d ast.Decl) (name string, named map[string]bool) {
	named = make(map[string]bool)
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := p.TypesInfo.Uses[id]; o != nil && isRelation(o) {
				named[o.Name()] = true
			}
		}
		return true
	})
	ds := declarations(d)
	if len(ds) == 0 {
		return "", nil
	}
	return strings.TrimPrefix(p.PkgPath, "dpverify/") + "." + ds[0].name, named
}
