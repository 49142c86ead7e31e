// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// verdicts are what the checker accepts of a claim in a direction, with the pairs of promises.
func verdicts(t *testing.T, relation, event, said string, d direction, pair ...string) (all string) {
	t.Helper()
	text := fmt.Sprintf("version: 1\nclaims:\n  - {id: a, relation: %s, event: %s, claim: {%s}}\n", relation, event, said)
	claims, err := readClaims([]byte(text), nil)
	if err != nil || claims[0].problem != nil {
		t.Fatal(text, err, claims[0].problem)
	}
	c := claims[0]
	c.direction = d
	for _, v := range []string{"VERIFIED", "REFUTED"} {
		cert := &certificate{Version: 1, Verdict: v, Chains: []chain{{Direction: d, Pair: pair}}}
		if got, err := c.check(forClaim(t, encode(t, cert), c), nil); err == nil {
			all += got
		}
	}
	return all
}

// TestBoundedFromBelow: what is known of a pair that a mechanism may have refutes up to what that pair has, and never
// verifies. Values are of 30 digits of mpmath: sums over integers, and quadrature.
func TestBoundedFromBelow(t *testing.T) {
	const (
		vector  = "{class_name: DiscreteGaussianDpEvent, sigma: 1/3, sensitivity: 2}"
		one     = "{class_name: DiscreteGaussianDpEvent, sigma: 1}"
		samples = "{class_name: PoissonSampledDpEvent, sampling_probability: 0.01, event: {class_name: DiscreteGaussianDpEvent, sigma: 0.5, dimension: 1}}"
		inside  = "{class_name: PoissonSampledDpEvent, sampling_probability: 0.9, event: {class_name: GaussianDpEvent, noise_multiplier: 0.5}}"
		subset  = "{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 3, sample_size: 2, event: " + inside + "}"
		twice   = "{class_name: PoissonSampledDpEvent, sampling_probability: 2/3, event: " + inside + "}"
		gauss   = "{class_name: GaussianDpEvent, noise_multiplier: 1}"
		laplace = "{class_name: LaplaceDpEvent, noise_multiplier: 1}"
		add1    = "ADD_OR_REMOVE_ONE"
	)
	half := func(event string) string {
		return "{class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: " + event + "}"
	}
	for _, test := range []struct {
		relation, event, said string
		d                     direction
		want                  string
	}{
		// (1, 1, 1, 1) has .956331242066…
		{add1, vector, "epsilon: 12, delta: 0.956331", "remove", "REFUTED"},
		{add1, vector, "epsilon: 12, delta: 0.956332", "remove", ""},
		{add1, vector, "epsilon: 12, delta: 1", "remove", ""},
		// A norm of 1 is one entry in any dimension.
		{add1, one, "epsilon: 0, delta: 0.5", "remove", "VERIFIED"},
		{add1, samples, "renyi: [[1.5, 0.00267371399902]]", "remove", "REFUTED"},
		{add1, samples, "renyi: [[1.5, 0.00267371399903]]", "remove", ""},
		{add1, samples, "renyi: [[1.5, 0.00113379257352]]", "add", "REFUTED"},
		{add1, samples, "renyi: [[1.5, 0.00113379257353]]", "add", ""},
		{add1, samples, "renyi: [[7, 8.62730145404]]", "remove", "REFUTED"},
		{add1, samples, "renyi: [[7, 8.62730145405]]", "remove", ""},
		{add1, samples, "epsilon: 1, delta: 0.1", "remove", "VERIFIED"},
		{add1, samples, "epsilon: 1, delta: 1e-9", "remove", "REFUTED"},
		// D_2 is 3.92357…, by cells a little less; of a Poisson sample at the same rate, too.
		{"REPLACE_ONE", subset, "renyi: [[2, 3.7]]", "remove", "REFUTED"},
		{"REPLACE_ONE", subset, "renyi: [[2, 3.9236]]", "remove", ""},
		{"REPLACE_ONE", subset, "renyi: [[2, 1000]]", "remove", ""},
		{"REPLACE_ONE", subset, "epsilon: 1, delta: 0.9", "remove", ""},
		{"REPLACE_ONE", subset, "epsilon: 1, delta: 0.3947", "remove", "REFUTED"},
		{"REPLACE_ONE", twice, "renyi: [[2, 3.7]]", "remove", "REFUTED"},
		{"REPLACE_ONE", twice, "epsilon: 1, delta: 0.9", "remove", "VERIFIED"},
		{"REPLACE_ONE", twice, "epsilon: 1, delta: 0.3947", "remove", "REFUTED"},
		// γ(1 − √(α'/e)), α' = (e^.1 − 3/4)/γ, with γ = 1/4: .069266…; no formula is known of two samples
		{add1, half(half(laplace)), "epsilon: 0.1, delta: 0.0693", "remove", "VERIFIED"},
		{add1, half(half(laplace)), "epsilon: 0.1, delta: 0.0692", "remove", "REFUTED"},
		{add1, "{class_name: SelfComposedDpEvent, count: 2, event: " + half(laplace) + "}", "epsilon: 0.1, delta: 0.4", "remove", ""},
		// D_α = α/2
		{add1, gauss, "rho: 0.48", "remove", "REFUTED"},
		{add1, gauss, "rho: 0.5", "remove", ""},
		{add1, gauss, "renyi: [[3, 1.45]]", "add", "REFUTED"},
		{add1, gauss, "renyi: [[3, 1.6]]", "add", ""},
		{add1, "{class_name: ExponentialMechanismDpEvent, epsilon: 1}", "renyi: [[2, 0.0001]]", "remove", ""},
		{add1, "{class_name: PermuteAndFlipDpEvent, epsilon: 1}", "renyi: [[2, 0.0001]]", "remove", ""},
		{add1, laplace, "renyi: [[2, 0.6]]", "remove", "REFUTED"}, // log(2e/3 + e^−2/3) = .6191…
		{add1, laplace, "renyi: [[2, 0.62]]", "remove", ""},
	} {
		if got := verdicts(t, test.relation, test.event, test.said, test.d); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// TestPromises: ρ-zCDP is refuted by a pair that keeps it, and by no other.
func TestPromises(t *testing.T) {
	const (
		promise = "{class_name: ZCDpEvent, rho: 0.5}"
		both    = "{class_name: ComposedDpEvent, events: [{class_name: LaplaceDpEvent, noise_multiplier: 1e9}, " + promise + "]}"
		copies  = "{class_name: SelfComposedDpEvent, count: 2, event: " + promise + "}"
		two     = "{class_name: ComposedDpEvent, events: [" + promise + ", {class_name: ZCDpEvent, rho: 0.1}]}"
	)
	for _, test := range []struct {
		event, said string
		pair        []string
		want        string
	}{
		// Randomized response that lies with probability 3/11 has D_1 = (5/11)·log(8/3) = .446, and less than .5α at all orders.
		{promise, "epsilon: 0, delta: 0.45", []string{"8/11", "3/11"}, "REFUTED"},
		{promise, "epsilon: 0, delta: 0.455", []string{"8/11", "3/11"}, ""},
		{promise, "epsilon: 0, delta: 0.45", []string{"3/11", "8/11"}, "REFUTED"}, // both directions are kept
		{promise, "epsilon: 0, delta: 0.1", nil, ""},
		{promise, "epsilon: 0, delta: 0.1", []string{"8/11"}, ""},
		{promise, "epsilon: 0, delta: 0.1", []string{"8/11", "3/11", "8/11", "3/11"}, ""},
		{promise, "epsilon: 0, delta: 0.1", []string{"16/22", "3/11"}, ""},
		{promise, "epsilon: 0, delta: 0.1", []string{"3/4", "1/4"}, ""},                               // D_1 = .549 > .5
		{promise, "epsilon: 0, delta: 0.1", []string{"1", "1/2"}, ""},                                 // infinite the other way
		{promise, "epsilon: 0, delta: 0.1", []string{"3/2", "1/2"}, ""},                               // no probabilities
		{promise, "epsilon: 0, delta: 0.1", []string{"1/2", "-1/2"}, ""},                              // no probabilities
		{promise, "epsilon: 0, delta: 0.1", []string{"1/2", "1/2"}, ""},                               // nothing
		{promise, "epsilon: -1, delta: 0.632121", []string{"1000001/1000000", "1000001/1000000"}, ""}, // 1.000001·(1 − 1/e) is more
		{promise, "epsilon: 0, delta: 1", []string{"8/11", "3/11"}, ""},                               // never verified
		{promise, "epsilon: 100, delta: 1", []string{"8/11", "3/11"}, ""},                             // not even that
		{copies, "epsilon: 0, delta: 0.45", []string{"8/11", "3/11"}, "REFUTED"},
		{both, "epsilon: 0, delta: 0.45", []string{"8/11", "3/11"}, ""}, // no closed form
		{two, "epsilon: 1.2, delta: 0.07", []string{"8/11", "3/11", "3/5", "2/5"}, "REFUTED"},
		{two, "epsilon: 1.2, delta: 0.07", []string{"8/11", "3/11", "8/11", "3/11"}, ""},
		{two, "epsilon: 1.2, delta: 0.07", []string{"8/11", "3/11"}, ""},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "epsilon: 0, delta: 0.1", []string{"8/11", "3/11"}, ""},
	} {
		if got := verdicts(t, "ADD_OR_REMOVE_ONE", test.event, test.said, "remove", test.pair...); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// TestKeptPromises: of random pairs, those that are taken to keep ρ-zCDP keep it at 20,000 orders.
func TestKeptPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	kept, broken := 0, 0
	for range 12 {
		work = 0
		a, b := 1+r.IntN(999), 1+r.IntN(999)
		p, q := float64(a)/1000, float64(b)/1000
		d := func(p, q, alpha float64) float64 {
			s := math.Pow(p, alpha)*math.Pow(q, 1-alpha) + math.Pow(1-p, alpha)*math.Pow(1-q, 1-alpha)
			return math.Log(s) / (alpha - 1)
		}
		most := 0.0
		for h := 1e-4; h < 40; h *= 1.0007 {
			most = math.Max(most, math.Max(d(p, q, 1+h), d(q, p, 1+h))/(1+h))
		}
		for _, part := range []float64{0.9, 0.999, 0.99999, 1.00001, 1.003, 1.1} {
			c := &claim{factors: []*factor{{promise: parsed(fmt.Sprint(most * part))}}}
			err := func() (err error) {
				defer recovered(&err)
				c.choose([]string{parsed(fmt.Sprintf("%d/1000", a)).RatString(), parsed(fmt.Sprintf("%d/1000", b)).RatString()})
				return nil
			}()
			if err == nil && part < 1 {
				t.Errorf("(%d, %d)/1000 is taken to keep %v of what it has", a, b, part)
			} else if err != nil && part > 1.0015 && a != b {
				t.Errorf("(%d, %d)/1000 is not known to keep %v of what it has: %v", a, b, part, err)
			}
			if err == nil {
				kept++
			} else {
				broken++
			}
		}
	}
	if kept < 20 || broken < 20 {
		t.Errorf("%d pairs keep it and %d do not, want 20 of each", kept, broken)
	}
}
