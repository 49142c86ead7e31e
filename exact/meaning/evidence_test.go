// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestEvidenceOfCompositions: what is known from below of a composition of what is
// attained, attained at every point, or dominated only.
func TestEvidenceOfCompositions(t *testing.T) {
	gauss, laplace := pair.Copies(pair.Gaussian{Mu2: rat("1")}, 1), pair.Copies(pair.Laplace{Shift: rat("1")}, 1)
	rr := pair.Copies(pair.Response{Eps: rat("1"), Delta: rat("0")}, 1)
	whole, points, upper := exactly(gauss), attainedPointwise(laplace, rr), between(laplace, rr)
	for _, c := range []struct {
		name            string
		m               meaning
		profile, renyi  bool // attained
		witness, square string
	}{
		{"nothing", neutral(), true, true, "()", "()"},
		{"attained", whole, true, true, "(Gaussian(μ²=1))", "(Gaussian(μ²=1)^2)"},
		{"pointwise", points, true, false, "(Response(ε=1, δ=0))", "(Response(ε=1, δ=0)^2)"},
		{"bounded", upper, false, false, "(Response(ε=1, δ=0))", "(Response(ε=1, δ=0)^2)"},
		{"nothing and pointwise", neutral().and(points), true, false, "(Response(ε=1, δ=0))", "(Response(ε=1, δ=0)^2)"},
		{"pointwise and nothing", points.and(neutral()), true, false, "(Response(ε=1, δ=0))", "(Response(ε=1, δ=0)^2)"},
		{"pointwise, twice", points.times(2), false, false, "(Response(ε=1, δ=0)^2)", "(Response(ε=1, δ=0)^4)"},
		{"attained and pointwise", whole.and(points), false, false, "(Gaussian(μ²=1) × Response(ε=1, δ=0))", "(Gaussian(μ²=1)^2 × Response(ε=1, δ=0)^2)"},
		{"bounded and attained", upper.and(whole), false, false, "(Response(ε=1, δ=0) × Gaussian(μ²=1))", "(Response(ε=1, δ=0)^2 × Gaussian(μ²=1)^2)"},
	} {
		for _, times := range []int64{1, 2} {
			want := c.witness
			if times == 2 {
				want = c.square
			}
			m := c.m.times(times)
			p := new(resolver).problem(m)
			b, err := p.Profile(mechanism.Both)
			if err != nil {
				t.Fatal(err)
			}
			d, err := p.Divergence(mechanism.Both)
			if err != nil {
				t.Fatal(err)
			}
			points := c.profile && (times == 1 || c.renyi)
			if b.Attained != points || d.Attained != c.renyi {
				t.Errorf("%s, %d times: profile attained %t, want %t; divergence %t, want %t", c.name, times, b.Attained, points, d.Attained, c.renyi)
			}
			if b.Attained != (b.Lower == nil) || d.Attained != (d.Lower == nil) {
				t.Errorf("%s, %d times: witnesses %v, %v", c.name, times, b.Lower, d.Lower)
			}
			ws := m.evidence.witnesses(m.factors)
			if len(ws) != 1 || ws[0].String() != want {
				t.Errorf("%s, %d times: witnesses %v, want %s", c.name, times, ws, want)
			}
		}
	}
}

// TestAChoiceBesideOthers: the greatest profile of the alternatives is exact for one
// release. Beside another factor a choice may depend on its output y: then H_α is
// Σ P(y)·H_{αQ(y)/P(y)} of the worse alternative at that y, which is more than either
// alternative gives for all y, and is what dominates.
func TestAChoiceBesideOthers(t *testing.T) {
	b := pair.NewFinite(rats("1/6", "1/6", "2/3"), rats("5/11", "1/2", "1/22"))
	choice := exactly(pair.Copies(b, 1), pair.Copies(b.Reverse(), 1))
	if of, ok := choice.factors.Alternatives(); !ok || len(of) != 2 {
		t.Errorf("one release: %v", of)
	}
	a := pair.NewFinite(rats("4/5", "1/5"), rats("1/5", "4/5"))
	both := exactly(pair.Copies(a, 1)).and(choice)
	if of, ok := both.factors.Alternatives(); ok {
		t.Errorf("two releases: %v", of)
	}
	upper := both.factors.Product()
	most, ok := upper[1].Pair.(pair.Finite)
	if !ok || len(upper) != 2 {
		t.Fatalf("dominated by %s", upper)
	}
	back := b.Reverse().(pair.Finite)
	worse := false
	for _, alpha := range rats("1/8", "1/2", "7/8", "1", "3/2", "2", "7") {
		beside := func(h func(*big.Rat) *big.Rat) *big.Rat {
			sum := new(big.Rat)
			for _, y := range a.Masses {
				x := new(big.Rat).Mul(alpha, y.Q)
				sum.Add(sum, new(big.Rat).Mul(y.P, h(x.Quo(x, y.P))))
			}
			return sum
		}
		fixed, other := beside(b.Delta), beside(back.Delta)
		if other.Cmp(fixed) > 0 {
			fixed = other
		}
		adaptive := beside(func(x *big.Rat) *big.Rat {
			if f, g := b.Delta(x), back.Delta(x); g.Cmp(f) > 0 {
				return g
			} else {
				return f
			}
		})
		if got := beside(most.Delta); got.Cmp(adaptive) != 0 {
			t.Errorf("H_%s is bounded by %s, want %s", alpha, got, adaptive)
		}
		worse = worse || adaptive.Cmp(fixed) > 0
	}
	if !worse {
		t.Error("no choice that depends on an output is worse than all others")
	}
}

// TestSampleOfASampledGaussian: of two records or more drawn without replacement and
// sampled once more, nothing is known to be attained but what noise on a sum of null
// records and one other does.
func TestSampleOfASampledGaussian(t *testing.T) {
	poisson := mechanism.PoissonSampled{SamplingProbability: rat("9/10"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1/2")}}
	subset := mechanism.SampledWithoutReplacement{SourceDatasetSize: 3, SampleSize: 2, Event: poisson}
	p, err := Resolve(mechanism.SelfComposed{Event: subset, Count: 5}, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Divergence(mechanism.Both)
	if err != nil || d.Attained || len(d.Lower) != 1 || d.Lower[0].String() != "(SampledReplaceGaussian(3/5, μ²=4)^5)" {
		t.Errorf("%+v, %v", d, err)
	}
}
