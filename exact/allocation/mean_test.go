// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestOneOfTwo: values from outside: docs/oracle/allocation_two.py, mpmath at 42 digits, tanh-sinh quadrature over the
// normal variable of the first step; to 60 bits, and right at any precision.
func TestOneOfTwo(t *testing.T) {
	testkit.SkipShort(t)
	for j, c := range testkit.Few(3, []struct{ mu2, eps, remove, add string }{
		{"1", "0.5", "0.14917752313552017225971436", "0.14268696582374320297751288"},
		{"4", "2", "0.23232134345906371040885369", "0.18644914838819249116932427"},
		{"16", "1", "0.90140865452768946658644006", "0.89641498140979039353614633"},
		{"0.01", "0.1", "0.0026548786454760367527147699", "0.0026530957605782795649414604"},
		{"0.25", "-0.5", "0.40402144885535739136079757", "0.40458498189800265231728889"},
	}) {
		m := NewMean(rat(c.mu2), 2)
		for i, want := range []string{c.remove, c.add} {
			value, slack := rat(want), new(big.Rat).Mul(rat(want), rat("1e-24"))
			f := m.Profile(i == 1)
			for _, p := range testkit.InTurn(i+j, []interval.Prec{2, 64, 4, 8}) {
				y, err := f(t.Context(), p, interval.RealRat(rat(c.eps)))
				if err != nil {
					t.Fatal(err)
				}
				from, to := new(big.Rat).Sub(value, slack), new(big.Rat).Add(value, slack)
				if !y.ContainsRat(from) && !y.ContainsRat(to) || y.RelativeBits(int(p)) < int(p)-2 {
					t.Errorf("μ² = %s: δ(%s) in %v at %d bits, want %s", c.mu2, c.eps, y, p, want)
				}
			}
		}
	}
}

// TestMeansOnLattices: the bounds by convex order hold the transform's.
func TestMeansOnLattices(t *testing.T) {
	testkit.SkipShort(t)
	for i, c := range []struct {
		mu2   string
		steps int64
	}{{"1/2", 2}, {"1", 3}, {"4", 7}, {"1/10", 20}, {"1", 300}}[:testkit.Cases(2, 5)] {
		law, ok, err := New(t.Context(), pair.Gaussian{Mu2: rat(c.mu2)}, c.steps, Settings{Points: 1 << 9, Cut: 40, Prec: 122})
		if !ok || err != nil {
			t.Fatal(err)
		}
		m := NewMean(rat(c.mu2), c.steps)
		for _, reversed := range []bool{false, true} {
			wide, narrow := law.Profile(reversed), m.Profile(reversed)
			for _, eps := range testkit.InTurn(i, rats("-1/3", "0", "1/5", "1")) {
				x, err := wide(t.Context(), 40, interval.RealRat(eps))
				if err != nil {
					t.Fatal(err)
				}
				y, err := narrow(t.Context(), 40, interval.RealRat(eps))
				if _, meet := interval.Intersect(x, y); err != nil || !meet || y.RelativeBits(40) < 36 && y.Hi().MantExp(nil) > -60 {
					t.Errorf("1 of %d, μ² = %s: δ(%s) in %v, and in %v by lattices: %v", c.steps, c.mu2, eps.RatString(), y, x, err)
				}
			}
		}
	}
}

// TestMeansServeBothDirections: a mean is made once.
func TestMeansServeBothDirections(t *testing.T) {
	var ls Laws
	if a, b := ls.Mean(rat("1/2"), 3), ls.Mean(rat("2/4"), 3); a != b {
		t.Error("the same mean was made twice")
	} else if c := ls.Mean(rat("1/2"), 4); c == a {
		t.Error("means of 3 and 4 steps are one")
	}
}
