// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Operations that silently break a bound, by the type that they belong to: those
// that round to nearest, or in a direction of their own, or pass through float64.
// fmt formats a *big.Float by its Format method.
var unsafeMethods = map[string][]string{
	"Float": {"Sqrt", "Text", "String", "Format", "Append", "AppendText", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON",
		"Float64", "Float32", "SetFloat64", "SetString", "Parse", "Scan"},
	"Rat": {"Float64", "Float32", "SetFloat64", "FloatString"},
	"Int": {"Float64"},
}

var unsafeFunctions = []string{"NewFloat", "ParseFloat"}

// Of these packages, the first may do anything with float64: it rounds outwards, and proves the errors
// that it makes. The others may hold and compare float64, which are ends of its intervals, but not
// compute with them, but for the declarations in floatsAllowed.
const floatArithmetic = "dpverify/exact/double"

var floatEnds = []string{
	"dpverify/exact/adversary", "dpverify/exact/candidates", "dpverify/exact/exponential",
	"dpverify/exact/inversion", "dpverify/exact/inversion/bent", "dpverify/exact/inversion/continuation", "dpverify/exact/inversion/fall",
	"dpverify/exact/inversion/laplacian", "dpverify/exact/inversion/likely", "dpverify/exact/inversion/tapering",
	"dpverify/exact/inversion/thinning", "dpverify/exact/quadrature",
	"dpverify/exact/response",
}

// guesses is how the name of a file begins whose functions choose in float64, and bound nothing.
const guesses = "guess_"

// bans returns the unsafe operations in a type-checked package of exact/.
func bans(p *packages.Package) []string {
	if p.PkgPath == floatArithmetic {
		return nil
	}
	holds := slices.Contains(floatEnds, p.PkgPath)
	var out []string
	report := func(n ast.Node, format string, args ...any) {
		pos := p.Fset.Position(n.Pos())
		out = append(out, fmt.Sprintf("%s:%d: %s", filepath.Base(pos.Filename), pos.Line, fmt.Sprintf(format, args...)))
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if f, ok := p.TypesInfo.Uses[n].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "math/big" {
						if name := unsafeBig(f); name != "" {
							report(n, "%s is unsafe for bounds", name)
						}
					}
				case *ast.CallExpr:
					if printed := formatsFloat(p, n); printed != nil {
						report(printed, "fmt formats a *big.Float")
					}
				}
				return true
			})
			if strings.HasPrefix(filepath.Base(p.Fset.Position(d.Pos()).Filename), guesses) {
				if f, ok := d.(*ast.FuncDecl); ok && encloses(p, f) {
					report(f, "%s returns an enclosure: it is no guess", f.Name.Name)
				}
				continue
			}
			for _, spec := range declarations(d) {
				if slices.ContainsFunc(floatsAllowed, func(a struct{ pkg, declaration, reason string }) bool {
					return a.pkg == p.PkgPath && a.declaration == spec.name
				}) {
					continue
				}
				seen := map[int]bool{} // one report for each line
				ast.Inspect(spec.node, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					if !ok || holds && !computes(p, e) {
						return true
					}
					if tv, ok := p.TypesInfo.Types[e]; ok && isFloat(tv.Type) && !seen[p.Fset.Position(e.Pos()).Line] {
						seen[p.Fset.Position(e.Pos()).Line] = true
						report(e, "%s uses %s", spec.name, tv.Type)
					}
					return true
				})
			}
		}
	}
	return out
}

// encloses reports whether a function returns an enclosure.
func encloses(p *packages.Package, f *ast.FuncDecl) bool {
	results := p.TypesInfo.Defs[f.Name].Type().(*types.Signature).Results()
	for i := range results.Len() {
		switch strings.TrimLeft(results.At(i).Type().String(), "[]*") {
		case "dpverify/exact/interval.Interval", "dpverify/exact/interval.Complex", "dpverify/exact/double.Interval",
			"dpverify/exact/fixed.Real", "dpverify/exact/fixed.Complex":
			return true
		}
	}
	return false
}

// unsafeBig returns how a function of math/big is called, if it is unsafe.
func unsafeBig(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		if slices.Contains(unsafeFunctions, f.Name()) {
			return "big." + f.Name()
		}
		return ""
	}
	t := recv.Type()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := t.(*types.Named)
	if ok && slices.Contains(unsafeMethods[named.Obj().Name()], f.Name()) {
		return fmt.Sprintf("(*big.%s).%s", named.Obj().Name(), f.Name())
	}
	return ""
}

// formatsFloat returns an argument of a call of package fmt that is a *big.Float.
func formatsFloat(p *packages.Package, call *ast.CallExpr) ast.Node {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if f, ok := p.TypesInfo.Uses[sel.Sel].(*types.Func); !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return nil
	}
	for _, a := range call.Args {
		if t := p.TypesInfo.Types[a].Type; t != nil && strings.TrimPrefix(t.String(), "*") == "math/big.Float" {
			return a
		}
	}
	return nil
}

// computes reports whether an expression is arithmetic, or calls a function of package math that
// does more than to tell infinities.
func computes(p *packages.Package, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return p.TypesInfo.Types[e].Value == nil
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f, ok := p.TypesInfo.Uses[sel.Sel].(*types.Func)
		return ok && f.Pkg() != nil && f.Pkg().Path() == "math" && !slices.Contains([]string{"Inf", "NaN"}, f.Name())
	}
	return false
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Float64 || b.Kind() == types.Float32 || b.Kind() == types.Complex128 || b.Kind() == types.Complex64)
}

// A declaration is a function, type, variable or constant by its name.
type declaration struct {
	name string
	node ast.Node
}

func declarations(d ast.Decl) []declaration {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []declaration{{d.Name.Name, d}}
	case *ast.GenDecl:
		var out []declaration
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, declaration{s.Name.Name, s})
			case *ast.ValueSpec:
				out = append(out, declaration{s.Names[0].Name, s})
			}
		}
		return out
	}
	return nil
}

// load returns the packages of patterns like ./exact and ./exact/..., or of their paths. All of the module
// are loaded once, for all tests.
func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	all, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	var out []*packages.Package
	for _, pattern := range patterns {
		path := pattern
		if tail, local := strings.CutPrefix(pattern, "./"); local {
			path = "dpverify/" + tail
		}
		tree, below := strings.CutSuffix(path, "/...")
		n := len(out)
		for _, p := range all {
			if (p.PkgPath == path || below && under(p.PkgPath, []string{tree})) && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		if len(out) == n {
			t.Fatalf("%s matches nothing", pattern)
		}
	}
	return out
}

var loadModule = sync.OnceValues(func() ([]*packages.Package, error) { return loadWith(nil, "./...") })

// loadWith parses and type-checks packages, some of whose files stand in overlay.
func loadWith(overlay map[string][]byte, patterns ...string) ([]*packages.Package, error) {
	ps, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		Overlay: overlay,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		for _, err := range p.Errors {
			return nil, err
		}
		if len(p.Syntax) == 0 {
			return nil, fmt.Errorf("%s: no files", p.PkgPath)
		}
	}
	if len(ps) == 0 {
		return nil, fmt.Errorf("%v matches nothing", patterns)
	}
	return ps, nil
}

// TestUnsafeOperations: nothing inside exact/ but its tests uses an operation that
// does not round as a bound must.
func TestUnsafeOperations(t *testing.T) {
	for _, p := range load(t, "./exact/...") {
		for _, b := range bans(p) {
			t.Errorf("%s: %s", p.PkgPath, b)
		}
	}
}

// TestUnsafeOperationsBite: each banned operation is found, however it is spelled, in
// a file put among the files of exact/interval; and what is safe is not.
func TestUnsafeOperationsBite(t *testing.T) {
	banned := []string{
		"return new(big.Float).Sqrt(x)",
		"return x.Text('g', 10)",
		"return x.String()",
		"f := x.String; return f()",
		"return (*big.Float).String",
		"f, _ := x.Float64(); return f",
		"f, _ := x.Float32(); return f",
		"y, _ := x.SetString(\"0.1\"); return y",
		"y, _, _ := x.Parse(\"0.1\", 10); return y",
		"return x.Scan",
		"return x.SetFloat64(1)",
		"return big.NewFloat(1)",
		"y, _, _ := big.ParseFloat(\"0.1\", 10, 53, big.ToNearestEven); return y",
		"f, _ := r.Float64(); return f",
		"return r.FloatString(10)",
		"f, _ := n.Float64(); return f",
		"return fmt.Sprintf(\"%v\", x)",
		"return fmt.Sprint(*x)",
		"_, err := fmt.Sscan(\"0.1\", x); return err",
		"var y float64; return y",
		"const half = 0.5; y := half; return y",
		"return int(float32(n.Int64()))",
		"type alias = float64; return any(alias(1))",
	}
	safe := []string{
		"y := new(big.Float).SetInt(n); y.Add(y, x); return y.Cmp(x)",
		"return new(big.Float).SetPrec(8).SetMode(big.ToPositiveInf).SetRat(r)",
		"return fmt.Sprint(n, r)",
	}
	src := "package interval\n\nimport (\n\t\"fmt\"\n\t\"math/big\"\n)\n\nvar _ = fmt.Sprint\n"
	first := strings.Count(src, "\n") + 1 // the line of the first snippet
	for i, snippet := range slices.Concat(banned, safe) {
		src += fmt.Sprintf("func snippet%d(x *big.Float, r *big.Rat, n *big.Int) any { %s }\n", i, snippet)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const guess = "package interval\n\nfunc guess(x float64) float64 { return x }\n\nfunc bounds(x float64) []Interval { return nil }\n"
	overlay := map[string][]byte{
		filepath.Join(dir, "exact", "interval", "zz_banned.go"):    []byte(src),
		filepath.Join(dir, "exact", "interval", "guess_banned.go"): []byte(guess),
	}
	found := map[int]string{}
	var guessed []string
	ps, err := loadWith(overlay, "./exact/interval")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		for _, b := range bans(p) {
			var line int
			if n, _ := fmt.Sscanf(b, "zz_banned.go:%d:", &line); n == 1 {
				found[line-first] = b
			}
			if strings.HasPrefix(b, guesses) {
				guessed = append(guessed, b)
			}
		}
	}
	if want := []string{"guess_banned.go:5: bounds returns an enclosure: it is no guess"}; !slices.Equal(guessed, want) {
		t.Errorf("of a file of guesses %q, want %q", guessed, want)
	}
	for i, snippet := range banned {
		if found[i] == "" {
			t.Errorf("not found: %s", snippet)
		}
	}
	for i, snippet := range safe {
		if b := found[len(banned)+i]; b != "" {
			t.Errorf("%s: falsely found: %s", snippet, b)
		}
	}
}
