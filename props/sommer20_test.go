// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	additive "dpverify/ask/noise"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A monotoneNoise is a distribution on the integers −n … n that is symmetric and falls
// from 0.
type monotoneNoise struct {
	Weights []*big.Rat // of 0, 1, …, n
	Shift   int
}

func (m monotoneNoise) String() string {
	return fmt.Sprintf("weights %v, shift %d", m.Weights, m.Shift)
}

var monotoneNoises = generator[monotoneNoise]{
	draw: func(r *rand.Rand) monotoneNoise {
		m := monotoneNoise{Shift: 1 + r.Intn(6)}
		for range 1 + r.Intn(5) {
			m.Weights = append(m.Weights, drawWeight(r))
		}
		m.Weights[0] = add(m.Weights[0], rat("1/1000"))
		slices.SortFunc(m.Weights, func(a, b *big.Rat) int { return b.Cmp(a) })
		return m
	},
}

// against returns the noise about 0 against the noise about s.
func (m monotoneNoise) against(s int) model {
	n := len(m.Weights) - 1
	at := func(x int) *big.Rat {
		if x = max(x, -x); x <= n {
			return m.Weights[x]
		}
		return zero
	}
	var out model
	for x := -n; x <= n+s; x++ {
		out.P, out.Q = append(out.P, at(x)), append(out.Q, at(x-s))
	}
	return out
}

// Sommer et al. 2020, Theorem 15: for noise that is symmetric and falls from 0, a
// smaller shift is more private, here at every α ≥ 0.
func TestTheorem15ShiftMonotonicity(t *testing.T) {
	forAll(t, 80, monotoneNoises, func(m monotoneNoise) error {
		more := m.against(m.Shift)
		for s := range m.Shift {
			less := m.against(s)
			for _, alpha := range alphas(less, more) {
				if less.delta(alpha).Cmp(more.delta(alpha)) > 0 {
					return fmt.Errorf("H_%s is %s at shift %d and %s at shift %d", alpha.RatString(), less.delta(alpha).RatString(), s, more.delta(alpha).RatString(), m.Shift)
				}
			}
		}
		return nil
	})
}

// ranges are events with parameters given as intervals, in all classes in which
// some parameter may be one, with the relation they are asked under.
var ranges = []struct {
	relation mechanism.Relation
	json     string
}{
	{mechanism.AddOrRemoveOne, `{"class_name": "GaussianDpEvent", "noise_multiplier": POSITIVE}`},
	{mechanism.ReplaceOne, `{"class_name": "GaussianDpEvent", "noise_multiplier": POSITIVE}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "LaplaceDpEvent", "noise_multiplier": POSITIVE}`},
	{mechanism.ReplaceOne, `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": RATE, "num_buckets": 3}`},
	{mechanism.ReplaceSpecial, `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": RATE, "num_buckets": 4}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "EpsilonDeltaDpEvent", "epsilon": POSITIVE, "delta": RATE}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "DiscreteLaplaceDpEvent", "noise_parameter": POSITIVE, "sensitivity": 3}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "ZCDpEvent", "rho": RATE, "xi": RATE}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "ExponentialMechanismDpEvent", "epsilon": POSITIVE}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "PermuteAndFlipDpEvent", "epsilon": POSITIVE}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": POSITIVE, "sensitivities": [0, 1, 3], "sampling_probs": ["1/2", "1/3", "1/6"]}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "PoissonSampledDpEvent", "sampling_probability": RATE, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": POSITIVE}}`},
	{mechanism.ReplaceOne, `{"class_name": "PoissonSampledDpEvent", "sampling_probability": RATE, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": POSITIVE}}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "PoissonSampledDpEvent", "sampling_probability": RATE, "event": {"class_name": "FinitePairEvent", "p": ["1/2", "1/3", "1/6"], "q": [0, "1/4", "3/4"]}}`},
	{mechanism.ReplaceOne, `{"class_name": "PoissonSampledDpEvent", "sampling_probability": RATE, "event": {"class_name": "EpsilonDeltaDpEvent", "epsilon": POSITIVE, "delta": RATE}}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "RenyiCurveEvent", "orders": [2, 5], "values": [POSITIVE, POSITIVE]}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "DominatingPairEvent", "profile": [["-1/2", {"lo": "2/5", "hi": "1/2"}], [0, RATE], [1, RATE], [3, RATE]]}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "TruncatedGaussianEvent", "sigma": "1/2", "sensitivity": POSITIVE, "radius": "3/2"}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "TruncatedLaplaceEvent", "scale": "1/2", "sensitivity": POSITIVE, "radius": "3/2"}`},
	{mechanism.AddOrRemoveOne, `{"class_name": "SelfComposedDpEvent", "count": 3, "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": POSITIVE}}`},
}

// A rangeCase is one of them with numbers filled in.
type rangeCase struct {
	Relation mechanism.Relation
	JSON     string
	Eps      *big.Rat
}

func (c rangeCase) String() string {
	return fmt.Sprintf("%s under %s at ε = %s", c.JSON, c.Relation, c.Eps.RatString())
}

var rangeCases = generator[rangeCase]{
	draw: func(r *rand.Rand) rangeCase {
		x := ranges[r.Intn(len(ranges))]
		fill := func(s, name string, draw func() *big.Rat) string {
			for strings.Contains(s, name) {
				lo, hi := draw(), draw()
				if lo.Cmp(hi) > 0 {
					lo, hi = hi, lo
				}
				s = strings.Replace(s, name, fmt.Sprintf(`{"lo": %q, "hi": %q}`, lo.RatString(), hi.RatString()), 1)
			}
			return s
		}
		s := fill(x.json, "POSITIVE", func() *big.Rat { return []*big.Rat{rat("1/3"), half, one, rat("11/10"), two, rat("3")}[r.Intn(6)] })
		s = fill(s, "RATE", func() *big.Rat { return drawRate(r) })
		return rangeCase{x.relation, s, drawReal(r)}
	},
}

// Sommer et al. 2020, Theorem 15, and the orders that package mechanism proves beside
// its decoders: of the two corners of an event with interval parameters, the first
// is at least as private as the second, in every direction.
func TestTheorem15IntervalParameters(t *testing.T) {
	forAll(t, 16, rangeCases, func(c rangeCase) error {
		n, err := document.ParseJSON([]byte(c.JSON))
		if err != nil {
			return err
		}
		both, err := mechanism.Decoder{}.EventRange(n, "event")
		if err != nil {
			return err
		}
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add, mechanism.Both} {
			q := exact.Question{Event: both.MorePrivate, Relation: c.Relation, Direction: d}
			a, err := exact.Delta(background, q, c.Eps, 0)
			if err != nil {
				if c.Relation == mechanism.ReplaceOne && d != mechanism.Both {
					continue
				}
				return err
			}
			q.Event = both.LessPrivate
			b, err := exact.Delta(background, q, c.Eps, 0)
			if err != nil {
				return err
			}
			if b.Less(a.Interval) == interval.True {
				return fmt.Errorf("%s: δ of the more private corner is at least %s, δ of the other at most %s", d, text(a.Lo()), text(b.Hi()))
			}
		}
		return nil
	})
}

// Sommer et al. 2020, Lemma 13: symmetric noise about 0 against itself shifted has the same
// profile in both orders; the code takes such pairs for their own reverse.
func TestLemma13SymmetricNoise(t *testing.T) {
	forAll(t, 80, monotoneNoises, func(m monotoneNoise) error {
		for s := range m.Shift + 1 {
			a := m.against(s)
			if !a.finite().SelfDual() {
				return fmt.Errorf("shift %d: not self-dual", s)
			}
			for _, alpha := range alphas(a) {
				if a.delta(alpha).Cmp(a.reverse().delta(alpha)) != 0 {
					return fmt.Errorf("shift %d: H_%s differs", s, alpha.RatString())
				}
			}
		}
		return nil
	})
}

// Sommer et al. 2020, Lemma 13 (with signs as in docs/errata.md): noise that is (ε, δ)-DP for every shift that the
// sensitivity allows, either way, remains so when it is averaged with its mirror image, and E|X| and E X² stay the
// same.
func TestLemma13Symmetrising(t *testing.T) {
	forAll(t, 120, shiftedNoises, func(s shiftedNoise) error {
		n := len(s.Noise.Probabilities)
		mirrored := s
		mirrored.Noise.Probabilities = nil
		for i, p := range s.Noise.Probabilities {
			mirrored.Noise.Probabilities = append(mirrored.Noise.Probabilities, quo(add(p, s.Noise.Probabilities[n-1-i]), two))
		}
		there, back := s.model(), s
		back.Shift = neg(s.Shift)
		for _, alpha := range alphas(there, back.model(), mirrored.model()) {
			most := there.delta(alpha)
			if d := back.model().delta(alpha); d.Cmp(most) > 0 {
				most = d
			}
			if d := mirrored.model().delta(alpha); d.Cmp(most) > 0 {
				return fmt.Errorf("H_%s is %s, and %s when averaged", alpha.RatString(), most.RatString(), d.RatString())
			}
		}
		first, second := additive.Moments(s.Noise)
		first2, second2 := additive.Moments(mirrored.Noise)
		if first.Cmp(first2) != 0 || second.Cmp(second2) != 0 {
			return fmt.Errorf("E|X| = %s and %s, E X² = %s and %s", first.RatString(), first2.RatString(), second.RatString(), second2.RatString())
		}
		return nil
	})
}

// Sommer et al. 2020, Theorems 16 and 19 (corrected) and Proposition 17, on noise of any shape: the extended
// moments accountant is nowhere below δ(ε), nor below the least ε, of compositions and samples.
func TestProposition17RandomNoise(t *testing.T) {
	m, _ := derive.Named("extended-moments-accountant")
	forAll(t, testkit.Cases(4, 25), shiftedNoises, func(s shiftedNoise) error {
		for k, event := range []mechanism.Event{
			mechanism.SelfComposed{Event: s.Noise, Count: 3},
			mechanism.SelfComposed{Event: mechanism.PoissonSampled{SamplingProbability: rat("1/4"), Event: s.Noise}, Count: 2},
			mechanism.Composed{Events: []mechanism.Event{s.Noise, mechanism.Laplace{NoiseMultiplier: two}}},
		} {
			q := derive.Question{Question: exact.Question{Event: event, Direction: s.Direction}, Orders: rats("1.2", "3", "20")}
			for _, eps := range rats("0", "1/3", "2") {
				got, err := m.Delta(background, q, eps)
				if err != nil {
					return err
				}
				truth, err := exact.Delta(background, q.Question, eps, 0)
				if err != nil {
					return err
				}
				if got.Less(truth.Interval) == interval.True {
					return fmt.Errorf("event %d: δ(%s) is derived as %s and is %s", k, eps.RatString(), got.Interval, truth.Interval)
				}
			}
		}
		return nil
	})
}
