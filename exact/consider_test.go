// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

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

	"dpverify/exact/inversion"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
	"dpverify/exact/pld"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// An engine answers for products of pairs if it knows something of each pair.
type engine int

const (
	closedForms engine = iota // one copy, to any precision
	grids                     // compositions, both bounds
	buckets                   // compositions, as a check
	transforms                // compositions beside a Gaussian, whose transform falls fast
	divergences               // Rényi divergences
	engines
)

var engineNames = [engines]string{"a closed form", "grids", "buckets", "transforms", "divergences"}

// covers reports whether an engine knows a pair.
var covers = [engines]func(x pair.Pair) bool{
	func(x pair.Pair) bool {
		one := pair.Product{{Pair: x, Count: 1}}
		return method.HasClosedForm(one) || method.Enumeration(method.NewSolver(method.All, 0, nil), one, 0) != nil
	},
	func(x pair.Pair) bool { return pld.Gridded(pair.Product{{Pair: x, Count: 2}}) },
	func(x pair.Pair) bool {
		return method.Bucket(method.NewSolver(method.All, method.LeastBucketEffort, nil), pair.Product{{Pair: x, Count: 2}}, method.LeastBucketEffort) != nil
	},
	func(x pair.Pair) bool {
		return (*inversion.Memo)(nil).Applies(pair.Product{{Pair: x, Count: 1}, {Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}})
	},
	func(x pair.Pair) bool {
		_, ok := renyi.Moments(pair.Product{{Pair: x, Count: 1}})
		return ok
	},
}

// Reasons for which an engine leaves a pair out.
const (
	noPair      = "it is a guarantee, which its divergences bound from above only"
	noOutcomes  = "its masses have neither tails in closed form nor a list"
	noTransform = "its transform is not derived: a grid bounds it from both sides"
	ownMethod   = "a method of its own answers, which knows how its law is made"
	noMoments   = "its divergences are not derived"
	manyPairs   = "it is the greatest of several profiles, not a pair that is known: each of them is asked, and a grid bounds it from above"
)

// considered has each pair, and what each engine does with it: nothing where it answers, and
// otherwise the reason why not. Whoever adds a pair fills in a line.
var considered = []struct {
	x   pair.Pair
	why map[engine]string
}{
	{pair.Gaussian{Mu2: rat("1")}, nil},
	{pair.Laplace{Shift: rat("1")}, nil},
	{pair.Logistic{Shift: rat("1")}, nil},
	{pair.Response{Eps: rat("1"), Delta: rat("1/10")}, nil},
	{pair.NewFinite(rats("3/4", "1/4"), rats("1/3", "2/3")), nil},
	{pair.DiscreteLaplace{A: rat("1"), Sensitivity: 2}, nil},
	{pair.DiscreteGaussian{Sigma2: rat("1"), Sensitivity: 2}, nil},
	{pair.Binomial{Trials: 100, Prob: rat("1/3"), Sensitivity: 2}, nil},
	{pair.TwoPoint{Up: rat("1"), Down: rat("1/2")}, nil},
	{pair.LaplaceAbove{Shift: rat("1"), Threshold: rat("3/4")}, nil},
	{hullPair(), nil},
	{pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("3")}, nil},
	{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("3")}, map[engine]string{transforms: noTransform}},
	{pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1/2"), Width: rat("1"), Shift: rat("1")}, map[engine]string{transforms: noTransform}},
	{pair.GaussianMixture{P: normals.Mixture{Means: rats("1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()}, nil},
	{pair.SampledReplaceGaussian{Rate: rat("1/2"), Mu2: rat("1")}, nil},
	{pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 2}}}, nil},
	{pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 2}}},
		map[engine]string{buckets: noOutcomes, transforms: noTransform}},
	{pair.Mixed(rat("1/2"), pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 2}}),
		map[engine]string{buckets: noOutcomes, transforms: noTransform}},
	{pair.Maximum{Of: []pair.Product{{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}, {{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}}},
		map[engine]string{closedForms: manyPairs, grids: manyPairs, buckets: manyPairs, transforms: manyPairs}},
	{pair.ZCDP{Rho: rat("1"), Xi: rat("0")}, map[engine]string{closedForms: noPair, grids: noPair, buckets: noPair, transforms: noPair}},
	{pair.RenyiCurve{Orders: rats("2"), Values: rats("1")}, map[engine]string{closedForms: noPair, grids: noPair, buckets: noPair, transforms: noPair}},
	{pair.Clamped{Noise: pair.GaussianNoise, Location: rat("1/2"), Width: rat("1"), Shift: rat("1")}, map[engine]string{transforms: noTransform}},
	{pair.Gaussians{SigmaP: rat("2"), SigmaQ: rat("1"), Shift: rat("1")}, map[engine]string{transforms: noTransform}},
	{pair.GroupResponse{Eps: rat("1"), Delta: rat("1/10"), Size: 3}, nil},
	{pair.KeyRelease{Noise: mechanism.Laplace{NoiseMultiplier: rat("1")}, Threshold: rat("3")}, nil},
	{pair.Mean{Shares: rats("1/2", "1/2"), Of: []pair.Product{{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}, {{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}}},
		map[engine]string{transforms: noTransform}},
	{pair.FullBatch{P: [3]*big.Rat{rat("3/7"), rat("3/14"), rat("5/14")}, Q: [2]*big.Rat{rat("4/7"), rat("3/7")}, Mu: rat("1")}, map[engine]string{transforms: noTransform}},
	{pair.WithReplacement{Source: 10, Size: 5, Base: pair.Gaussian{Mu2: rat("1")}},
		map[engine]string{closedForms: ownMethod, grids: ownMethod, buckets: ownMethod, transforms: noTransform}},
	{pair.Opposed{Records: 4, Rate: rat("1/2"), Batch: 2, Mu: rat("1"), Along: rat("1/2"), Across: rat("4/5")},
		map[engine]string{closedForms: ownMethod, buckets: noOutcomes, transforms: noTransform, divergences: noMoments}},
	{pair.Allocation{Base: pair.Gaussian{Mu2: rat("1")}, Selected: 1, Steps: 3},
		map[engine]string{closedForms: ownMethod, buckets: noOutcomes, transforms: noTransform}},
	{pair.OppositeAllocation{Mu2: rat("1"), Steps: 3}, map[engine]string{closedForms: ownMethod,
		buckets: noOutcomes, transforms: noTransform, divergences: noMoments}},
	{pair.Bins{Gram: [][]*big.Rat{rats("1", "1"), rats("1", "2")}}, map[engine]string{closedForms: ownMethod, grids: ownMethod,
		buckets: noOutcomes, transforms: noTransform, divergences: noMoments}},
	{pair.Patterns{Law: pattern.Law{Draw: pattern.Chosen, Size: 1, Limit: 1, Most: rat("1"), Even: rat("0"),
		Rows: []participation.Row{{Products: rats("1"), Count: 2}}}}, map[engine]string{closedForms: ownMethod, grids: ownMethod,
		buckets: noOutcomes, transforms: noTransform, divergences: noMoments}},
	{repeatedPair, map[engine]string{closedForms: ownMethod, grids: ownMethod, buckets: noOutcomes, transforms: noTransform, divergences: noMoments}},
	{pair.RepeatedDivergence{Of: repeatedPair}, map[engine]string{closedForms: noPair, grids: noPair, buckets: noPair, transforms: noPair}},
	{pair.NewReports(9999, []pair.Report{{P: rat("3/4"), Q: rat("1/4"), Other: rat("1/6")}, {P: rat("1/4"), Q: rat("3/4"), Other: rat("1/6")},
		{P: rat("0"), Q: rat("0"), Other: rat("2/3")}}),
		map[engine]string{closedForms: ownMethod, grids: ownMethod, buckets: noOutcomes, transforms: noTransform}},
	{pair.LocalReports{Others: 9999, Ratio: rat("3")},
		map[engine]string{closedForms: ownMethod, grids: ownMethod, buckets: noOutcomes, transforms: noTransform}},
	{pair.Reported{Others: 9, Noise: rat("1/3"), Truth: rat("3/4")}, nil},
	{pair.BoundedRange{Eps: rat("1")}, map[engine]string{closedForms: noPair, grids: noPair, buckets: noPair, transforms: noPair}},
}

var repeatedPair = pair.Repeated{Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}, Mean: rat("3"), Shape: rat("1")}

// TestEveryEngineIsConsidered: each engine answers for each pair, or the table says why not; a
// pair that the table lacks is named.
func TestEveryEngineIsConsidered(t *testing.T) {
	missing := pairTypes(t)
	for _, c := range considered {
		x := c.x
		delete(missing, reflect.TypeOf(x).Name())
		for e := range engines {
			switch why, covered := c.why[e], covers[e](x); {
			case !covered && why == "":
				t.Errorf("%s: left out of %s, and no reason why", x, engineNames[e])
			case covered && why != "":
				t.Errorf("%s: %s answers, although %s", x, engineNames[e], why)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("pair.%s: not in the table of what engines do with pairs", name)
	}
}

// hullPair is the worst pair with two points of its profile.
func hullPair() pair.Pair {
	prob, err := meaning.Resolve(mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
		{Epsilon: rat("0"), Delta: rat("3/10")}, {Epsilon: rat("1"), Delta: rat("1/10")},
	}}, mechanism.AddOrRemoveOne)
	if err != nil {
		panic(err)
	}
	return prob.Dominating()[0].Pair
}

// pairTypes are the types with the methods of a pair, by the source.
func pairTypes(t *testing.T) map[string]bool {
	t.Helper()
	out := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join("pair", "*.go"))
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
	if len(out) == 0 {
		t.Fatal("no pairs")
	}
	return out
}
