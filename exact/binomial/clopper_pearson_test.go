// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

import (
	"math"
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

// TestBoundsCover: for every n and q, the samples whose bounds miss q have at most the probability alpha, summed in
// rationals; and the next k would be too many: the bounds are not looser than they must be.
func TestBoundsCover(t *testing.T) {
	tried := 0
	trials := []int64{1, 2, 3, 5, 8, 13, 21, 34, 55, 60}[:testkit.Draws(5, 7, 10)]
	for _, n := range trials {
		for _, level := range []string{"1/20", "1/1000"} {
			alpha := testkit.Rat(level)
			var least, most []*big.Rat
			for k := range n + 1 {
				least, most = append(least, LeastProbability(n, k, alpha)), append(most, GreatestProbability(n, k, alpha))
			}
			for _, text := range []string{"0", "1/1000", "1/100", "1/20", "1/10", "1/5", "1/3", "1/2", "2/3", "4/5", "9/10", "19/20", "99/100", "999/1000", "1"} {
				q, low, high := testkit.Rat(text), new(big.Rat), new(big.Rat)
				for k := range n + 1 {
					mass := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
					for i := range n {
						f := q
						if i >= k {
							f = new(big.Rat).Sub(big.NewRat(1, 1), q)
						}
						mass.Mul(mass, f)
					}
					if least[k].Cmp(q) > 0 {
						low.Add(low, mass)
					}
					if most[k].Cmp(q) < 0 {
						high.Add(high, mass)
					}
				}
				tried++
				if low.Cmp(alpha) > 0 || high.Cmp(alpha) > 0 {
					t.Errorf("n = %d, q = %s: bounds miss with probability %s and %s, want at most %s", n, text, low.FloatString(9), high.FloatString(9), level)
				}
			}
		}
	}
	if want := 30 * len(trials); tried != want {
		t.Errorf("%d cases, want %d", tried, want)
	}
	// scipy.stats.beta.ppf(0.025, k, n − k + 1) and beta.ppf(0.975, k + 1, n − k).
	for _, c := range []struct {
		n, k        int64
		least, most float64
	}{{10, 3, 0.0667395111777345, 0.6524528500599973}, {1000, 1, 2.5317485e-05, 0.005558924}} {
		l, _ := LeastProbability(c.n, c.k, big.NewRat(1, 40)).Float64()
		m, _ := GreatestProbability(c.n, c.k, big.NewRat(1, 40)).Float64()
		if math.Abs(l/c.least-1) > 1e-6 || math.Abs(m/c.most-1) > 1e-6 {
			t.Errorf("%d of %d: [%v, %v], want [%v, %v]", c.k, c.n, l, m, c.least, c.most)
		}
	}
}
