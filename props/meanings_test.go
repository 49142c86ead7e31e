// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// TestOrientationsInsideOfMaxima: where records may be exchanged, each copy of a pair that is not self-dual may be
// either way round, inside of a maximum of mechanisms as outside of it.
func TestOrientationsInsideOfMaxima(t *testing.T) {
	const w = interval.Prec(64)
	e := w.Exp(interval.Int(1))
	small := model{rats("501", "499"), rats("499", "501")}
	b := model{rats("1", "9"), rats("1", "1")}
	a := model{rats("4", "1"), rats("1", "4")}
	three := model{rats("1/6", "1/6", "2/3"), rats("5/11", "1/2", "1/22")}
	// After the first output of a as it stands, after the second one reversed.
	adaptive := model{append(product(model{rats("4/5"), rats("1/5")}, three).P, product(model{rats("1/5"), rats("4/5")}, three.reverse()).P...),
		append(product(model{rats("4/5"), rats("1/5")}, three).Q, product(model{rats("1/5"), rats("4/5")}, three.reverse()).Q...)}
	composed := func(es ...mechanism.Event) mechanism.Event { return mechanism.Composed{Events: es} }
	for _, c := range []struct {
		name   string
		inside mechanism.Event
		of     model  // a mechanism of it
		least  string // of δ(1), by fixed orientations
	}{
		{"twice", mechanism.SelfComposed{Event: b.event(), Count: 2}, product(b, b.reverse()), "0.314"},
		{"after another", composed(a.event(), three.event()), adaptive, "0.4"},
		{"in both orientations", composed(b.event(), b.reverse().event()), product(b, b), "0.314"},
	} {
		for _, beside := range []mechanism.Event{small.event(), mechanism.Laplace{NoiseMultiplier: rat("100")}} {
			q := exact.Question{Event: mechanism.Maximum{Events: []mechanism.Event{c.inside, beside}}, Relation: mechanism.ReplaceOne}
			for _, at := range []*big.Rat{zero, one} {
				alpha := interval.Int(1)
				if at == one {
					alpha = e
				}
				var p, q2 []interval.Interval
				for i, x := range c.of.p() {
					p, q2 = append(p, w.Rat(x)), append(q2, w.Rat(c.of.q()[i]))
				}
				want := seenProfile(w, alpha, p, q2)
				got, err := exact.Delta(t.Context(), q, at, 0)
				if err != nil || got.Hi().Cmp(want.Lo()) < 0 {
					t.Errorf("%s beside %s: δ(%s) ∈ %v, %v; a mechanism of it has %v", c.name, beside.ClassName(), at, got.Interval, err, want)
				}
				if got.LessRat(rat(c.least)) != interval.False {
					t.Errorf("%s beside %s: δ(%s) ∈ %v, want at least %s", c.name, beside.ClassName(), at, got.Interval, c.least)
				}
			}
			moment := new(big.Rat)
			for i, x := range c.of.p() {
				moment.Add(moment, quo(mul(x, x), c.of.q()[i]))
			}
			r, err := exact.Renyi(q, renyi.At(two), 0)
			if want := w.Log(w.Rat(moment)); err != nil || r.Hi().Cmp(want.Lo()) < 0 {
				t.Errorf("%s beside %s: R_2 ∈ %v, %v; a mechanism of it has %v", c.name, beside.ClassName(), r.Enclosure, err, want)
			}
		}
	}
}

// TestPresenceBesideEqualDistributions: a mechanism whose output says nothing of a record's value may say whether the
// record is there, for instance as the number of records. Next to noise, a Poisson sample of both shows whether it has
// the record.
func TestPresenceBesideEqualDistributions(t *testing.T) {
	const w = interval.Prec(64)
	noise := mechanism.Gaussian{NoiseMultiplier: one}
	seen := w.Scale(seenProfile(w, w.Exp(w.Rat(half)), lineMasses(w, one), lineMasses(w, zero)), -1)
	for _, e := range []mechanism.Event{
		mechanism.ZCDP{Rho: zero, Xi: zero}, mechanism.EpsilonDelta{Epsilon: zero, Delta: zero},
		mechanism.ExponentialMechanism{Epsilon: zero}, mechanism.PermuteAndFlip{Epsilon: zero},
		mechanism.RandomizedResponse{NoiseParameter: one, NumBuckets: 2},
		mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: zero, Beta: one}, {Alpha: one, Beta: zero}}},
		mechanism.DiscreteGaussian{Sigma: one, Sensitivity: half},
		mechanism.SelfComposed{Event: mechanism.ZCDP{Rho: zero, Xi: zero}, Count: 3},
		mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.ZCDP{Rho: zero, Xi: zero}},
	} {
		for _, both := range [][]mechanism.Event{{e, noise}, {noise, e}} {
			all := mechanism.Composed{Events: both}
			q := exact.Question{Event: mechanism.PoissonSampled{SamplingProbability: half, Event: all}, Relation: mechanism.ReplaceSpecial}
			got, err := exact.Delta(t.Context(), q, half, 0)
			if err != nil || got.Hi().Cmp(seen.Lo()) < 0 {
				t.Errorf("%s: δ ∈ %v, %v; a mechanism of it has %v", mechanism.EncodeEvent(q.Event), got.Interval, err, seen)
			}
			var undefined *meaning.RelationError
			if _, err := meaning.Resolve(mechanism.RandomAllocation{Event: all, NumSelected: 1, NumSteps: 2}, mechanism.ReplaceSpecial); !errors.As(err, &undefined) {
				t.Errorf("an allocation of %s: %v, want an error", mechanism.EncodeEvent(all), err)
			}
		}
	}
}

// TestSampledDiscreteGaussian: a function of integers that is 1000 times the number of records, plus their sum, moves
// by 1 where a record is replaced. Its Poisson sample shows whether it has the record, where a record is replaced by a
// null one or by any.
func TestSampledDiscreteGaussian(t *testing.T) {
	const w = interval.Prec(64)
	var p, q []interval.Interval
	total := interval.Union(interval.Int(0), w.Rat(rat("1e-30"))) // outside of ±12: less than 2·e^(−13²/2)·1.01
	mass := func(x int64) interval.Interval { return w.Exp(w.Rat(big.NewRat(-x*x, 2))) }
	for x := int64(-12); x <= 12; x++ {
		total = w.Add(total, mass(x))
	}
	for x := int64(-11); x <= 12; x++ {
		p, q = append(p, w.Div(mass(x-1), total)), append(q, w.Div(mass(x), total))
	}
	seen := w.Scale(seenProfile(w, w.Exp(w.Rat(rat("4/5"))), p, q), -1)
	e := mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.DiscreteGaussian{Sigma: one, Sensitivity: one}}
	for _, rel := range []mechanism.Relation{mechanism.ReplaceSpecial, mechanism.ReplaceOne} {
		got, err := exact.Delta(t.Context(), exact.Question{Event: e, Relation: rel}, rat("4/5"), 0)
		if _, meet := interval.Intersect(got.Interval, seen); err != nil || !meet {
			t.Errorf("%s: δ ∈ %v, %v; what the mechanism shows has %v", rel, got.Interval, err, seen)
		}
	}
}
