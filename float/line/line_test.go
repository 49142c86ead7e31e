// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import (
	"math"
	"math/big"
	"math/cmplx"
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

func profile(t *testing.T, p pair.Product) *Profile {
	t.Helper()
	l, ok := New(p)
	if !ok {
		t.Fatalf("%v has no line", p)
	}
	return l
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
		l := profile(t, p)
		f, known := fourier.New(p)
		if !known {
			t.Fatalf("%v has no quadrature", p)
		}
		for _, eps := range []float64{0.3, 1, 2} {
			got, ok := l.Delta(eps, 1e-4)
			want := f.Delta(t.Context(), value.Exact(eps))
			if !ok || math.Abs(got.V-want.V) > got.Err+want.Err {
				t.Errorf("%v: δ(%g) = %v, %v, by quadrature %v", p, eps, got, ok, want)
				continue
			}
			if got.Err > got.V/8 { // what rounds hides it
				continue
			}
			if e, ok := l.Epsilon(got.V, 1e-4); !ok || math.Abs(e.V-eps) > e.Err+1e-5*eps {
				t.Errorf("%v: ε(%g) = %v, %v, want %g", p, got.V, e, ok, eps)
			}
			if l.Below(eps, got.V*0.99) || !l.Below(eps, got.V*1.25) {
				t.Errorf("%v: δ(%g) = %v is below 0.99 of it, or not below 1.25", p, eps, got)
			}
		}
	}
}

// TestOneStep: δ of one step of a sample is q·Φ̄(x − μ) − (e^ε − 1 + q)·Φ̄(x), where A(x) = e^ε, for rates and noise
// from one end to the other; that of the reversed pair is (1 − e^ε)·Φ(x) + e^ε·q·(Φ(x) − Φ(x − μ)), where A(x) =
// e^(−ε).
func TestOneStep(t *testing.T) {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	for _, q := range []float64{1e-7, 1e-3, 0.2} {
		for _, sigma := range []float64{0.1, 0.7, 5} {
			mu := 1 / sigma
			l := profile(t, pair.Product{sampled(q, new(big.Rat).SetFloat64(mu*mu), 1, false)})
			r := profile(t, pair.Product{sampled(q, new(big.Rat).SetFloat64(mu*mu), 1, true)})
			for _, rare := range []float64{1e-2, 1e-6} {
				// ε is where hits have a tail of rare.
				x := mu + math.Sqrt2*math.Erfcinv(2*rare)
				eps := math.Log1p(q * math.Expm1(mu*x-mu*mu/2))
				want := q*tail(x-mu) - (math.Expm1(eps)+q)*tail(x)
				got, ok := l.Delta(eps, 1e-3)
				if !ok || math.Abs(got.V-want) > got.Err+1e-9*want {
					t.Errorf("q = %g, σ = %g: δ(%g) = %v, %v, want %g", q, sigma, eps, got, ok, want)
				}
				if e, ok := l.Epsilon(want, 1e-3); !ok || math.Abs(e.V-eps) > e.Err+1e-9*eps {
					t.Errorf("q = %g, σ = %g: ε(%g) = %v, %v, want %g", q, sigma, want, e, ok, eps)
				}
			}
			// Reversed: losses are −log A, above ε where A is below e^(−ε).
			eps := -math.Log1p(-q) / 2
			x := mu/2 + math.Log1p(math.Expm1(-eps)/q)/mu
			want := -math.Expm1(eps)*tail(-x) + math.Exp(eps)*q*(tail(-x)-tail(mu-x))
			if got, ok := r.Delta(eps, 1e-3); !ok || math.Abs(got.V-want) > got.Err+1e-9*want {
				t.Errorf("q = %g, σ = %g, reversed: δ(%g) = %v, %v, want %g", q, sigma, eps, got, ok, want)
			}
			if got, ok := r.Delta(-2.1*math.Log1p(-q), 1e-3); !ok || got.V-got.Err > 0 {
				t.Errorf("q = %g, σ = %g, reversed: δ = %v, %v behind the largest loss", q, sigma, got, ok)
			}
		}
	}
}

// TestReplaced: δ of one step where a record is replaced is E_P[(1 − e^(ε−L))⁺], which a rule of many nodes sums up.
func TestReplaced(t *testing.T) {
	for _, q := range []float64{1e-4, 0.3} {
		for _, sigma := range []float64{0.25, 1, 6} {
			mu := 1 / sigma
			x := pair.Replaced{Rate: new(big.Rat).SetFloat64(q), Mu2: new(big.Rat).SetFloat64(mu * mu)}
			l := profile(t, pair.Product{{Pair: x, Count: 1}})
			a := func(x float64) float64 { return math.Log1p(q * math.Expm1(mu*x-mu*mu/2)) }
			eps := a(mu+1) - a(-mu-1)
			want, h := 0.0, 1e-5
			for x := mu + 1 + h/2; x < mu+12; x += h {
				want += h * math.Exp(a(x)-x*x/2) / math.Sqrt(2*math.Pi) * -math.Expm1(eps-a(x)+a(-x))
			}
			if got, ok := l.Delta(eps, 1e-3); !ok || math.Abs(got.V-want) > got.Err+1e-8*want {
				t.Errorf("q = %g, σ = %g: δ(%g) = %v, %v, want %g", q, sigma, eps, got, ok, want)
			}
			if e, ok := l.Epsilon(want, 1e-3); !ok || math.Abs(e.V-eps) > e.Err+1e-8*eps {
				t.Errorf("q = %g, σ = %g: ε(%g) = %v, %v, want %g", q, sigma, want, e, ok, eps)
			}
		}
	}
}

// TestNegative: where δ(0) is below delta, ε is below 0, and δ there, in terms of the reversed pair, is delta.
func TestNegative(t *testing.T) {
	l := profile(t, pair.Product{sampled(1e-3, big.NewRat(1, 4), 50, false)})
	r := profile(t, pair.Product{sampled(1e-3, big.NewRat(1, 4), 50, true)})
	at0, ok := l.Delta(0, 1e-4)
	if !ok {
		t.Fatalf("δ(0) = %v", at0)
	}
	for _, times := range []float64{1.01, 1.5, 20} {
		delta := times * at0.V
		e, ok := l.Epsilon(delta, 1e-4)
		if !ok || e.V >= 0 {
			t.Errorf("ε(%g) = %v, %v, δ(0) = %v", delta, e, ok, at0)
			continue
		}
		d, ok := r.Delta(-e.V, 1)
		if got := -math.Expm1(e.V) + math.Exp(e.V)*d.V; !ok || math.Abs(got-delta) > 2*e.Err+2*d.Err {
			t.Errorf("δ(%v) = %g, want %g", e, got, delta)
		}
		if got, ok := l.Delta(e.V, 1e-3); !ok || math.Abs(got.V-delta) > got.Err+2*e.Err {
			t.Errorf("δ(%v) = %v, %v, want %g", e, got, ok, delta)
		}
	}
}

// TestPaths: E_Q[A^a] along a path is the one along the real line, where a is small enough for that; and paths pass
// below the zeros of A on the left of the edge.
func TestPaths(t *testing.T) {
	for _, sigma := range []float64{0.2, 1, 4} {
		s := &sample{q: 0.01, mu: 1 / sigma, count: 1}
		for _, a := range []complex128{1.5, 2 + 1i, 0.5 + 3i, -2 + 2i} {
			// The trapezoidal rule along the real line, with steps that are ten times as small.
			var want complex128
			abs := 0.0
			h := 0.03 * math.Min(1, sigma)
			for k := range int((24 + 4/sigma) / h) {
				x := -12 + float64(k)*h
				loss := math.Log1p(s.q * math.Expm1(s.mu*x-s.mu*s.mu/2))
				term := cmplx.Exp(a*complex(loss, 0)-complex(x*x/2, 0)) * complex(h/math.Sqrt(2*math.Pi), 0)
				want += term
				abs += cmplx.Abs(term)
			}
			for _, p := range []path{{}, {shift: s.shift(0.5) / 2, far: s.mu * s.mu * imag(a)}, {shift: s.shift(0.5), far: 20}} {
				log, off := s.power(a, p)
				if got := cmplx.Exp(log); !(cmplx.Abs(got-want) <= (off+1e-12)*cmplx.Abs(want)+1e-14*abs) {
					t.Errorf("σ = %g: E[A^%v] = %v along %v, off by %g, want %v", sigma, a, got, p, off, want)
				}
				for k := range s.nodes {
					y, dy := p.at(&s.nodes[k])
					if !s.nodes[k].a.hit && y > 0.9*math.Pi || math.Abs(dy) > slope {
						t.Errorf("σ = %g: %v is at %g, slope %g at node %v", sigma, p, y, dy, s.nodes[k])
					}
				}
			}
		}
	}
}

// TestRefine: the errors that contours state at all steps cover what the shortest steps change.
func TestRefine(t *testing.T) {
	for _, c := range testkit.Few(2, []struct {
		rate, sigma float64
		count       int64
		eps         float64
	}{{0.01, 1, 1000, 1.8}, {1e-4, 0.8, 3000, 0.07}, {1e-4, 2, 1000, 0.008}, {0.3, 10, 5000, 10}, {1e-3, 0.15, 100, 60}}) {
		l := profile(t, pair.Product{sampled(c.rate, new(big.Rat).SetFloat64(1/c.sigma/c.sigma), c.count, false)})
		s, ok := l.near(c.eps)
		x := l.contour(s, l.bend(s))
		if !ok || !x.fill() {
			t.Errorf("%v has no contour", c)
			continue
		}
		var all []value.Value
		for range 5 {
			d, _, _ := x.delta(c.eps)
			all = append(all, d)
			x.halve()
		}
		last := all[4]
		for _, d := range all {
			if math.Abs(d.V-last.V) > d.Err+last.Err {
				t.Errorf("%v: δ = %v, by shorter steps %v", c, d, last)
			}
		}
		if last.Rel() > 1e-4 {
			t.Errorf("%v: δ = %v", c, last)
		}
	}
}

// TestRefused: what is no product of samples of Gaussians has no line, and a delta of next to 0 no estimate.
func TestRefused(t *testing.T) {
	for _, p := range []pair.Product{nil, {{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}, {{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 3}}} {
		if _, ok := New(p); ok {
			t.Errorf("%v has a line", p)
		}
	}
	if e, ok := profile(t, pair.Product{sampled(0.01, big.NewRat(1, 1), 10, false)}).Epsilon(1e-320, 1e-4); ok {
		t.Errorf("ε(1e-320) = %v", e)
	}
}
