// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package divisor_test

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/divisor"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// ones is (1, …, 1).
func ones(n int64) []int64 { return slices.Repeat([]int64{1}, int(n)) }

// TestManyOnesAreBelowOneEntry: noise on m entries, each moved by 1, says less than noise on one that is moved by m,
// whose norm is greater: the sum of the entries is noise on one entry, moved by m, and more noise.
func TestManyOnesAreBelowOneEntry(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for range testkit.Cases(40, 1000) {
		m, eps := 2+rng.Int63n(5), big.NewRat(rng.Int63n(30000)-5000, 1000)
		sigma2 := []string{"9/100", "1/4", "1", "3", "20"}[rng.Intn(5)]
		many, one := delta(t, vector(sigma2, ones(m)...), eps), delta(t, vector(sigma2, m), eps)
		if one.Less(many) == interval.True {
			t.Errorf("σ² = %s, δ(%s): %d ones have %v, (%d) has %v", sigma2, eps.RatString(), m, many, m, one)
		}
	}
}

// TestNoVectorServesForAll: of σ = .3 and |s|² = 4 one entry has 44 times the δ of ones at one ε, and less than a
// 250,000th of it at another.
func TestNoVectorServesForAll(t *testing.T) {
	const w = interval.Prec(80)
	for _, c := range []struct {
		eps        string
		over       []int64
		under      []int64
		least, top string
	}{
		{"67/2", []int64{2}, ones(4), "44", "44.01"},
		{"667/10", ones(4), []int64{2}, "261536", "261537"},
	} {
		over := delta(t, vector("9/100", c.over...), rat(c.eps))
		ratio := w.Div(over, delta(t, vector("9/100", c.under...), rat(c.eps)))
		if ratio.LessRat(rat(c.least)) != interval.False || ratio.LessRat(rat(c.top)) != interval.True {
			t.Errorf("δ(%s) of %v is %v times that of %v, want between %s and %s", c.eps, c.over, ratio, c.under, c.least,
				c.top)
		}
	}
}

// TestVectorThatIsNeverTheWorst: of |s|² = 9 and σ = .3 or .4 (2, 1, 1, 1, 1, 1) is the worst of the four vectors
// nowhere, though none is below another one entry by entry; with σ = 1/2 it is at ε = 19/2.
func TestVectorThatIsNeverTheWorst(t *testing.T) {
	lone := []int64{2, 1, 1, 1, 1, 1}
	worst := func(sigma2 string, eps *big.Rat) bool {
		d := delta(t, vector(sigma2, lone...), eps)
		for _, s := range partitions(9, 9) {
			if !slices.Equal(s, lone) && delta(t, vector(sigma2, s...), eps).Less(d) != interval.True {
				return false
			}
		}
		return true
	}
	rng := rand.New(rand.NewSource(11))
	for range testkit.Cases(60, 4000) {
		sigma2 := []string{"9/100", "4/25"}[rng.Intn(2)]
		if eps := big.NewRat(rng.Int63n(100000), 1000); worst(sigma2, eps) {
			t.Errorf("σ² = %s, ε = %s: %v is the worst", sigma2, eps.RatString(), lone)
		}
	}
	if !worst("1/4", rat("19/2")) {
		t.Errorf("σ = 1/2, ε = 19/2: %v is not the worst", lone)
	}
}

// TestManyEntriesOfLittleNoise: the H of a vector is not at most that of two entries without a common divisor, the sum
// of e^(−2π²σ²k²/n) over k ≠ 0: for 200 ones and σ = .3 that is 18, and H above 1e20. Nothing may be said of such a
// class.
func TestManyEntriesOfLittleNoise(t *testing.T) {
	const n, sigma2 = 200, 0.09
	law, z := []float64{1}, 0.0 // of the sum of entries, from its least value on
	one := make([]float64, 13)
	for i := range one {
		one[i] = math.Exp(-float64((i-6)*(i-6)) / (2 * sigma2))
		z += one[i]
	}
	for range n {
		next := make([]float64, len(law)+len(one)-1)
		for i, x := range law {
			for j, y := range one {
				next[i+j] += x * y / z
			}
		}
		law = next
	}
	// P(ΣX = 0)·Z^n·√n/(√2π·σ)^(n−1)
	h := math.Exp(math.Log(law[len(law)/2])+n*math.Log(z)+math.Log(n)/2-(n-1)*math.Log(2*math.Pi*sigma2)/2) - 1
	two := 0.0
	for k := 1.0; k < 100; k++ {
		two += 2 * math.Exp(-2*math.Pi*math.Pi*sigma2*k*k/n)
	}
	if h < 1e20 || two < 17 || two > 19 {
		t.Errorf("H = %v, of two entries %v", h, two)
	}
	if of, ok := divisor.Under(pair.Copies(unknown("9/100", n), 1)); ok {
		t.Errorf("a class of H = %v is %v", h, of)
	}
}
