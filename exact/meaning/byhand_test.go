// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/permuted"
	"dpverify/mechanism"
)

// TestResolveByHand: what events stand for under the relations.
func TestResolveByHand(t *testing.T) {
	gaussian := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	pairEvent := mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1/3", "2/3")}
	for _, c := range []struct {
		e    mechanism.Event
		rel  mechanism.Relation
		want string
	}{
		{gaussian, mechanism.AddOrRemoveOne, "(Gaussian(μ²=1/4))"},
		{gaussian, mechanism.ReplaceSpecial, "(Gaussian(μ²=1/4))"},
		{gaussian, mechanism.ReplaceOne, "(Gaussian(μ²=1))"},
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, mechanism.ReplaceOne, "(Laplace(1))"},
		{mechanism.DiscreteLaplace{NoiseParameter: rat("1/2"), Sensitivity: 3}, mechanism.ReplaceOne, "(DiscreteLaplace(1/2, 6))"},
		{mechanism.DiscreteGaussian{Sigma: rat("3"), Sensitivity: rat("1")}, mechanism.ReplaceOne, "(DiscreteGaussian(σ²=9, 1))"},
		{mechanism.NonPrivate{}, mechanism.AddOrRemoveOne, "(Response(ε=0, δ=1))"},
		{mechanism.NoOp{}, mechanism.AddOrRemoveOne, "()"},
		{mechanism.SelfComposed{Event: mechanism.Composed{Events: []mechanism.Event{gaussian, gaussian, pairEvent}}, Count: 5}, mechanism.AddOrRemoveOne,
			"(Gaussian(μ²=1/4)^10 × Finite(1/2:1/3 1/2:2/3)^5)"},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: pairEvent}, mechanism.AddOrRemoveOne, "(Finite(3/8:1/3 5/8:2/3))"},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: gaussian}, mechanism.AddOrRemoveOne, "(Sampled(1/4, (Gaussian(μ²=1/4))))"},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: gaussian}, mechanism.ReplaceOne, "(SampledReplaceGaussian(1/4, μ²=1/4))"},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/9")}}, mechanism.ReplaceOne,
			"(Mean(1/4·(Response(ε=1, δ=1/9)), 3/4·()))"},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 12, SampleSize: 3, Event: gaussian}, mechanism.ReplaceOne, "(Maximum((Sampled(1/4, (Gaussian(μ²=1)))), (Sampled(1/4, (Gaussian(μ²=1)))ᵀ)))"},
		{mechanism.MixtureOfGaussians{StandardDeviation: rat("2"), Sensitivities: rats("1", "0"), SamplingProbs: rats("1/4", "3/4")}, mechanism.AddOrRemoveOne,
			"(Sampled(1/4, (Gaussian(μ²=1/4))))"},
		{mechanism.Binomial{Trials: 1, Probability: rat("1/3"), Sensitivity: 1}, mechanism.AddOrRemoveOne, "(Finite(2/3:0 1/3:2/3 0:1/3))"},
	} {
		p, err := Resolve(c.e, c.rel)
		if err != nil || p.Dominating().String() != c.want {
			t.Errorf("%s under %s: %s, %v, want %s", mechanism.EncodeEvent(c.e), c.rel, p.Dominating(), err, c.want)
		}
	}
	for _, c := range []struct {
		e   mechanism.Event
		rel mechanism.Relation
	}{
		{mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2}, mechanism.AddOrRemoveOne},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 12, SampleSize: 3, Event: gaussian}, mechanism.ReplaceSpecial},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 12, SampleSize: 12, Event: gaussian}, mechanism.AddOrRemoveOne},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: pairEvent}, mechanism.ReplaceOne},
	} {
		if p, err := Resolve(c.e, c.rel); err == nil {
			t.Errorf("%s under %s: %s, want an error", mechanism.EncodeEvent(c.e), c.rel, p.Dominating())
		}
	}
}

// TestSampleOfPoissonSamples: n = 3, m = 2, q = 1/2, (log 3, 0)-DP. Of t records left, θ = γt/m
// is the weight of those sets that have the record, so that no mechanism exceeds
// Σ q_t·θ_t·H_{1+(α−1)/θ_t}(P‖Q) for α ≥ 1, which is less than the sampled pair of the Poisson
// sample, γ·q·H_{1+(α−1)/γ}(P‖Q), for α = 2; of one record drawn, it is the same.
func TestSampleOfPoissonSamples(t *testing.T) {
	f := pair.NewFinite(rats("3/4", "1/4"), rats("1/4", "3/4"))
	h := func(alpha, theta string) *big.Rat { // θ·H_{1+(α−1)/θ}
		x := new(big.Rat).Sub(rat(alpha), ratOne)
		x.Add(x.Quo(x, rat(theta)), ratOne)
		return x.Mul(rat(theta), f.Delta(x))
	}
	possible := new(big.Rat).Add(new(big.Rat).Mul(rat("1/2"), h("2", "1/3")), new(big.Rat).Mul(rat("1/4"), h("2", "2/3")))
	claimed := new(big.Rat).Mul(rat("1/2"), h("2", "2/3"))
	if possible.Cmp(rat("1/48")) != 0 || claimed.Cmp(rat("1/24")) != 0 {
		t.Errorf("%s is possible and %s is the mass of the sampled pair", possible.RatString(), claimed.RatString())
	}
	poisson := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}}
	for m, attained := range map[int64]bool{1: true, 2: false, 3: true} {
		p, err := Resolve(mechanism.SampledWithoutReplacement{SourceDatasetSize: 3, SampleSize: m, Event: poisson}, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Profile(mechanism.Both)
		if err != nil || b.Attained != attained {
			t.Errorf("%d of 3 records: %+v, %v", m, b, err)
		}
		for _, w := range b.Lower {
			if len(w) > 0 {
				t.Errorf("%d of 3 records: witness %s", m, w)
			}
		}
	}
}

// TestOrientationsByHand: which products answer which direction.
func TestOrientationsByHand(t *testing.T) {
	e := mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1/3", "2/3")}
	p, err := Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[mechanism.Direction][]string{
		mechanism.Remove: {"(Finite(1/2:1/3 1/2:2/3))"},
		mechanism.Add:    {"(Finite(2/3:1/2 1/3:1/2))"},
		mechanism.Both:   {"(Finite(1/2:1/3 1/2:2/3))", "(Finite(2/3:1/2 1/3:1/2))"},
	} {
		b, err := p.Profile(d)
		os := b.Upper
		if err != nil || len(os) != len(want) {
			t.Fatalf("%s: %v, %v", d, os, err)
		}
		for i := range os {
			if os[i].String() != want[i] {
				t.Errorf("%s: %s, want %s", d, os[i], want[i])
			}
		}
	}
	if p, err = Resolve(e, mechanism.ReplaceOne); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Profile(mechanism.Add); err == nil {
		t.Error("a direction is accepted under REPLACE_ONE")
	}
}

// TestMeaningsByHand: mechanisms that are randomized response in disguise, and those
// without a pair under a relation.
func TestMeaningsByHand(t *testing.T) {
	p, q := rats("1/2", "1/2"), rats("1/4", "3/4")
	mixture := mechanism.MixtureOfGaussians{StandardDeviation: rat("2"), Sensitivities: rats("1", "1", "0", "3"), SamplingProbs: rats("1/8", "1/8", "1/2", "1/4")}
	for _, c := range []struct {
		e    mechanism.Event
		want string
	}{
		{mechanism.PermuteAndFlip{Epsilon: rat("1/2")}, pair.Copies(pair.Laplace{Shift: rat("1/2")}, 1).String()},
		{mechanism.ExponentialMechanism{Epsilon: rat("1/2")}, pair.Copies(pair.Logistic{Shift: rat("1/2")}, 1).String()},
		{mechanism.HistogramPair{P: p, Q: q}, pair.Copies(pair.NewFinite(p, q), 1).String()},
		{mixture, pair.Copies(pair.GaussianMixture{P: normals.Mixture{Means: rats("0", "1/2", "3/2"), Probs: rats("1/2", "1/4", "1/4")}, Q: normals.Standard()}, 1).String()},
	} {
		got, err := Resolve(c.e, mechanism.AddOrRemoveOne)
		if err != nil || got.Dominating().String() != c.want {
			t.Errorf("%s is %s, %v, want %s", mechanism.EncodeEvent(c.e), got.Dominating(), err, c.want)
		}
	}
	_, err := Resolve(mixture, mechanism.ReplaceOne)
	var r *RelationError
	if !errors.As(err, &r) || !strings.Contains(err.Error(), "REPLACE_ONE") {
		t.Errorf("a mixture under REPLACE_ONE: %v", err)
	}
}

// TestCollapsedSamples: a sample of a sample is a sample, one of a mixture of Gaussians a mixture.
func TestCollapsedSamples(t *testing.T) {
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	twice := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.PoissonSampled{SamplingProbability: rat("1/3"), Event: gauss}}
	mixture := func(cs, ps []*big.Rat) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.MixtureOfGaussians{StandardDeviation: rat("1"), Sensitivities: cs, SamplingProbs: ps}}
	}
	for _, c := range []struct {
		event mechanism.Event
		want  string
	}{
		{twice, "(Sampled(1/6, (Gaussian(μ²=1))))"},
		{mixture(rats("0", "2"), rats("2/7", "5/7")), "(Sampled(5/14, (Gaussian(μ²=4))))"},
		{mixture(rats("1", "2"), rats("1/4", "3/4")), "(GaussianMixture(1/2·N(0) + 1/8·N(1) + 3/8·N(2), 1·N(0)))"},
		{mixture(rats("0", "1", "2"), rats("1/4", "1/4", "1/2")), "(GaussianMixture(5/8·N(0) + 1/8·N(1) + 1/4·N(2), 1·N(0)))"},
	} {
		p, err := Resolve(c.event, mechanism.AddOrRemoveOne)
		if err != nil || p.Dominating().String() != c.want {
			t.Errorf("%s, %v, want %s", p.Dominating(), err, c.want)
		}
	}
}

// TestRenyiCurvesRise: values that fall are lowered to later ones, and to what is below the chord of log M: 3/5 at 4
// and 6 at 16 have 12/5 at 8.
func TestRenyiCurvesRise(t *testing.T) {
	e := mechanism.RenyiCurve{Orders: rats("2", "4", "8", "16"), Values: rats("1", "1/5", "1/2", "2/5")}
	p, err := Resolve(e, mechanism.AddOrRemoveOne)
	if want := "(RenyiCurve(2 4 8 16; 1/5 1/5 12/35 2/5))"; err != nil || p.Dominating().String() != want {
		t.Errorf("%s, %v, want %s", p.Dominating(), err, want)
	}
}

// TestResolveBoundsCounts: counts multiply through a sample of everything too, and
// more than MaxCount factors are an error, not a count modulo 2^64.
func TestResolveBoundsCounts(t *testing.T) {
	g := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	for _, n := range []int64{1 << 16, 1 << 32, mechanism.MaxCount} {
		inner := mechanism.SelfComposed{Event: g, Count: n}
		e := mechanism.SelfComposed{Count: n, Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 10, Event: inner}}
		p, err := Resolve(e, mechanism.ReplaceOne)
		if err == nil && (len(p.Dominating()) != 1 || p.Dominating()[0].Count != n*n || n > mechanism.MaxCount/n) {
			t.Errorf("%d² Gaussians: %s, want an error", n, p.Dominating())
		}
	}
}

// TestShuffledBatches: a record that is in one of two batches, with others that are equal to it, to its replacement or
// opposite, by what data attain; the batch of all records is the event, and what is not known from below has no
// witness.
func TestShuffledBatches(t *testing.T) {
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	for _, c := range []struct {
		event    mechanism.Event
		relation mechanism.Relation
		upper    string
		below    []string // how each begins
	}{
		{gauss, mechanism.ReplaceSpecial, "(Gaussian(μ²=1/4))",
			[]string{"(Allocation(1 of 2, Gaussian(μ²=1/4)))", "(Allocation(1 of 2, Gaussian(μ²=1/4))ᵀ", "(Finite"}},
		{gauss, mechanism.ReplaceOne, "(Gaussian(μ²=1))",
			[]string{"(Allocation(1 of 2, Gaussian(μ²=1)))", "(Allocation(1 of 2, Gaussian(μ²=1))ᵀ", "(Finite", "(Finite"}},
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, mechanism.ReplaceOne, "(Laplace(1))",
			[]string{"(Allocation(1 of 2, Laplace(1)))", "(Allocation(1 of 2, Laplace(1))ᵀ"}},
		{mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}, mechanism.ReplaceSpecial, "(Response(ε=1, δ=0))", []string{"()"}},
	} {
		p, err := Resolve(mechanism.ShuffledBatches{Event: c.event, Batches: 2}, c.relation)
		if err != nil {
			t.Fatal(err)
		}
		if p.Dominating().String() != c.upper {
			t.Errorf("above %s, want %s", p.Dominating(), c.upper)
		}
		below := p.meaning.evidence.witnesses(p.meaning.factors)
		for i, want := range c.below {
			if len(below) != len(c.below) || !strings.HasPrefix(below[i].String(), want) {
				t.Errorf("%s under %s: below %.200v, want %s", mechanism.EncodeEvent(c.event), c.relation, below, c.below)
				break
			}
		}
	}
	if p, err := Resolve(mechanism.ShuffledBatches{Event: gauss, Batches: 2}, mechanism.ReplaceOne); err == nil {
		below := p.meaning.evidence.witnesses(p.meaning.factors)
		for i, from := range []string{"1", "1/2"} { // N(2, σ²) against N(from, σ²)
			if want := permuted.Greatest(rat("1/4"), rat(from), rat("2"), 2); below[i+2].String() != want.String() {
				t.Errorf("below %s, want %s", below[i+2], want)
			}
		}
	}
	// Batches may differ in the orientation of a pair, or in which of several vectors it is.
	finite := mechanism.FinitePair{P: rats("1/10", "9/10"), Q: rats("1/2", "1/2")}
	p, err := Resolve(mechanism.ShuffledBatches{Event: finite, Batches: 2}, mechanism.ReplaceOne)
	if err != nil || p.meaning.freely().factors.mixing() != Averages {
		t.Errorf("orientations in batches are no average, %v", err)
	}
	vector := mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("2")}
	p, err = Resolve(mechanism.ShuffledBatches{Event: vector, Batches: 2}, mechanism.ReplaceSpecial)
	if err != nil || len(p.meaning.factors.Choices) != 1 || p.meaning.factors.mixing() != Averages {
		t.Errorf("vectors in batches are no average, %v", err)
	}
	if _, err := Resolve(mechanism.ShuffledBatches{Event: gauss, Batches: 2}, mechanism.AddOrRemoveOne); err == nil {
		t.Error("an order of a record more is defined")
	}
	if p, err := Resolve(mechanism.ShuffledBatches{Event: gauss, Batches: 1}, mechanism.AddOrRemoveOne); err != nil || p.Dominating().String() != "(Gaussian(μ²=1/4))" {
		t.Errorf("a batch of all records: %v, %v", p.Dominating(), err)
	}
}
