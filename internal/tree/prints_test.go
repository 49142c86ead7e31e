// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// decides reports functions and constants by which a verdict is reached: comparisons of enclosures, and questions to
// the engine.
func decides(o types.Object) bool {
	switch o.Pkg().Path() {
	case "dpverify/exact":
		f, ok := o.(*types.Func)
		return ok && slices.Contains([]string{"Prepare", "PrepareDraft", "Delta", "Epsilon", "Each"}, o.Name()) &&
			(f.Signature().Recv() == nil || strings.HasSuffix(f.Signature().Recv().Type().String(), ".Profile"))
	case "dpverify/exact/interval":
		return slices.Contains([]string{"True", "False", "Unknown", "LessEqRat", "LessRat", "LessEq", "Less"}, o.Name())
	}
	return false
}

// prints reports functions that write for people.
func prints(o types.Object) bool {
	return o.Pkg().Path() == "text/tabwriter" || o.Pkg().Path() == "fmt" && strings.HasPrefix(o.Name(), "Fprint")
}

// TestNoFileDecidesAndPrints: what is written for people is one file, and what it is about another.
func TestNoFileDecidesAndPrints(t *testing.T) {
	deciding, printing := 0, 0
	for _, p := range load(t, "./...") {
		for _, f := range p.Syntax {
			var decided, printed string
			uses(p, f, func(o types.Object) {
				switch {
				case o.Pkg() == nil:
				case decides(o):
					decided = o.Name()
				case prints(o):
					printed = o.Name()
				}
			})
			if decided != "" {
				deciding++
			}
			if printed != "" {
				printing++
			}
			if decided != "" && printed != "" {
				t.Errorf("%s/%s decides by %s and prints by %s", p.PkgPath, filepath.Base(p.Fset.Position(f.Pos()).Filename), decided, printed)
			}
		}
	}
	if deciding < 50 || printing < 20 {
		t.Errorf("%d files decide and %d print, want at least 50 and 20", deciding, printing)
	}
}
