// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/bucket"
	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/mechanism"
)

// TestUnknownEpsilon: where an enclosure leaves ε open, every method says that δ is in [0, 1].
func TestUnknownEpsilon(t *testing.T) {
	ctx := t.Context()
	open := func(interval.Prec) interval.Interval { return interval.Entire() }
	gauss := pair.Gaussian{Mu2: rat("1")}
	steps, last := 0, 0
	set := pld.Settings{Points: 64, Prec: 61, Cut: 30, Limit: 1 << 12, Progress: func(done, total int) {
		if steps++; done != steps || done > total {
			t.Errorf("step %d is called %d of %d", steps, done, total)
		}
		last = total
	}}
	g, ok, err := pld.NewGrid(ctx, pair.Product{term(gauss, 5)}, set)
	if !ok || err != nil || steps != last || steps == 0 {
		t.Fatal(ok, err, steps, last)
	}
	tree, ok, err := bucket.PairLeaf(ctx, gauss, bucket.Shape{N: 64, Eta: rat("1/8"), Prec: 61})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	x, ok := (*inversion.Memo)(nil).New(pair.Product{term(gauss, 1), term(pair.Laplace{Shift: rat("1")}, 2)})
	if !ok {
		t.Fatal("no transform")
	}
	for name, f := range map[string]profile.Func{"pld": g.Delta, "buckets": tree.Delta, "inversion": x.Delta} {
		if y, err := f(ctx, 64, open); err != nil || !y.Encloses(profile.Unit()) {
			t.Errorf("%s: δ(?) ∈ %s, %v", name, y, err)
		}
	}
	for name, y := range map[string]*big.Float{"upper": tree.Upper(64, open), "typical": tree.Typical(64, open), "PDP": tree.PDP(64, open)} {
		if y.Cmp(big.NewFloat(1)) != 0 {
			t.Errorf("buckets, %s: δ(?) is not bounded by 1", name)
		}
	}
	for _, x := range []pair.Pair{
		pair.SampledReplaceGaussian{Rate: rat("1/2"), Mu2: rat("1")},
		pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()}, pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("0", "1"), Probs: rats("1/2", "1/2")}},
	} {
		tails, _ := closed.PairTails(x)
		if p, q := tails(64, closed.Arg{Interval: interval.Entire()}); !p.Encloses(profile.Unit()) || !q.Encloses(profile.Unit()) {
			t.Errorf("%s: P(L > ?) ∈ %s, Q(L > ?) ∈ %s", x, p, q)
		}
	}
}

// TestLimitsRefuse: beyond a limit of size there is no answer, not a wrong one.
func TestLimitsRefuse(t *testing.T) {
	ctx := t.Context()
	laplace := pair.DiscreteLaplace{A: rat("1"), Sensitivity: 40}
	incommensurable := pair.Finite{Masses: pair.NewFinite(rats("1/2", "1/3", "1/6"), rats("1/6", "1/2", "1/3")).Masses}
	for name, c := range map[string]struct {
		prod pair.Product
		lim  pld.Limits
	}{
		"outcomes":            {pair.Product{term(laplace, 1)}, pld.Limits{Points: 10, Words: 1 << 18, Terms: 1 << 12}},
		"points":              {pair.Product{term(incommensurable, 1)}, pld.Limits{Points: 2, Words: 1 << 18, Terms: 1 << 12}},
		"words of a power":    {pair.Product{term(laplace, 8)}, pld.Limits{Points: 1 << 10, Words: 100, Terms: 1 << 12}},
		"words of an odd one": {pair.Product{term(rr("1"), 7)}, pld.Limits{Points: 1 << 10, Words: 14, Terms: 1 << 12}},
		"no lattice":          {pair.Product{term(gaussPair, 1)}, pld.Limits{Points: 1 << 10, Words: 1 << 18, Terms: 1 << 12}},
	} {
		if d, ok, err := pld.New(ctx, c.prod, 61, c.lim); ok || err != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if pld.OnLattice(pair.Product{term(gaussPair, 1)}, pld.Limits{Points: 1 << 10}) || pld.OnLattice(pair.Product{term(laplace, 1)}, pld.Limits{Points: 10}) {
		t.Error("a Gaussian, or a long list, is on a lattice")
	}
	equal := pair.NewFinite(rats("1/2", "1/2"), rats("1/2", "1/2"))
	d, ok, err := pld.New(ctx, pair.Product{term(equal, 3)}, 61, pld.Limits{Points: 1 << 10, Words: 1 << 18, Terms: 1 << 12})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if y, err := d.Delta(ctx, 64, interval.RealRat(new(big.Rat))); err != nil || !y.ContainsRat(new(big.Rat)) || y.LessRat(rat("1e-15")) != interval.True {
		t.Errorf("equal distributions have δ(0) ∈ %s, %v", y, err)
	}
	d, ok, err = pld.New(ctx, pair.Product{term(laplace, 2)}, 61, pld.Limits{Points: 1 << 10, Words: 1 << 18, Terms: 1 << 12})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if os, _, ok := d.Outcomes(64, 10); ok {
		t.Errorf("%d outcomes, want at most 10", len(os))
	}
	// A solver that is too deep in parts of parts knows what is true of all profiles.
	s := method.NewSolver(method.All, 0, nil)
	s.Depth = method.MaxDepth
	sol, err := s.Solve(ctx, pair.Product{term(gaussPair, 1)})
	if err != nil || len(sol.Used) != 0 || sol.TwoSided {
		t.Errorf("too deep: %v, %v", sol.Names(), err)
	}
	if y, err := s.Delta(ctx, sol, 64, interval.RealRat(new(big.Rat))); err != nil || !y.Encloses(profile.Unit()) {
		t.Errorf("too deep: δ(0) ∈ %s, %v", y, err)
	}
}

var gaussPair = pair.Gaussian{Mu2: rat("1")}

// TestUndefinedQuestions: a question that has no meaning is refused by everything that takes
// one.
func TestUndefinedQuestions(t *testing.T) {
	ctx := t.Context()
	asked := func(q Question) map[string]error {
		errs := make(map[string]error)
		_, errs["Delta"] = Delta(ctx, q, rat("1"), 0)
		_, errs["Epsilon"] = Epsilon(ctx, q, rat("1/10"), 20, 0)
		_, _, errs["Orientations"] = Orientations(q)
		_, errs["Each"] = Each(ctx, q, 0, 1)
		return errs
	}
	f := mechanism.SelfComposed{Event: asymmetric, Count: 2}
	var relation *meaning.RelationError
	for name, err := range asked(Question{Event: mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2}}) {
		if !errors.As(err, &relation) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var direction *meaning.DirectionError
	for name, err := range asked(Question{Event: f, Relation: mechanism.ReplaceOne, Direction: mechanism.Add}) {
		if !errors.As(err, &direction) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if all, err := Each(ctx, Question{Event: mechanism.NoOp{}}, 0, 1); err != nil || len(all) > 0 {
		t.Errorf("nothing is bounded by %d methods, %v", len(all), err)
	}
}

// TestStatedParts: a guarantee in Rényi divergences is found in what is sampled or mixed, and
// discrete pairs and closed forms too.
func TestStatedParts(t *testing.T) {
	zcdp, half := pair.ZCDP{Rho: rat("1"), Xi: new(big.Rat)}, rat("1/2")
	sampled := func(x pair.Pair) pair.Product {
		return pair.Product{term(pair.Sampled{Rate: half, Base: pair.Product{term(x, 1)}}, 1)}
	}
	mixed := func(x pair.Pair) pair.Product {
		return pair.Product{term(pair.Mixed(half, pair.Product{term(x, 1)}), 1)}
	}
	for name, c := range map[string]struct {
		got  func(pair.Product) bool
		x, y pair.Pair // one that has it, one that has not
	}{
		"guarantee":   {pair.Product.IsGuarantee, zcdp, gaussPair},
		"discrete":    {pair.Product.IsDiscrete, rr("1"), gaussPair},
		"closed form": {method.HasClosedForm, gaussPair, rr("1")},
	} {
		for i, of := range []func(pair.Pair) pair.Product{sampled, mixed} {
			if !c.got(of(c.x)) || c.got(of(c.y)) {
				t.Errorf("%s, kind %d: %t for %s, %t for %s", name, i, c.got(of(c.x)), c.x, c.got(of(c.y)), c.y)
			}
		}
	}
}

// TestTextsOfLimits: sizes and bounds as people read them.
func TestTextsOfLimits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Refusal{Method: "pld", Bytes: 1500}.String(), "pld needs 2 kB of memory"}, {Refusal{Method: "pld", Bytes: 1_500_001}.String(), "pld needs 1.6 MB of memory"},
		{(&convolve.MemoryError{Need: 10, Limit: 5}).Error(), "10 bytes of memory, 5 are allowed"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	// What only a bug can ask for.
	for name, f := range map[string]func(){
		"no copies":                 func() { _, _ = bucket.Policy{}.Power(context.Background(), nil, 0) },
		"an entry below 0":          func() { convolve.NewVector(1, 61).Set(0, big.NewInt(-1)) },
		"an entry that is too long": func() { convolve.NewVector(1, 61).Set(0, new(big.Int).Lsh(big.NewInt(1), 300)) },
		"a window beyond the end": func() {
			_, _ = convolve.Window(context.Background(), convolve.NewVector(2, 61), convolve.NewVector(2, 61), 0, 4, convolve.Down)
		},
		"entries of two sizes": func() {
			_, _ = convolve.Window(context.Background(), convolve.NewVector(2, 61), convolve.NewVector(2, 123), 0, 3, convolve.Down)
		},
		"lists of two lengths": func() { pair.NewFinite(rats("1"), rats("1/2", "1/2")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
