// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
)

// TestBoundByHand: the Gaussian with μ = 1 at ε = 3. At every order the bound is above
// δ(3) = 0.0015372…; at the best one, about 3.8, it is 0.0051431….
func TestBoundByHand(t *testing.T) {
	f, ok := Bound(pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}})
	if !ok {
		t.Fatal("no bound")
	}
	y, err := f(context.Background(), 64, interval.RealRat(rat("3")))
	if err != nil || y.LessRat(rat("0.00515")) != interval.True || y.LessRat(rat("0.00514")) == interval.True {
		t.Errorf("δ(3) = %s, %v", y, err)
	}
	// Infinite loss counts in full: randomized response with δ = 1/3 at ε = 100.
	f, _ = Bound(pair.Product{{Pair: pair.Response{Eps: rat("1"), Delta: rat("1/3")}, Count: 2}})
	if y, err := f(context.Background(), 64, interval.RealRat(rat("100"))); err != nil || !y.ContainsRat(rat("5/9")) || y.LessRat(rat("0.56")) != interval.True {
		t.Errorf("δ(100) = %s, %v, want [0, 5/9]", y, err)
	}
	if _, ok := Bound(pair.Product{{Pair: pair.NewFinite([]*big.Rat{rat("1/2"), rat("1/2")}, []*big.Rat{rat("1/3"), rat("2/3")}), Count: 1}}); ok {
		t.Error("a pair that is not self-dual is bounded for both signs of ε")
	}
}

// TestGuaranteesBesideInfiniteLosses: a guarantee raises what the other factors of a sample say, also where these have
// infinite losses: dropping it is a post-processing.
func TestGuaranteesBesideInfiniteLosses(t *testing.T) {
	const p = interval.Prec(64)
	guarantees := []pair.Pair{pair.ZCDP{Rho: rat("1/1000"), Xi: rat("0")}, pair.RenyiCurve{Orders: []*big.Rat{rat("3/2"), rat("8")}, Values: []*big.Rat{rat("1/10"), rat("1/5")}}}
	others := []pair.Pair{leaky, leaky.Reverse(), pair.Response{Eps: rat("1/10"), Delta: rat("7/10")}, pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("3")}}
	for i, other := range testkit.Few(3, others) {
		for k, g := range guarantees {
			both := pair.Product{{Pair: g, Count: 1}, {Pair: other, Count: 1}}
			samples := func(base pair.Product) []pair.Pair {
				x := pair.Sampled{Rate: rat("9/10"), Base: base}
				return []pair.Pair{x, x.Reverse(), pair.Mixed(rat("1/2"), base)}
			}
			for j, x := range samples(both) {
				part := once(samples(once(other))[j])
				for _, a := range slices.Concat(testkit.InTurn(i+j+k, [][]string{{"1/2", "1", "3/2"}, {"1/100", "1001/1000", "2"}, {"999/1000", "1", "5"}})...) {
					y, least := renyi.Of(once(x))(p, renyi.At(rat(a))), renyi.Of(part)(p, renyi.At(rat(a)))
					if y.Hi().Cmp(least.Lo()) < 0 {
						t.Errorf("%d: R(%s) of %s is at most %v, and that of a part is %v", i, a, x, y, least)
					}
				}
				bound, ok := RoughBound(once(x))
				if !ok {
					continue
				}
				for _, eps := range slices.Concat(testkit.InTurn(i+k, [][]string{{"0", "1"}, {"1/10", "2"}})...) {
					y, err := bound(t.Context(), p, interval.RealRat(rat(eps)))
					if err != nil {
						t.Fatal(err)
					}
					// δ(ε) of a part, from below by the test of an infinite loss or of the greatest one.
					if least := leastDelta(p, samples(once(other))[j], rat(eps)); y.Hi().Cmp(least.Lo()) < 0 {
						t.Errorf("%d: δ(%s) of %s is at most %v, and that of a part is %v", i, eps, x, y, least)
					}
				}
			}
		}
	}
}

// leastDelta is δ(ε) of a discrete pair, or 0.
func leastDelta(p interval.Prec, x pair.Pair, eps *big.Rat) interval.Interval {
	os, _, _ := x.Outcomes(p, 1<<10)
	sum, e := zero, p.Exp(p.Rat(eps))
	for _, o := range os {
		sum = p.Add(sum, atLeastZero(p.Sub(o.P, p.Mul(e, o.Q))))
	}
	return sum
}
