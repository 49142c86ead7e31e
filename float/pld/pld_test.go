// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand"
	"testing"

	gonum "gonum.org/v1/gonum/dsp/fourier"

	"dpverify/float/closed"
	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestTransformError: gonum's transform is off by at most log₂ n·stageErr of the sum of
// the inputs, here by far less, in each of its outputs.
func TestTransformError(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{64, 1024, 8192} {
		x := make([]float64, n)
		sum := 0.0
		for i := range x {
			x[i] = math.Exp(-20 * r.Float64())
			sum += x[i]
		}
		got := gonum.NewFFT(n).Coefficients(nil, x)
		for range 20 {
			j := r.Intn(n/2 + 1)
			var want complex128
			for i, v := range x {
				s, c := math.Sincos(-2 * math.Pi * float64(i*j%n) / float64(n))
				want += complex(v*c, v*s)
			}
			// The direct sum has an error of its own, about √n·u.
			if e := cmplx.Abs(got[j] - want); e > math.Log2(float64(n))*stageErr*sum {
				t.Errorf("n = %d: output %d is off by %.2g of %.2g", n, j, e, sum)
			}
		}
	}
}

// cases are products that also have a closed form or a transform.
func cases() map[string]pair.Product {
	one := func(p pair.Pair, k int64) pair.Product { return pair.Product{{Pair: p, Count: k}} }
	g := pair.Gaussian{Mu2: big.NewRat(1, 4)}
	return map[string]pair.Product{
		"Gaussian":             one(g, 1),
		"Laplace":              one(pair.Laplace{Shift: big.NewRat(1, 2)}, 1),
		"truncated Gaussian":   one(pair.Truncated{Noise: mechanism.GaussianNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 2), Radius: big.NewRat(4, 1)}, 1),
		"truncated Laplace":    one(pair.Truncated{Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 2), Radius: big.NewRat(4, 1)}, 1),
		"sampled Laplace":      one(pair.Sampled{Rate: big.NewRat(1, 3), Base: one(pair.Laplace{Shift: big.NewRat(1, 1)}, 1)}, 1),
		"Gaussian and Laplace": {{Pair: g, Count: 1}, {Pair: pair.Laplace{Shift: big.NewRat(1, 3)}, Count: 3}},
		"sampled Gaussian":     one(pair.Sampled{Rate: big.NewRat(1, 10), Base: one(g, 1)}, 500),
		"added Gaussian":       one(pair.Sampled{Rate: big.NewRat(1, 10), Base: one(g, 1), Reversed: true}, 500),
	}
}

// TestBoundsEncloseTheTruth: lower ≤ δ ≤ upper at every ε, against closed forms and the
// Fourier accountant, strictly but for their own errors; and the bounds are near.
func TestBoundsEncloseTheTruth(t *testing.T) {
	testkit.SkipShort(t)
	for name, p := range cases() {
		a, ok := New(t.Context(), p)
		if !ok {
			t.Fatalf("%s: no grid", name)
		}
		reference := func(value.Value) value.Value { return value.Value{Err: math.Inf(1)} }
		if f, ok := closed.Of(t.Context(), p); ok {
			reference = f
		} else if f, ok := fourier.New(p); ok {
			reference = func(eps value.Value) value.Value { return f.Delta(t.Context(), eps) }
		}
		for _, e := range testkit.First(testkit.Draws(1, 2, 2), 0.25, 1.5, 0, 0.1, 0.75) {
			eps := value.Exact(e)
			want := reference(eps)
			if want.Err > 1e-9 {
				t.Fatalf("%s: no reference at %v: %v", name, e, want)
			}
			at := a.tilted(t.Context(), a.saddle(t.Context(), e))
			lo, hi := at.lower(eps), at.upper(eps)
			if lo > want.Hi() || hi < want.Lo() {
				t.Errorf("%s at %v: [%.12g, %.12g], want %v", name, e, lo, hi, want)
			}
			if hi-lo > 3e-3*hi && want.V > 1e-9 {
				t.Errorf("%s at %v: [%.8g, %.8g] is wide", name, e, lo, hi)
			}
		}
	}
}

// TestBoundsAtAnyTilt: the bounds hold for every tilt, not for a good one only.
func TestBoundsAtAnyTilt(t *testing.T) {
	p := cases()["Gaussian and Laplace"]
	a, _ := New(t.Context(), p)
	f, _ := fourier.New(p)
	eps := value.Exact(1)
	want := f.Delta(t.Context(), eps)
	for _, lambda := range []float64{0.01, 0.3, 1, 3, 10, 40} {
		at := a.tilted(t.Context(), lambda)
		if lo, hi := at.lower(eps), at.upper(eps); lo > want.Hi() || hi < want.Lo() {
			t.Errorf("λ = %v: [%v, %v], want %v", lambda, lo, hi, want)
		}
	}
}

// TestDeepTail: δ near 1e-30 is known to 1e-3 of itself.
func TestDeepTail(t *testing.T) {
	a, _ := New(t.Context(), cases()["Gaussian"])
	if v := a.Delta(t.Context(), value.Exact(5.6)); v.V > 1e-27 || v.V < 1e-32 || v.Rel() > 1e-3 {
		t.Errorf("δ = %v", v)
	}
}

func BenchmarkGrid(b *testing.B) {
	a, _ := New(b.Context(), cases()["sampled Gaussian"])
	for b.Loop() {
		a.Delta(b.Context(), value.Exact(1))
	}
}

// TestOneCompositionForNearEpsilons: ε next to each other share a composition, and an answer does not depend on those
// before.
func TestOneCompositionForNearEpsilons(t *testing.T) {
	p := cases()["Gaussian and Laplace"]
	a, ok := New(t.Context(), p)
	if !ok {
		t.Fatal("no grid")
	}
	a.Delta(t.Context(), value.Exact(1))
	first := a.last
	if a.Delta(t.Context(), value.Exact(1.001)); a.last != first {
		t.Error("ε = 1 and 1.001 are composed for themselves")
	}
	got := a.Delta(t.Context(), value.Exact(0.25))
	b, _ := New(t.Context(), p)
	if want := b.Delta(t.Context(), value.Exact(0.25)); got != want || a.last == first {
		t.Errorf("δ(0.25) = %v after δ(1), %v at first", got, want)
	}
}
