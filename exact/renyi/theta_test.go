// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestThetaByPoissonsFormula: the waves and the sum enclose one quotient θ(c)/θ(0), which is at most 1, at few bits and
// at many, on both sides of where the one takes over from the other; both are as narrow as the precision, the waves
// relative to what is missing to 1.
func TestThetaByPoissonsFormula(t *testing.T) {
	for _, sigma2 := range []string{"1/40", "1/5", "1/4", "2/5", "1", "3"} {
		for _, c := range []string{"1/1000", "2/7", "1/2", "999/1000"} {
			exact := thetaBySum(400, rat(sigma2), rat(c))
			if exact.Positive() == interval.True || exact.RelativeBits(64) < 64 {
				t.Fatalf("σ² = %s, c = %s: log θ(c)/θ(0) ∈ %s", sigma2, c, exact)
			}
			for _, p := range []interval.Prec{2, 5, 8, 64, 150} {
				w := p + 16
				for name, f := range map[string]func(interval.Prec, *big.Rat, *big.Rat) interval.Interval{"waves": thetaByWaves, "sum": thetaBySum} {
					if y := f(w, rat(sigma2), rat(c)); !y.Encloses(exact) {
						t.Errorf("%s, %d bits, σ² = %s, c = %s: %s, want %s", name, w, sigma2, c, y, exact)
					}
				}
				for n := range int64(3) {
					if y := thetaByFirstWaves(w, rat(sigma2), rat(c), n); !y.Encloses(exact) {
						t.Errorf("%d waves, %d bits, σ² = %s, c = %s: %s, want %s", n, w, sigma2, c, y, exact)
					}
				}
				if y := thetaByWaves(w, rat(sigma2), rat(c)); rat(sigma2).Cmp(leastWaves) >= 0 && y.RelativeBits(int(p)) < int(p) {
					t.Errorf("%d bits, σ² = %s, c = %s: %s is wide", w, sigma2, c, y)
				}
			}
		}
	}
}

// TestWideDiscreteNoise: where σ is large, the moment is the one of a Gaussian but for e^(−2π²σ²), also where that is
// far below what numbers hold.
func TestWideDiscreteNoise(t *testing.T) {
	for _, sigma2 := range []string{"100", "1e12", "1e24"} {
		d := discreteGaussian(pair.DiscreteGaussian{Sigma2: rat(sigma2), Sensitivity: 3})
		want := new(big.Rat).Quo(rat("27/8"), rat(sigma2)) // α(α − 1)s²/2σ² at α = 3/2
		if y := d(64, rat("3/2")); !y.ContainsRat(want) || y.RelativeBits(60) < 60 {
			t.Errorf("σ² = %s: log M(3/2) ∈ %s, want %s", sigma2, y, want.RatString())
		}
	}
}
