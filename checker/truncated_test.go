// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"
)

// truncatedPart is the factor of a truncated sample; nil where it is not understood.
func truncatedPart(t *testing.T, relation string, n any, q string, b any, sigma string) *factor {
	t.Helper()
	text := fmt.Sprintf("{version: 1, claims: [{id: a, relation: %s, claim: {epsilon: 1, delta: 0.1}, event: {class_name: TruncatedSubsampledGaussianDpEvent, "+
		"dataset_size: %v, sampling_probability: %s, truncated_batch_size: %v, noise_multiplier: %s}}]}", relation, n, q, b, sigma)
	claims, err := readClaims([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if claims[0].problem != nil {
		return nil
	}
	return claims[0].factors[0]
}

// TestTruncatedIsUnderstood only where the batch is no smaller than the mean, within the limits, for a record that
// comes or goes.
func TestTruncatedIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		relation string
		n        any
		q        string
		b        any
		sigma    string
		want     bool
	}{
		{"ADD_OR_REMOVE_ONE", 50000, "1024/50000", 1024, "4", true},
		{"ADD_OR_REMOVE_ONE", 1 << 20, "1e-9", 1 << 20, "1e-9", true},
		{"ADD_OR_REMOVE_ONE", 1, "1/2", 1, "1", true},
		{"ADD_OR_REMOVE_ONE", 10, "0.999999999", 10, "1", true},
		{"ADD_OR_REMOVE_ONE", 50000, "1024/50000", 900, "4", false}, // full more often than not
		{"REPLACE_SPECIAL", 50000, "1024/50000", 1024, "4", false},
		{"REPLACE_ONE", 50000, "1024/50000", 1024, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "0.1", 0, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "0.1", 11, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "0.1", 2.5, "4", false},
		{"ADD_OR_REMOVE_ONE", 0, "0.1", 1, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "0", 2, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "1", 10, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "1e-400", 2, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "1.1", 2, "4", false},
		{"ADD_OR_REMOVE_ONE", 10, "0.1", 2, "0", false},
		{"ADD_OR_REMOVE_ONE", 1<<20 + 1, "0.1", 1 << 18, "4", false},
		{"ADD_OR_REMOVE_ONE", "1000000000000", "0.1", "200000000000", "4", false},
	} {
		work = 0
		f := truncatedPart(t, c.relation, c.n, c.q, c.b, c.sigma)
		if got := f != nil; got != c.want {
			t.Errorf("%+v: understood: %t", c, got)
		}
		if f != nil && (f.only != "VERIFIED" || f.symmetric) {
			t.Errorf("%+v: %+v, want a bound from above in two directions", c, f)
		}
		if work > 1e8 {
			t.Errorf("%+v: work of %g", c, work)
		}
	}
}

// TestOften: P(K ≥ b) in rationals, and not much more.
func TestOften(t *testing.T) {
	for n := int64(1); n <= 12; n++ {
		for _, q := range []string{"1/100", "1/3", "1/2", "9/10", "999/1000"} {
			for b := int64(1); b <= n; b++ {
				rate, exact := parsed(q), new(big.Rat)
				for k := b; k <= n; k++ {
					term := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
					for i := range n {
						term.Mul(term, map[bool]*big.Rat{true: rate, false: oneLess(rate)}[i < k])
					}
					exact.Add(exact, term)
				}
				mean := new(big.Rat).Mul(rate, big.NewRat(n, 1))
				f := truncatedPart(t, "ADD_OR_REMOVE_ONE", n, q, b, "1")
				if f == nil {
					if mean.Cmp(big.NewRat(b, 1)) <= 0 {
						t.Errorf("a batch of %d for %d at %s is refused", b, n, q)
					}
					continue
				}
				full, most := f.pair.(truncated).full, new(big.Rat).Mul(exact, big.NewRat(n+2, 1))
				if full.Cmp(exact) < 0 || full.Cmp(big.NewRat(1, 1)) > 0 || full.Cmp(most) > 0 {
					t.Errorf("P(Bin(%d, %s) ≥ %d) = %s, got %s", n, q, b, exact.FloatString(9), full.FloatString(9))
				}
			}
		}
	}
}

// sums are how often the records that are kept have each sum: all sets of those that are sampled, and of more than b
// each subset of b.
func sums(records []float64, q float64, b int) map[float64]float64 {
	out := make(map[float64]float64)
	add := func(of uint, w float64) {
		sum := 0.0
		for i, x := range records {
			if of>>i&1 == 1 {
				sum += x
			}
		}
		out[sum] += w
	}
	for s := range uint(1) << len(records) {
		k := bits.OnesCount(s)
		w := math.Pow(q, float64(k)) * math.Pow(1-q, float64(len(records)-k))
		if k <= b {
			add(s, w)
			continue
		}
		ways := new(big.Int).Binomial(int64(k), int64(b)).Int64()
		for kept := range uint(1) << len(records) {
			if kept&^s == 0 && bits.OnesCount(kept) == b {
				add(kept, w/float64(ways))
			}
		}
	}
	return out
}

// TestTruncatedBatches: the profile is above that of every batch of few records on a line.
func TestTruncatedBatches(t *testing.T) {
	const sigma, step = 0.8, 1. / 64
	density := func(batch map[float64]float64, y float64) (p float64) {
		for sum, w := range batch {
			p += w * math.Exp(-(y-sum)*(y-sum)/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
		}
		return p
	}
	tried, nearest := 0, math.Inf(1)
	for _, c := range []struct {
		n, b int
		q    string
		rate float64
	}{{4, 1, "0.2", .2}, {4, 2, "0.5", .5}, {4, 3, "0.7", .7}, {3, 2, "0.1", .1}, {3, 1, "1/3", 1. / 3}, {3, 3, "0.5", .5}, {2, 1, "0.5", .5}, {1, 1, "0.9", .9}} {
		f := truncatedPart(t, "ADD_OR_REMOVE_ONE", c.n, c.q, c.b, "0.8")
		if f == nil {
			t.Fatalf("%+v is not understood", c)
		}
		setPrecision(128)
		const least, most = -5, 5 // of log α
		bound := make(map[direction][]float64)
		for _, d := range []direction{remove, add} {
			for x := least; x <= most; x++ {
				h, _ := f.profile(d, rational(big.NewRat(int64(x), 2)).exp()).high().Float64()
				bound[d] = append(bound[d], h)
			}
		}
		values := []float64{-1, 0, 1}
		for code := range int(math.Pow(3, float64(c.n))) {
			var others []float64
			for range c.n {
				others, code = append(others, values[code%3]), code/3
			}
			p, q := sums(append([]float64{1}, others...), c.rate, c.b), sums(others, c.rate, c.b)
			h := map[direction][]float64{remove: make([]float64, most-least+1), add: make([]float64, most-least+1)}
			for y := -11.0; y <= 11; y += step {
				u, v := density(p, y), density(q, y)
				for x := range h[remove] {
					alpha := math.Exp(float64(x+least) / 2)
					h[remove][x] += math.Max(u-alpha*v, 0) * step
					h[add][x] += math.Max(v-alpha*u, 0) * step
				}
			}
			for d, all := range h {
				for x := range all {
					tried++
					if gap := bound[d][x] - all[x]; gap < -1e-4 { // of the quadrature
						t.Errorf("%+v with others %v, %s: H(e^%g) = %g, want at most %g", c, others, d, float64(x+least)/2, all[x], bound[d][x])
					} else if x+least > 0 {
						nearest = min(nearest, gap/bound[d][x])
					}
				}
			}
		}
	}
	if tried < 1000 || nearest > 0.5 {
		t.Errorf("%d profiles, the nearest %g below its bound: too few, or too far", tried, nearest)
	}
}

// TestTruncatedIsNoLowerBound: nothing is refuted by a bound from above, and a smaller batch is worse.
func TestTruncatedIsNoLowerBound(t *testing.T) {
	event := func(b int) string {
		return fmt.Sprintf("{class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 100, sampling_probability: 0.1, truncated_batch_size: %d, noise_multiplier: 1}", b)
	}
	// H of the sample at ε = 1 is .000207, and at twice the distance .019648. P(K ≥ 12) is .296967, P(K ≥ 30) is 2·10^−8.
	for _, test := range []struct {
		batch int
		delta string
		want  string
	}{{30, "0.0002072", "VERIFIED"}, {30, "0.0002071", ""}, {12, "0.0075", "VERIFIED"}, {12, "0.00598", ""}, {12, "1e-9", ""}, {10, "0.0108", ""}} {
		if got := verdicts(t, "ADD_OR_REMOVE_ONE", event(test.batch), "epsilon: 1, delta: "+test.delta, remove); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
	for _, said := range []string{"rho: 0.00001", "renyi: [[2, 0.00001]]", "renyi: [[2, 1000]]"} {
		if got := verdicts(t, "ADD_OR_REMOVE_ONE", event(30), said, remove); got != "" {
			t.Errorf("%s: %q, want nothing about divergences", said, got)
		}
	}
	sampled := "{class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: " + event(30) + "}"
	claims, err := readClaims([]byte("{version: 1, claims: [{id: a, claim: {epsilon: 1, delta: 0.5}, event: "+sampled+"}]}"), nil)
	if err != nil || claims[0].problem == nil {
		t.Errorf("a sample of a truncated sample is understood, %v", err)
	}
}
