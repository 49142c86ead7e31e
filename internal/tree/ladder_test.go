// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOneLadder: efforts are climbed in one place. Outside tests, no other loop counts them.
func TestOneLadder(t *testing.T) {
	var loops []string
	for _, p := range load(t, withEfforts(t)...) {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if overEfforts(p, n) {
					loops = append(loops, p.PkgPath+"/"+filepath.Base(p.Fset.Position(n.Pos()).Filename))
				}
				return true
			})
		}
	}
	if want := []string{"dpverify/internal/efforts/ladder.go"}; !slices.Equal(loops, want) {
		t.Errorf("loops over efforts in %v, want them in %v only", loops, want)
	}
}

// withEfforts lists the packages that have efforts at all.
func withEfforts(t *testing.T) []string {
	var out []string
	for _, p := range goList(t) {
		if p.ImportPath == "dpverify/exact" || p.ImportPath == "dpverify/exact/method" || slices.Contains(p.Imports, "dpverify/exact") {
			out = append(out, p.ImportPath)
		}
	}
	return out
}

// overEfforts reports a loop that counts efforts: a variable that it sets is one.
func overEfforts(p *packages.Package, n ast.Node) bool {
	var counts []ast.Expr
	switch n := n.(type) {
	case *ast.ForStmt:
		switch post := n.Post.(type) {
		case *ast.IncDecStmt:
			counts = append(counts, post.X)
		case *ast.AssignStmt:
			counts = append(counts, post.Lhs...)
		}
	case *ast.RangeStmt:
		counts = append(counts, n.Key, n.Value)
	}
	return slices.ContainsFunc(counts, func(e ast.Expr) bool { return e != nil && isEffort(p.TypesInfo.TypeOf(e)) })
}

// isEffort reports whether t is the type of efforts.
func isEffort(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Effort" && named.Obj().Pkg().Path() == "dpverify/exact/method"
}
