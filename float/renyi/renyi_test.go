// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"
	"math/big"
	"testing"

	"dpverify/float/closed"
	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
)

func one(p pair.Pair, k int64) pair.Product { return pair.Product{{Pair: p, Count: k}} }

func overlap(x, y value.Value) bool { return math.Abs(x.V-y.V) <= x.Err+y.Err }

// TestGaussianIsLinear: R_α = αμ²/2, and k copies have k times that.
func TestGaussianIsLinear(t *testing.T) {
	for _, k := range []int64{1, 7} {
		c, ok := New(one(pair.Gaussian{Mu2: big.NewRat(1, 3)}, k))
		if !ok {
			t.Fatal("no curve")
		}
		for _, alpha := range []float64{1.1, 2, 17, 300} {
			want := value.Rat(big.NewRat(k, 6)).Scale(alpha)
			if r := c.Divergence(value.Exact(alpha)); !overlap(r, want) || r.Rel() > 1e-12 {
				t.Errorf("R_%v of %d copies = %v, want %v", alpha, k, r, want)
			}
		}
	}
}

// TestSampledOrderTwo: R_2 of a Poisson-sampled Gaussian is log(1 + q²(e^μ² − 1)).
func TestSampledOrderTwo(t *testing.T) {
	for _, q := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 10), big.NewRat(1, 2)} {
		c, _ := New(one(pair.Sampled{Rate: q, Base: one(pair.Gaussian{Mu2: big.NewRat(1, 1)}, 1)}, 1))
		g := value.Rat(q)
		want := g.Mul(g).Mul(value.Exact(1).Expm1()).Log1p()
		if r := c.Divergence(value.Exact(2)); !overlap(r, want) || r.Rel() > 1e-10 {
			t.Errorf("q = %v: R_2 = %v, want %v", q.RatString(), r, want)
		}
	}
}

// TestLaplaceOrders: R_α of the Laplace pair by Mironov's closed form,
// log(α/(2α−1)·e^((α−1)x) + (α−1)/(2α−1)·e^(−αx))/(α − 1).
func TestLaplaceOrders(t *testing.T) {
	const x = 0.75
	c, _ := New(one(pair.Laplace{Shift: big.NewRat(3, 4)}, 1))
	for _, alpha := range []float64{1.25, 2, 8, 50} {
		want := math.Log(alpha/(2*alpha-1)*math.Exp((alpha-1)*x)+(alpha-1)/(2*alpha-1)*math.Exp(-alpha*x)) / (alpha - 1)
		if r := c.Divergence(value.Exact(alpha)); math.Abs(r.V-want) > r.Err+1e-13 || r.Rel() > 1e-11 {
			t.Errorf("R_%v = %v, want %v", alpha, r, want)
		}
	}
}

// TestConversionsBound: the conversions bound the profile from above, at the ε and δ
// of the Fourier accountant, and the one of CKS is the tighter one.
func TestConversionsBound(t *testing.T) {
	p := one(pair.Sampled{Rate: big.NewRat(1, 50), Base: one(pair.Gaussian{Mu2: big.NewRat(1, 1)}, 1)}, 1000)
	c, _ := New(p)
	f, _ := fourier.New(p)
	for _, eps := range []float64{0.5, 1, 2, 4} {
		e := value.Exact(eps)
		truth := f.Delta(t.Context(), e)
		bound := c.Delta(e, DefaultOrders())
		if bound.Lo() < truth.Hi() || bound.V > 100*truth.V+0.2 {
			t.Errorf("δ(%v) = %v, bound %v", eps, truth, bound)
		}
		if truth.V > 0.1 {
			continue
		}
		cks, mironov := c.Epsilon(truth, DefaultOrders()), c.Mironov(truth, DefaultOrders())
		if cks.Lo() < eps-1e-9 || mironov.V < cks.V {
			t.Errorf("ε(%v) = %v, bounds %v and %v", truth.V, eps, cks, mironov)
		}
	}
	g, _ := closed.Of(t.Context(), one(pair.Gaussian{Mu2: big.NewRat(1, 1)}, 1))
	d, _ := New(one(pair.Gaussian{Mu2: big.NewRat(1, 1)}, 1))
	if b := d.Delta(value.Exact(2), DefaultOrders()); b.V < g(value.Exact(2)).V {
		t.Errorf("Gaussian: bound %v is below the truth", b)
	}
}

// TestInfiniteLoss: a mass of infinite loss has no finite divergence.
func TestInfiniteLoss(t *testing.T) {
	half := value.Exact(0.5)
	x := pair.Discrete{Outcomes: []pair.Outcome{{P: half, Q: value.Exact(1), Loss: half.Log()}, {P: half}}}
	if _, ok := New(one(x, 1)); ok {
		t.Error("a curve of an infinite divergence")
	}
}
