// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestGaussianDPOfFinitePairs: between two vertices of its trade-off function a finite pair has no greater μ than at
// these, as G_μ is convex: the greatest over vertices and both ends of the range is the value.
func TestGaussianDPOfFinitePairs(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	quantile := func(x float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*x) }
	for i, test := range []struct{ p, q []string }{
		{[]string{"3/4", "1/4"}, []string{"1/4", "3/4"}},
		{[]string{"1/2", "3/10", "1/5"}, []string{"1/10", "3/10", "3/5"}},
		{[]string{"9/10", "1/20", "1/20"}, []string{"1/10", "1/20", "17/20"}},
	} {
		for _, min := range slices.Concat(testkit.InTurn(i, [][]string{{"1e-6", "1/3"}, {"1/10", "1/2"}})...) {
			e := mechanism.FinitePair{P: rats(test.p...), Q: rats(test.q...)}
			profile, err := Prepare(context.Background(), Question{Event: e, Direction: mechanism.Remove}, 0)
			if err != nil {
				t.Fatal(err)
			}
			r, err := profile.GaussianDP(context.Background(), rat(min), 30)
			if err != nil {
				t.Fatal(err)
			}
			// The null hypothesis is P: rejecting the outcomes with the least P/Q first.
			type vertex struct{ alpha, beta float64 }
			curve := []vertex{{0, 1}}
			for i := len(test.p) - 1; i >= 0; i-- {
				p, _ := rat(test.p[i]).Float64()
				q, _ := rat(test.q[i]).Float64()
				last := curve[len(curve)-1]
				curve = append(curve, vertex{last.alpha + p, last.beta - q})
			}
			at := func(alpha float64) float64 {
				for i := 1; ; i++ {
					if a, b := curve[i-1], curve[i]; alpha <= b.alpha || i == len(curve)-1 {
						return a.beta + (alpha-a.alpha)*(b.beta-a.beta)/(b.alpha-a.alpha)
					}
				}
			}
			a, _ := rat(min).Float64()
			want := 0.0
			points := []float64{a, 1 - a}
			for _, v := range curve {
				if a < v.alpha && v.alpha < 1-a {
					points = append(points, v.alpha)
				}
			}
			for _, alpha := range points {
				want = max(want, -quantile(alpha)-quantile(at(alpha)))
			}
			lo, _ := r.Lo().Float64()
			hi, _ := r.Hi().Float64()
			if lo > want+1e-9 || hi < want-1e-9 || hi-lo > 1e-8 {
				t.Errorf("%v, %v from %s on: [%v, %v], want %v", test.p, test.q, min, lo, hi, want)
			}
		}
	}
}

// TestGaussianDPAtInfiniteLoss: where the mass of infinite loss is in the range of type I errors, no μ is enough.
func TestGaussianDPAtInfiniteLoss(t *testing.T) {
	e := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/100")}
	for min, infinite := range map[string]bool{"1/1000": true, "1/100": true, "1/50": false} {
		profile, err := Prepare(context.Background(), Question{Event: e}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := profile.GaussianDP(context.Background(), rat(min), 20)
		if err != nil || r.Lo().IsInf() != infinite || r.Hi().IsInf() != infinite {
			t.Errorf("from %s on: %s, %v", min, r.Enclosure, err)
		}
	}
	profile, _ := Prepare(context.Background(), Question{Event: e}, 0)
	for _, a := range []*big.Rat{nil, new(big.Rat), rat("-1"), rat("2/3")} {
		if _, err := profile.GaussianDP(context.Background(), a, 20); err == nil {
			t.Errorf("alpha_min %v is no error", a)
		}
	}
}

// TestGaussianDPEndsWithItsContext: where quantiles take long, too, what is known then is the answer.
func TestGaussianDPEndsWithItsContext(t *testing.T) {
	event := mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	p, err := Prepare(ctx, Question{Event: event}, 4)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := p.GaussianDP(ctx, number.PowerOfTen(-100_000), 40)
	if took := time.Since(start); took > 7*time.Second {
		t.Errorf("it took %v", took)
	}
	if err == nil && (r.Lo().Sign() < 0 || r.Hi().Cmp(big.NewFloat(0.6)) < 0) { // μ at 1e-10 is 0.638, and grows
		t.Errorf("μ ∈ %v", r.Interval)
	}
}
