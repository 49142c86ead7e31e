// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/response"
	"dpverify/internal/testkit"
)

// TestEqualGuaranteesNearZero: with ε = 0, every loss is 0 or infinite; where the sign of the
// argument is open, both sides are enclosed.
func TestEqualGuaranteesNearZero(t *testing.T) {
	s, err := response.NewEqual(t.Context(), 64, response.Guarantee{Eps: new(big.Rat), Delta: rat("1/10"), Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	y, err := s.Delta(t.Context(), 64, func(w interval.Prec) interval.Interval {
		return interval.Union(w.Rat(rat("-1")), w.Rat(rat("1")))
	})
	const p = interval.Prec(64)
	inf := rat("271/1000") // 1 − 0.9³
	low := p.Add(p.Rat(inf), p.Mul(p.Rat(rat("729/1000")), p.Expm1(interval.Int(-1)).Neg()))
	if _, ok := interval.Intersect(y, low); err != nil || !ok || !y.ContainsRat(inf) {
		t.Errorf("δ([−1, 1]) ∈ %s, %v, want %s at −1 and 271/1000 at 1", y, err, low)
	}
	for eps, want := range map[string]interval.Interval{"-1": low, "0": p.Rat(inf), "1": p.Rat(inf)} {
		y, err := s.Delta(t.Context(), 64, interval.RealRat(rat(eps)))
		if _, ok := interval.Intersect(y, want); err != nil || !ok || y.RelativeBits(60) < 50 {
			t.Errorf("δ(%s) ∈ %s, %v, want %s", eps, y, err, want)
		}
	}
}

// TestInversionOfMixtures: inverted mixtures of Gaussians lie in what their grids enclose.
func TestInversionOfMixtures(t *testing.T) {
	testkit.SkipShort(t)
	eps := interval.RealRat(rat("1/4"))
	for _, x := range []pair.Pair{
		pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1/2"), Probs: rats("9/10", "1/10")}, Q: normals.Standard()},
		pair.SampledReplaceGaussian{Rate: rat("1/10"), Mu2: rat("1/4")},
	} {
		prod := pair.Product{term(x, 20)}
		tr, ok := (*inversion.Memo)(nil).New(prod)
		if !ok {
			t.Fatalf("%s has no transform", x)
		}
		y, err := tr.Delta(t.Context(), 12, eps)
		if err != nil || y.RelativeBits(100) < 8 {
			t.Errorf("%s: δ(1/4) ∈ %s, %v", x, y, err)
		}
		g, ok, err := pld.NewGrid(t.Context(), prod, pld.Settings{Points: 512, Prec: 61, Cut: 40, Limit: 1 << 14})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		grid, err := g.Delta(t.Context(), 64, eps)
		if _, ok := interval.Intersect(y, grid); err != nil || !ok || grid.RelativeBits(30) < 5 {
			t.Errorf("%s: δ(1/4) ∈ %s by inversion, %s by the grid, %v", x, y, grid, err)
		}
	}
}

// TestGridOfReversedBinomials: a grid of binomial noise encloses the sum over its outcomes, in
// both orientations.
func TestGridOfReversedBinomials(t *testing.T) {
	b := pair.Binomial{Trials: 12, Prob: rat("1/3"), Sensitivity: 1}
	for _, x := range []pair.Pair{b, b.Reverse()} {
		prod := pair.Product{term(x, 2)}
		g, ok, err := pld.NewGrid(t.Context(), prod, pld.Settings{Points: 256, Prec: 61, Cut: 30, Limit: 1 << 12})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		os, rest, ok := pair.ProductOutcomes(prod, 96, 1<<10)
		if !ok {
			t.Fatal("no outcomes")
		}
		for _, e := range []string{"-1/2", "0", "1/2", "2"} {
			y, err := g.Delta(t.Context(), 64, interval.RealRat(rat(e)))
			if err != nil {
				t.Fatal(err)
			}
			want, err := profile.Outcomes(os, rest)(t.Context(), 64, interval.RealRat(rat(e)))
			if err != nil || !y.Encloses(want) {
				t.Errorf("%s: δ(%s) ∈ %s by the grid, %s by its outcomes, %v", prod, e, y, want, err)
			}
		}
	}
}
