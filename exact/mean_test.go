// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/binomial"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestMeansByEveryMethod: means of noise, of discrete pairs, of both and of compositions, alone and twice, are the same
// by closed forms, by the profiles of their parts, by the number of copies and by grids; δ, R and the infinite mass are
// those of the parts.
func TestMeansByEveryMethod(t *testing.T) {
	ctx := context.Background()
	gauss, laplace := mechanism.Gaussian{NoiseMultiplier: rat("2")}, mechanism.Laplace{NoiseMultiplier: rat("1")}
	discrete := mechanism.DiscreteLaplace{NoiseParameter: rat("1/2"), Sensitivity: 1}
	both := mechanism.Composed{Events: []mechanism.Event{gauss, discrete}}
	for _, c := range []struct {
		events       []mechanism.Event
		alone, twice []string
	}{
		{[]mechanism.Event{gauss, laplace}, []string{"closed-form", "mixed"}, []string{"rare", "pld"}},
		{[]mechanism.Event{discrete, mechanism.EpsilonDelta{Epsilon: rat("1/2"), Delta: rat("1/100")}}, []string{"mixed", "enumeration", "lattice"}, []string{"rare", "pld"}},
		{[]mechanism.Event{both, laplace}, []string{"mixed"}, []string{"rare", "pld"}},
		{[]mechanism.Event{both, mechanism.NoOp{}, laplace}, []string{"mixed"}, []string{"pld"}},
	} {
		shares := rats("1/4", "3/4")
		if len(c.events) == 3 {
			shares = rats("1/5", "1/2", "3/10")
		}
		e := mechanism.Mean{Probabilities: shares, Events: c.events}
		together(t, Question{Event: e, Direction: mechanism.Remove}, "1/3", c.alone...)
		if len(c.events) == 2 || testkit.Long() {
			together(t, Question{Event: mechanism.SelfComposed{Event: e, Count: 2}, Direction: mechanism.Add}, "1/3", c.twice...)
		}
		const w = interval.Prec(96)
		delta, moment := interval.Int(0), interval.Int(0)
		for i, x := range c.events {
			y, err := Delta(ctx, Question{Event: x}, rat("1/3"), 0)
			if err != nil {
				t.Fatal(err)
			}
			delta = w.Add(delta, w.Mul(w.Rat(shares[i]), y.Interval))
			r, err := Renyi(Question{Event: x}, renyi.At(rat("3")), 0)
			if err != nil {
				t.Fatal(err)
			}
			moment = w.Add(moment, w.Mul(w.Rat(shares[i]), w.Exp(w.Mul(interval.Int(2), r.Interval))))
		}
		got, err := Delta(ctx, Question{Event: e}, rat("1/3"), 0)
		if _, ok := interval.Intersect(got.Interval, delta); err != nil || !ok || got.RelativeBits(64) < 40 {
			t.Errorf("%v: δ = %s, want %s, %v", e, got.Interval, delta, err)
		}
		if moment.IsFinite() {
			want := w.Div(w.Log(moment), interval.Int(2))
			r, err := Renyi(Question{Event: e}, renyi.At(rat("3")), 0)
			if _, ok := interval.Intersect(r.Interval, want); err != nil || !ok || r.RelativeBits(64) < 40 {
				t.Errorf("%v: R(3) = %s, want %s, %v", e, r.Interval, want, err)
			}
		}
	}
}

// TestRareCatastrophe: with a small probability everything is released. δ is at least that, and ε is infinite below it.
func TestRareCatastrophe(t *testing.T) {
	e := mechanism.Mean{Probabilities: rats("999/1000", "1/1000"), Events: []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: rat("1")}, mechanism.NonPrivate{}}}
	for n := range int64(3) {
		q := Question{Event: mechanism.SelfComposed{Event: e, Count: n + 1}}
		far, err := Delta(t.Context(), q, rat("100"), 0)
		least := new(big.Rat).SetInt64(1) // 1 − (1 − 1/1000)^n
		for range n + 1 {
			least.Mul(least, rat("999/1000"))
		}
		least.Sub(rat("1"), least)
		if err != nil || !far.ContainsRat(least) && far.Value == nil || far.RelativeBits(64) < 16 {
			t.Errorf("%d times: δ(100) = %s, want %s, %v", n+1, far.Interval, least.RatString(), err)
		}
		eps, err := Epsilon(t.Context(), q, new(big.Rat).Mul(least, rat("99/100")), 8, 0)
		if err != nil || !eps.Lo().IsInf() {
			t.Errorf("%d times: ε = %s, %v", n+1, eps.Interval, err)
		}
	}
}

// TestMeansOfGaussiansByCounts: copies of one of two Gaussians, or of a Gaussian and nothing, beside another one, are a
// mean of Gaussians, one for each number of copies.
func TestMeansOfGaussiansByCounts(t *testing.T) {
	const w, n = interval.Prec(128), 9
	gauss := func(sigma string) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: rat(sigma)} }
	for _, c := range []struct {
		second mechanism.Event
		mu2    string // of the second
	}{{gauss("1"), "1"}, {mechanism.NoOp{}, "0"}} {
		e := mechanism.Mean{Probabilities: rats("1/3", "2/3"), Events: []mechanism.Event{gauss("2"), c.second}}
		q := Question{Event: mechanism.Composed{Events: []mechanism.Event{gauss("4"), mechanism.SelfComposed{Event: e, Count: n}}}}
		together(t, q, "1", "rare", "pld")
		for _, eps := range []string{"-1", "0", "3"} {
			sum := interval.Int(0)
			for k := range int64(n + 1) { // of the first
				mu2 := new(big.Rat).Add(rat("1/16"), big.NewRat(k, 4))
				mu2.Add(mu2, new(big.Rat).Mul(rat(c.mu2), big.NewRat(n-k, 1)))
				d := closed.GaussianDelta(mu2)(w, interval.RealRat(rat(eps)))
				sum = w.Add(sum, w.Mul(binomial.Mass(w, n, k, rat("1/3")), d))
			}
			got, err := Delta(t.Context(), q, rat(eps), 0)
			if _, ok := interval.Intersect(got.Interval, sum); err != nil || !ok || got.RelativeBits(64) < 40 {
				t.Errorf("%v: δ(%s) = %s, want %s, %v", c.second, eps, got.Interval, sum, err)
			}
		}
	}
}
