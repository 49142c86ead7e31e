// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"context"
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func term(x pair.Pair, count int64) pair.Term { return pair.Term{Pair: x, Count: count} }

func gaussian(mu2 string) pair.Pair { return pair.Gaussian{Mu2: testkit.Rat(mu2)} }

// TestRuleIsExact: on polynomials to degree 22, and the rule of Gauss inside it to degree 13.
func TestRuleIsExact(t *testing.T) {
	for degree := range 23 {
		kronrod, gauss := 0.0, 0.0
		for i, x := range kronrodX {
			y := math.Pow(x, float64(degree)) + math.Pow(-x, float64(degree))
			if x == 0 {
				y /= 2
			}
			kronrod += kronrodW[i] * y
			if i%2 == 1 {
				gauss += gaussW[i/2] * y
			}
		}
		want := 0.0
		if degree%2 == 0 {
			want = 2 / float64(degree+1)
		}
		if math.Abs(kronrod-want) > 1e-14 || degree < 14 && math.Abs(gauss-want) > 1e-14 {
			t.Errorf("degree %d: %v and %v, want %v", degree, kronrod, gauss, want)
		}
	}
}

// TestAgainstTheBoundedAccountant: on the same products, what is known with a bound of its error is met to what
// the paper says of its quadrature, 1e-13 for each distribution function, with some hundred points.
func TestAgainstTheBoundedAccountant(t *testing.T) {
	sampled := pair.Sampled{Rate: testkit.Rat("1/100"), Base: pair.Product{term(gaussian("1/4"), 1)}}
	for _, c := range []struct {
		p      pair.Product
		eps    float64
		points int
	}{
		{pair.Product{term(gaussian("1"), 1)}, 1, 1500},
		{pair.Product{term(gaussian("1/2500"), 400)}, 0.5, 1500},
		{pair.Product{term(gaussian("1/25"), 10), term(pair.Laplace{Shift: testkit.Rat("1/2")}, 5)}, 2, 4000},
		{pair.Product{term(sampled, 1500)}, 2, 2500},
		{pair.Product{term(sampled.Reverse(), 1500)}, 1, 1500},
	} {
		a, ok := New(c.p) // rounding counts once a copy
		f, known := fourier.New(c.p)
		if !ok || !known {
			t.Fatalf("%v has no accountant", c.p)
		}
		copies := 0.0
		for _, x := range c.p {
			copies += float64(x.Count)
		}
		got, want := a.Delta(t.Context(), c.eps), f.Delta(t.Context(), value.Exact(c.eps))
		if math.Abs(got.Delta-want.V) > want.Err+(2e-13+copies*1e-15)*math.Exp(c.eps) || want.Err > 1e-10*want.V {
			t.Errorf("%v: δ(%v) = %v, want %v ± %v", c.p, c.eps, got.Delta, want.V, want.Err)
		}
		if got.Points > c.points || got.Guess > 1e-12 {
			t.Errorf("%v: %d points, guessed error %v", c.p, got.Points, got.Guess)
		}
	}
}

// TestInfiniteLosses: randomized response that fails openly with probability 1/20, three times: with m/2, and not
// 1/2, the constant of Lévy's formula, its δ is the sum of its outcomes. The integrand does not fall: the guess of
// the error says so.
func TestInfiniteLosses(t *testing.T) {
	one := value.Exact(1)
	up := one.Exp().Div(one.Add(one.Exp())).Scale(0.95)
	low := value.Exact(0.95).Sub(up)
	open := value.Exact(0.05)
	rr := pair.Discrete{Outcomes: []pair.Outcome{{P: open}, {Q: open}, {P: up, Q: low, Loss: one}, {P: low, Q: up, Loss: one.Neg()}}}
	a, ok := New(pair.Product{term(rr, 3), term(gaussian("1/100"), 1)})
	if !ok {
		t.Fatal("no accountant")
	}
	// Sum over the outcomes of the three, each with the Gaussian of μ = 1/10: p·Φ(−(ε − l)/μ + μ/2) − e^ε·q·Φ(−(ε −
	// l)/μ − μ/2).
	const eps, mu = 0.5, 0.1
	want := 1 - math.Pow(0.95, 3)
	for k := range 4 {
		c := []float64{1, 3, 3, 1}[k]
		p := c * math.Pow(up.V, float64(k)) * math.Pow(low.V, float64(3-k))
		q := c * math.Pow(low.V, float64(k)) * math.Pow(up.V, float64(3-k))
		z := (eps - float64(2*k-3)) / mu
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		want += p*phi(mu/2-z) - math.Exp(eps)*q*phi(-mu/2-z)
	}
	if got := a.Delta(t.Context(), eps); math.Abs(got.Delta-want) > 1e-12 {
		t.Errorf("δ = %v, want %v", got.Delta, want)
	}
	alone, _ := New(pair.Product{term(rr, 3)})
	if got := alone.Delta(t.Context(), eps); got.Guess < 1e-9 {
		t.Errorf("discrete alone: δ = %v with a guessed error of %v", got.Delta, got.Guess)
	}
}

// TestClosedFormsAreIntegrals: φ of Laplace noise and of a Gaussian in closed form is the integral over their density,
// and φ(0) = φ(i) = 1 where all losses are finite.
func TestClosedFormsAreIntegrals(t *testing.T) {
	for _, x := range []pair.Pair{gaussian("2"), pair.Laplace{Shift: testkit.Rat("3/2")}} {
		f, _ := closed(x)
		d, ok := densityOf(x)
		if !ok {
			t.Fatal(x)
		}
		g := d.doubleQuadrature()
		for _, u := range []float64{0, 0.3, 1, 2.5} {
			if a, b := cmplx.Exp(f.log(u)), cmplx.Exp(g.log(u)); cmplx.Abs(a-b) > 1e-9 {
				t.Errorf("%v: φ(%v) = %v, by quadrature %v", x, u, a, b)
			}
			if a, b := cmplx.Exp(f.logReverse(u)), cmplx.Exp(g.logReverse(u)); cmplx.Abs(a-b) > 1e-9 {
				t.Errorf("%v: φ′(%v) = %v, by quadrature %v", x, u, a, b)
			}
		}
	}
}

// TestCellsEncloseTheTruth: δ_min and δ_max of Algorithm 2 with masses of cells, for both orientations of a sample,
// alone and with a factor in closed form, and closer together with more cells [Corollary 41]. The masses of a Riemann
// sum would not enclose it.
func TestCellsEncloseTheTruth(t *testing.T) {
	sampled := pair.Sampled{Rate: testkit.Rat("1/5"), Base: pair.Product{term(gaussian("1"), 1)}}
	for _, p := range []pair.Product{{term(sampled, 20)}, {term(sampled.Reverse(), 20)}, {term(sampled, 15), term(gaussian("1/4"), 2)}} {
		f, _ := fourier.New(p)
		last := math.Inf(1)
		s := Covering(p)
		if s < 8 || s > 12 {
			t.Errorf("%v: ±%v", p, s)
		}
		for _, n := range []int{64, 512} {
			d, ok := Discretise(p, s, n)
			if !ok {
				t.Fatal(p)
			}
			got := d.Delta(t.Context(), 1)
			want := f.Delta(t.Context(), value.Exact(1)).V
			if got.Lower >= want || got.Upper <= want || got.Guess > 1e-5 || d.Tail > 0x1p-53 {
				t.Errorf("%v, %d cells: %+v, want %v; tail %v", p, n, got, want, d.Tail)
			}
			if got.Upper-got.Lower > last/5 {
				t.Errorf("%v, %d cells: %+v", p, n, got)
			}
			last = got.Upper - got.Lower
			eps := d.Epsilon(t.Context(), want, 1e-6)
			if eps.Lower >= 1 || eps.Upper <= 1 || n == 512 && eps.Upper-eps.Lower > 0.6 {
				t.Errorf("%v, %d cells: ε from %v to %v at δ(1)", p, n, eps.Lower, eps.Upper)
			}
		}
	}
}

// TestTailCounts: what is outside of a narrow range is added to the one bound and taken from the other [Theorem 44].
func TestTailCounts(t *testing.T) {
	sampled := pair.Sampled{Rate: testkit.Rat("1/5"), Base: pair.Product{term(gaussian("1"), 1)}}
	d, _ := Discretise(pair.Product{term(sampled, 20)}, 3, 512)
	lo, hi := d.Lower.Delta(t.Context(), 1).Delta, d.Upper.Delta(t.Context(), 1).Delta
	got := d.Delta(t.Context(), 1)
	// P beyond 3 is (4/5)·Φ(−3) + (1/5)·Φ(−2), which is more than Q there, and Q beyond −3 is Φ(−3).
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	want := 20 * (0.8*phi(-3) + 0.2*phi(-2) + phi(-3))
	if math.Abs(d.Tail-want) > 1e-12 || math.Abs(got.Upper-hi-want) > 1e-12 || math.Abs(lo-got.Lower-want) > 1e-12 {
		t.Errorf("tail %v, want %v; %+v with %v and %v", d.Tail, want, got, lo, hi)
	}
}

// TestNotCut: where all characteristic functions are closed forms nothing is cut, and what is not known is not.
func TestNotCut(t *testing.T) {
	for _, p := range []pair.Product{{term(gaussian("1"), 1)}, {term(pair.Sampled{Rate: testkit.Rat("1/5"), Base: pair.Product{term(gaussian("1"), 2)}}, 1)}} {
		if _, ok := Discretise(p, 10, 64); ok {
			t.Errorf("%v is cut", p)
		}
	}
}

// TestWithin: fewer points for a larger error, which is met.
func TestWithin(t *testing.T) {
	p := pair.Product{term(gaussian("1"), 1)}
	exact, _ := New(p)
	rough, _ := New(p)
	rough.Within(1e-3)
	x, y := exact.Delta(t.Context(), 1), rough.Delta(t.Context(), 1)
	if y.Points >= x.Points || y.Guess > 1e-2 || math.Abs(x.Delta-y.Delta) > 1e-2 {
		t.Errorf("%+v, and to 1e-3 %+v", x, y)
	}
	rough.Within(1e-9)
	if again := rough.Delta(t.Context(), 1); again != y {
		t.Errorf("%+v, then %+v", y, again)
	}
}

// TestEpsilon: bisection ends where δ is.
func TestEpsilon(t *testing.T) {
	a, _ := New(pair.Product{term(gaussian("1"), 1)})
	eps, got := a.Epsilon(t.Context(), 1e-5, math.Inf(1))
	if math.Abs(eps-4.37717809568) > 1e-7 || math.Abs(got.Delta-1e-5) > 1e-12 || got.Points < 100 {
		t.Errorf("ε = %v, %+v", eps, got)
	}
	if eps, _ := a.Epsilon(t.Context(), 0.5, math.Inf(1)); eps != 0 {
		t.Errorf("ε(0.5) = %v", eps)
	}
	flat, _ := New(pair.Product{term(pair.Laplace{Shift: big.NewRat(1, 2)}, 1)}) // φ does not fall
	if _, got := flat.Epsilon(t.Context(), 1e-5, 1e-6); got.Guess < 1e-6 || got.Points != flat.Delta(t.Context(), 0).Points+flat.Delta(t.Context(), 1).Points {
		t.Errorf("the guess does not end it: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if eps, _ := a.Epsilon(ctx, 1e-300, math.Inf(1)); !math.IsInf(eps, 1) {
		t.Errorf("interrupted, ε = %v", eps)
	}
	if _, ok := New(pair.Product{term(pair.Truncated{Noise: mechanism.GaussianNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 1), Radius: big.NewRat(3, 1)}, 1)}); ok {
		t.Error("truncated noise has a characteristic function")
	}
}
