// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/big"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair/normals"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
	"dpverify/mechanism"
)

// examples has one pair of each type at least.
func examples() []Pair {
	one, half := rat("1"), rat("1/2")
	noise := Product{{Laplace{Shift: one}, 2}}
	clamped := Clamped{Noise: LaplaceNoise, Location: half, Width: one, Shift: one}
	coin := NewFinite(rats("3/4", "1/4"), rats("1/3", "2/3"))
	return []Pair{
		Gaussian{Mu2: one}, Laplace{Shift: one}, Logistic{Shift: one}, Response{one, rat("1/10")}, DiscreteLaplace{one, 2}, DiscreteGaussian{one, 2},
		Clamped{Noise: GaussianNoise, Location: half, Width: one, Shift: one}, Clamped{Noise: GaussianNoise, Location: half, Width: one, Shift: one, ShiftFirst: true},
		Gaussians{SigmaP: one, SigmaQ: half, Shift: one}, Gaussians{SigmaP: half, SigmaQ: one, Shift: new(big.Rat)},
		GroupResponse{one, rat("1/10"), 3}, GroupResponse{one, new(big.Rat), 4},
		KeyRelease{Noise: mechanism.Laplace{NoiseMultiplier: one}, Threshold: rat("3")},
		KeyRelease{Noise: mechanism.DiscreteGaussian{Sigma: one, Sensitivity: one}, Threshold: rat("-3"), Reversed: true},
		Truncated{Noise: GaussianNoise, Width: one, Sensitivity: one, Radius: rat("3")}, Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: one, Radius: rat("3")}, Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: rat("7"), Radius: rat("3")},
		clamped, Clamped{Noise: LaplaceNoise, Location: half, Width: one, Shift: one, ShiftFirst: true},
		GaussianMixture{P: normals.Mixture{Means: rats("1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()}, GaussianMixture{P: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()},
		GaussianMixture{P: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Mixture{Means: rats("-2", "1"), Probs: rats("1/2", "1/2")}}, GaussianMixture{P: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Mixture{Means: rats("-2", "3"), Probs: rats("1/3", "2/3")}},
		Sampled{Rate: half, Base: noise}, Sampled{Rate: half, Base: Product{{coin, 1}}}, Mixed(half, noise), Mixed(half, Product{{coin, 2}}),
		SampledReplaceGaussian{Rate: half, Mu2: one}, ZCDP{Rho: one, Xi: new(big.Rat)}, RenyiCurve{Orders: rats("2"), Values: rats("1")}, BoundedRange{Eps: one},
		Mixed(half, Product{{ZCDP{Rho: one, Xi: new(big.Rat)}, 1}}), TwoPoint{half, one}, LaplaceAbove{Shift: one, Threshold: half},
		LaplaceAbove{Shift: one, Threshold: rat("3/4")}, coin, Binomial{Trials: 9, Prob: rat("1/3"), Sensitivity: 2},
		Mean{[]*big.Rat{half, half}, []Product{{{Gaussian{Mu2: one}, 1}}, {{Laplace{Shift: one}, 1}}}}, Mean{[]*big.Rat{half, rat("1/3"), rat("1/6")}, []Product{{{Response{one, half}, 2}}, {{DiscreteLaplace{one, 1}, 1}}, {{Response{half, new(big.Rat)}, 1}}}}, FullBatch{P: [3]*big.Rat{rat("3/7"), rat("3/14"), rat("5/14")}, Q: [2]*big.Rat{rat("4/7"), rat("3/7")}, Mu: one}, FullBatch{P: [3]*big.Rat{rat("3/7"), rat("3/14"), rat("5/14")}, Q: [2]*big.Rat{rat("4/7"), rat("3/7")}, Mu: one, Reversed: true}, WithReplacement{Source: 10, Size: 5, Base: Gaussian{Mu2: one}}, hidden(9, half, rat("3/4")), hidden(9999, half, rat("3/4")), NewReports(3, []Report{{half, rat("1/3"), half}, {half, rat("1/3"), new(big.Rat)}, {new(big.Rat), rat("1/3"), half}}), Reported{9, rat("1/4"), half, false}, LocalReports{Others: 9, Ratio: rat("3")}, Repeated{Base: noise, Mean: rat("3"), Shape: half}, RepeatedDivergence{Repeated{Base: noise, Mean: rat("3")}}, Opposed{Records: 4, Rate: half, Batch: 2, Mu: one, Along: half, Across: rat("4/5")},
		OppositeAllocation{Mu2: one, Steps: 3}, Patterns{Law: pattern.Law{Draw: pattern.Chosen, Size: 1, Limit: 1, Most: one, Even: new(big.Rat), Rows: []participation.Row{{Products: []*big.Rat{one}, Count: 2}}}},
		Bins{Gram: [][]*big.Rat{{one, one}, {one, rat("2")}}}, Allocation{Base: Gaussian{Mu2: one}, Selected: 1, Steps: 3}, Allocation{Base: coin, Selected: 2, Steps: 3, Reversed: true},
		NewHull(profilePoints("0", "3/10", "1", "1/10")), symmetric(coin), symmetric(clamped), symmetric(ZCDP{Rho: one, Xi: new(big.Rat)}),
	}
}

// TestEveryPair: laws of what a pair says of itself, for one pair of each type. A type without
// an example is named.
func TestEveryPair(t *testing.T) {
	types := pairTypes(t)
	for _, x := range examples() {
		delete(types, reflect.TypeOf(x).Name())
		back := x.Reverse().Reverse()
		if back.String() != x.String() {
			t.Errorf("%s: reversed twice, it is %s", x, back)
		}
		if x.SelfDual() != x.Reverse().SelfDual() {
			t.Errorf("%s: self-dual %v, but the reverse %v", x, x.SelfDual(), !x.SelfDual())
		}
		if x.SelfDual() {
			m, ok := x.infMass()
			r, rok := x.Reverse().infMass()
			if ok != rok || ok && m.Cmp(r) != 0 {
				t.Errorf("%s is self-dual, but not its mass of infinite loss", x)
			}
		}
		if f, _ := Forward(x); f.isReversed() {
			t.Errorf("%s: forward, it is %s", x, f)
		}
		if x.Kind() != x.Reverse().Kind() {
			t.Errorf("%s: kind %d, but its reverse %d", x, x.Kind(), x.Reverse().Kind())
		}
		os, rest, ok := x.Outcomes(64, 1000)
		if ok != (x.Kind() == Discrete) {
			t.Errorf("%s: kind %d, outcomes %v", x, x.Kind(), ok)
		}
		if _, _, ok := x.Outcomes(64, 1); ok && len(os) > 2 && !is[Response](x) {
			t.Errorf("%s: %d outcomes are not too many for a limit of 1", x, len(os))
		}
		const w = interval.Prec(64)
		var sum interval.Interval
		most := interval.NegInf()
		for _, o := range os {
			sum = w.Add(sum, o.P)
			if !o.P.IsZero() && !o.Q.IsZero() {
				most = interval.Max(most, w.Log(w.Div(o.P, o.Q)))
			}
		}
		if one := interval.Int(1); ok && (one.Less(sum) == interval.True || w.Add(sum, rest).Less(one) == interval.True) {
			t.Errorf("%s: P-mass %s, and %s left out", x, sum, rest)
		}
		// No outcome has a finite loss above the reach.
		if l, bounded := lossBound(x); ok && bounded && l.Enclose(w).Less(most) == interval.True {
			t.Errorf("%s: a loss of %s, but %s bounds all", x, most, l)
		}
		r := x.reach()
		if x.Kind() == Guarantee && (r.known != unknown || len(os) > 0) {
			t.Errorf("%s: a guarantee has losses of its own", x)
		}
		if Unbounded(Product{{x, 1}}) && r.known != none {
			t.Errorf("%s: losses with a bound are unbounded", x)
		}
		whole := Product{{x, 1}}
		if whole.Kind() != x.Kind() || whole.IsDiscrete() != (x.Kind() == Discrete) || whole.IsGuarantee() != (x.Kind() == Guarantee) {
			t.Errorf("%s: alone, it is of kind %d", x, whole.Kind())
		}
		for _, p := range Parts(x) {
			if p.IsGuarantee() && x.Kind() != Guarantee {
				t.Errorf("%s: part %s is a guarantee", x, p)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		t.Errorf("no example of pair.%s", name)
	}
}

func is[T Pair](x Pair) bool {
	_, ok := x.(T)
	return ok
}

// pairTypes are the types with the methods of a pair, by the source.
func pairTypes(t *testing.T) map[string]bool {
	out := make(map[string]bool)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "reach" {
				out[fn.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	return out
}
