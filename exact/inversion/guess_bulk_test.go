// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/pair"
)

// rare is 113526 steps of noise σ = 5 at a rate of 2·10⁻⁶, whose ε is about 0.0006 at δ = 6.1e-11.
func rare(t *testing.T, reversed bool) *Transform {
	t.Helper()
	x, ok := New(product(sampledGaussian("0.000002", "1/25", reversed), 113526))
	if !ok {
		t.Fatal("no transform")
	}
	return x
}

// TestMomentsOfRareSamples: E_P[e^L] is 1 + q²(e^{μ²} − 1) where P is the sample. The bulk knows its logarithm, and log
// M(−λ) is not lost in what float64 rounds.
func TestMomentsOfRareSamples(t *testing.T) {
	want := 113526 * math.Log1p(4e-12*math.Expm1(1.0/25))
	x := rare(t, false)
	if got := x.logMoment(1); math.Abs(got/want-1) > 0.02 {
		t.Errorf("log M(−1) is about %g, want %g", got, want)
	}
	b, ok := x.newBulk(-23.5)
	if !ok {
		t.Fatal("no bulk")
	}
	if got := b.LogMoment(1); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("log M(−1) of the bulk is %g, want %g", got, want)
	}
	if x.quantum > -11 {
		t.Errorf("lines are for ranges of 2^%d: the scale of the losses is 2^−13", x.quantum)
	}
}

// TestBulkIsTheProduct: at moderate λ and t, a bulk has the transform of its product, and is not taken.
func TestBulkIsTheProduct(t *testing.T) {
	for _, prod := range []pair.Product{
		product(sampledGaussian("1/100", "1/16", false), 1000),
		product(sampledGaussian("1/100", "1/16", true), 1000),
	} {
		x, _ := New(prod)
		b, ok := x.newBulk(-25)
		if !ok {
			t.Fatalf("%s: no bulk", prod)
		}
		lambda, h := rat("3/2"), double.Point(4)
		got, ok1 := b.LogLine(t.Context(), lambda, h, 8)
		want, ok2 := x.law().LogLine(t.Context(), lambda, h, 8)
		if !ok1 || !ok2 {
			t.Fatalf("%s: no line", prod)
		}
		for j := range want {
			if math.Abs(real(got[j]-want[j])) > 1e-5 || math.Abs(imag(got[j]-want[j])) > 1e-5 {
				t.Errorf("%s: log M at %d is %v, want %v", prod, j, got[j], want[j])
			}
		}
		if _, _, ok := x.bulkAt(-12); ok {
			t.Errorf("%s: the bulk is taken for moderate δ", prod)
		}
	}
	x, _ := New(product(sampledLaplacePair("1/50", "1/2", false), 4000))
	if _, ok := x.newBulk(-12); ok {
		t.Error("there is a bulk of Laplace noise")
	}
}

// TestBulkDelta: where moments say next to nothing of log δ, the bulk does, and is below it.
func TestBulkDelta(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		x := rare(t, reversed)
		const logDelta = -23.52 // log 6.1e-11
		eps, ok := x.near(t.Context(), logDelta)
		if !ok {
			t.Fatal("no start")
		}
		guess, _, ok := x.guessDelta(eps)
		if !ok || guess < logDelta && !reversed {
			t.Errorf("log δ is at least %g by the moments: the bulk is not needed", guess)
		}
		if got := x.bulkDelta(eps, guess); got > logDelta || got < logDelta-16 {
			t.Errorf("log δ is about %g by the bulk, want somewhat below %g", got, logDelta)
		}
	}
}

// TestLinesOfRareSamples: neighbourhoods are made for what the bulk says of δ.
func TestLinesOfRareSamples(t *testing.T) {
	x := rare(t, false)
	eps, ok := x.near(t.Context(), -23.52)
	if !ok {
		t.Fatal("no start")
	}
	at, ok := x.around(double.Point(eps).Exact())
	if !ok || at.logDelta > -23.52 {
		t.Errorf("log δ is at least %g, and it is −23.52", at.logDelta)
	}
}

// TestBulkIsTakenWhereItHelps: a bulk stands for a product whose rare outcomes have all of the moment at the saddle
// point, and for no other one.
func TestBulkIsTakenWhereItHelps(t *testing.T) {
	const logDelta = -24.6 // δ = 2e-11
	for _, c := range []struct {
		rate, mu2 string
		copies    int64
		want      bool
	}{{"0.00004733", "2/9", 37083, true}, {"0.0007484", "0.937", 10, true}, {"1/100", "1/16", 1000, false}, {"1/50", "1", 20, false}} {
		x, ok := New(product(sampledGaussian(c.rate, c.mu2, false), c.copies))
		if !ok {
			t.Fatal("no transform")
		}
		if _, _, got := x.bulkAt(logDelta); got != c.want {
			t.Errorf("%v: a bulk %v, want %v", c, got, c.want)
		}
		if got := x.bulkDelta(1, logDelta) < logDelta; got && !c.want {
			t.Errorf("%v: δ by a bulk that is not taken", c)
		}
	}
}
