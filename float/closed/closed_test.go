// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/mechanism"
)

func overlap(x, y value.Value) bool { return math.Abs(x.V-y.V) <= x.Err+y.Err }

func one(p pair.Pair) pair.Product { return pair.Product{{Pair: p, Count: 1}} }

func randomRat(r *rand.Rand, lo, hi float64) *big.Rat {
	return new(big.Rat).SetFloat64(math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)))
}

// randomPair draws a pair of each kind with a closed form.
func randomPair(r *rand.Rand) pair.Pair {
	simple := func() pair.Pair {
		if r.Intn(2) == 0 {
			return pair.Gaussian{Mu2: randomRat(r, 0.01, 4)}
		}
		return pair.Laplace{Shift: randomRat(r, 0.05, 4)}
	}
	switch r.Intn(5) {
	case 0:
		return pair.Truncated{Noise: mechanism.GaussianNoise, Width: randomRat(r, 0.5, 3), Sensitivity: randomRat(r, 0.2, 1), Radius: randomRat(r, 1, 6)}
	case 1:
		return pair.Truncated{Width: randomRat(r, 0.5, 3), Sensitivity: randomRat(r, 0.2, 1), Radius: randomRat(r, 1, 6)}
	case 2, 3:
		return pair.Sampled{Rate: randomRat(r, 0.01, 0.9), Base: one(simple()), Reversed: r.Intn(2) == 0}
	}
	return simple()
}

// TestProfileIsTheTails: δ(ε) = P(L > ε) − e^ε·Q(L > ε), two sets of formulas.
func TestProfileIsTheTails(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		x := randomPair(r)
		f, ok := Of(t.Context(), one(x))
		tails, _, known := TailsOf(x)
		if !ok || !known {
			t.Fatalf("%+v has no closed form", x)
		}
		eps := value.Exact(6*r.Float64() - 3)
		p, q := tails(eps)
		want := p.Sub(eps.Exp().Mul(q))
		if d := f(eps); !overlap(d, want) || d.Err > 1e-12 {
			t.Errorf("%+v at %v: %v, by the tails %v", x, eps.V, d, want)
		}
	}
}

// TestReversal: δ_PQ(ε) = 1 − e^ε + e^ε·δ_QP(−ε).
func TestReversal(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		x := randomPair(r)
		f, _ := Of(t.Context(), one(x))
		g, _ := Of(t.Context(), one(x.Reverse()))
		eps := value.Exact(6*r.Float64() - 3)
		want := eps.Exp().Mul(g(eps.Neg())).Sub(eps.Expm1())
		if d := f(eps); !overlap(d, want) {
			t.Errorf("%+v at %v: %v, from the reversed pair %v", x, eps.V, d, want)
		}
	}
}

// TestSamplingADiscretePair: the law of the sampled outcomes against the sampled
// profile of the base.
func TestSamplingADiscretePair(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 500 {
		a, b := value.Exact(r.Float64()), value.Exact(r.Float64())
		rest := func(x value.Value) value.Value { return value.Exact(1).Sub(x) }
		base := pair.Discrete{Outcomes: []pair.Outcome{
			{P: a, Q: b, Loss: a.Div(b).Log()},
			{P: rest(a), Q: rest(b), Loss: rest(a).Div(rest(b)).Log()},
		}}
		rate := randomRat(r, 0.01, 0.9)
		g := value.Rat(rate)
		var mixed pair.Discrete
		for _, o := range base.Outcomes {
			p := rest(g).Mul(o.Q).Add(g.Mul(o.P))
			mixed.Outcomes = append(mixed.Outcomes, pair.Outcome{P: p, Q: o.Q, Loss: p.Div(o.Q).Log()})
		}
		for _, reversed := range []bool{false, true} {
			f, _ := Of(t.Context(), one(pair.Sampled{Rate: rate, Base: one(base), Reversed: reversed}))
			x := pair.Pair(mixed)
			if reversed {
				x = mixed.Reverse()
			}
			g, _ := Of(t.Context(), one(x))
			eps := value.Exact(2*r.Float64() - 1)
			if d, want := f(eps), g(eps); !overlap(d, want) {
				t.Errorf("rate %v, reversed %v, ε = %v: %v, outcome by outcome %v", rate.FloatString(3), reversed, eps.V, d, want)
			}
		}
	}
}

// TestGaussianAccuracy: Err stays below 1e-9 of δ from 1 down to 1e-300.
func TestGaussianAccuracy(t *testing.T) {
	for _, mu := range []float64{1e-3, 0.03, 0.5, 1, 3, 20} {
		f := Gaussian(value.Exact(mu))
		last := math.Inf(1)
		for eps := -2 * mu; ; eps += mu / 3 {
			d := f(value.Exact(eps))
			if d.V < 1e-300 {
				break
			}
			if d.Rel() > 1e-9 || d.V > last {
				t.Fatalf("μ = %v, ε = %v: %v after %v", mu, eps, d, last)
			}
			last = d.V
		}
	}
}

func BenchmarkGaussian(b *testing.B) {
	f := Gaussian(value.Exact(0.7))
	for b.Loop() {
		f(value.Exact(1.3))
	}
}

func BenchmarkSampledLaplace(b *testing.B) {
	f, _ := Of(b.Context(), one(pair.Sampled{Rate: big.NewRat(1, 100), Base: one(pair.Laplace{Shift: big.NewRat(1, 1)})}))
	for b.Loop() {
		f(value.Exact(0.01))
	}
}
