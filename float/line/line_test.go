// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import (
	"math"
	"math/big"
	"testing"

	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
)

func sampled(rate float64, mu2 *big.Rat, count int64, reversed bool) pair.Term {
	base := pair.Product{{Pair: pair.Gaussian{Mu2: mu2}, Count: 1}}
	return pair.Term{Pair: pair.Sampled{Rate: new(big.Rat).SetFloat64(rate), Base: base, Reversed: reversed}, Count: count}
}

// TestBesideFourier: a line and the quadrature of package fourier, whose error is derived, differ by no more than both
// errors; and ε is where δ is.
func TestBesideFourier(t *testing.T) {
	for _, p := range testkit.Few(2, []pair.Product{
		{sampled(0.01, big.NewRat(1, 1), 1000, false)},
		{sampled(0.02, big.NewRat(1, 4), 300, true)},
		{sampled(0.3, big.NewRat(1, 9), 100, false), sampled(0.05, big.NewRat(1, 1), 200, false)},
		{sampled(0.01, big.NewRat(1, 1), 500, false), {Pair: pair.Gaussian{Mu2: big.NewRat(1, 20)}, Count: 1}},
	}) {
		l, ok := New(p)
		f, known := fourier.New(p)
		if !ok || !known {
			t.Fatalf("%v: %v, %v", p, ok, known)
		}
		for _, eps := range []float64{0.3, 1, 2} {
			got, ok := l.Delta(eps, 1e-4)
			want := f.Delta(t.Context(), value.Exact(eps))
			if !ok || math.Abs(got.V-want.V) > got.Err+want.Err {
				t.Errorf("%v: δ(%g) = %v, %v, by quadrature %v", p, eps, got, ok, want)
				continue
			}
			if e, ok := l.Epsilon(got.V, 1e-4); !ok || math.Abs(e.V-eps) > e.Err+1e-5*eps {
				t.Errorf("%v: ε(%g) = %v, %v, want %g", p, got.V, e, ok, eps)
			}
		}
	}
}

// TestCoarse: shorter lines say that they are off by more, and are.
func TestCoarse(t *testing.T) {
	p, _ := New(pair.Product{sampled(0.01, big.NewRat(1, 1), 1000, false)})
	fine, ok := p.Epsilon(1e-5, 1e-4)
	coarse, ok2 := p.Coarse().Epsilon(1e-5, 1e-2)
	if !ok || !ok2 || coarse.Err < fine.Err || math.Abs(coarse.V-fine.V) > coarse.Err+fine.Err {
		t.Errorf("ε = %v, %v, and by shorter lines %v, %v", fine, ok, coarse, ok2)
	}
}

// TestRefused: what is no product of samples of Gaussians has no line, and a delta of 0 none of moderate length.
func TestRefused(t *testing.T) {
	for _, p := range []pair.Product{nil, {{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}, {{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 3}}} {
		if _, ok := New(p); ok {
			t.Errorf("%v has a line", p)
		}
	}
	p, _ := New(pair.Product{sampled(0.01, big.NewRat(1, 1), 10, false)})
	if e, ok := p.Epsilon(1e-320, 1e-4); ok {
		t.Errorf("ε(1e-320) = %v", e)
	}
}
