// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestGaussianEpsilonAgainstTheEngine: the least ε of a Gaussian, at either end of δ, by another
// formula and another search.
func TestGaussianEpsilonAgainstTheEngine(t *testing.T) {
	testkit.SkipShort(t)
	for _, noise := range []string{"0.001", "0.07", "1/3", "1", "3.7", "1000"} {
		for _, delta := range []string{"1e-300", "1e-5", "0.1", "1/3", "0.99999", "1"} {
			sigma, d := mustParse(t, noise), mustParse(t, delta)
			want, err := exact.Epsilon(t.Context(), exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: sigma}}, d, 60, 1)
			if err != nil {
				t.Fatal(err)
			}
			const w = interval.Prec(192)
			got := gaussianEpsilon(w, w.Inv(w.Rat(sigma)), d)
			both, ok := interval.Intersect(got, interval.Max(want.Interval, interval.Int(0)))
			if !ok || got.RelativeBits(128) < 40 && !both.Contains(new(big.Float)) {
				t.Errorf("σ = %s, δ = %s: %s, the engine has %s", noise, delta, got, want.Interval)
			}
		}
	}
}

// TestMillsRatioOfIntervals: the ratio falls, satisfies R′ = aR − 1, and so lies between a/(a² + 1)
// and 1/a; an interval gives all values at its points.
func TestMillsRatioOfIntervals(t *testing.T) {
	const w = interval.Prec(128)
	for _, s := range []string{"1/1000", "1", "100", "4096", "4097", "1e6", "1e30"} {
		a := w.Rat(mustParse(t, s))
		r := mills(w, a)
		below := w.Div(a, w.Add(w.Sqr(a), interval.Int(1)))
		if r.Less(below) == interval.True || w.Inv(a).Less(r) == interval.True || r.RelativeBits(128) < 90 {
			t.Errorf("R(%s) = %s, want in [%s, %s]", s, r, below, w.Inv(a))
		}
		twice := w.Scale(a, 1)
		if all := mills(w, interval.Union(a, twice)); !all.Encloses(r) || !all.Encloses(mills(w, twice)) {
			t.Errorf("R([%s, 2·%s]) = %s", s, s, all)
		}
	}
}
