// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpverify/mechanism"
)

func event(t *testing.T, text string) mechanism.Event {
	t.Helper()
	e, err := mechanism.DecodeEvent([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRelations: what replacing a record means for the distance of the two outputs.
func TestRelations(t *testing.T) {
	gauss := event(t, `{"class_name":"GaussianDpEvent","noise_multiplier":"1/2"}`)
	for rel, want := range map[mechanism.Relation]int64{mechanism.AddOrRemoveOne: 4, mechanism.ReplaceSpecial: 4, mechanism.ReplaceOne: 16} {
		ps, err := Resolve(gauss, rel, mechanism.Both)
		if err != nil {
			t.Fatal(err)
		}
		if g := ps[0][0].Pair.(Gaussian); len(ps) != 1 || g.Mu2.Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%v: μ² = %s, want %d", rel, g.Mu2.RatString(), want)
		}
	}
}

// TestGaussiansMerge: Σ count·μ², whatever the order and nesting.
func TestGaussiansMerge(t *testing.T) {
	e := event(t, `{"class_name":"ComposedDpEvent","events":[
		{"class_name":"GaussianDpEvent","noise_multiplier":2},
		{"class_name":"SelfComposedDpEvent","count":3,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1}},
		{"class_name":"NoOpDpEvent"}]}`)
	ps, err := Resolve(e, mechanism.AddOrRemoveOne, mechanism.Both)
	if err != nil {
		t.Fatal(err)
	}
	if g := ps[0][0].Pair.(Gaussian); len(ps[0]) != 1 || g.Mu2.Cmp(big.NewRat(13, 4)) != 0 {
		t.Errorf("%+v", ps[0])
	}
}

// TestOrientations: a pair that is not self-dual has two, and one direction picks its own.
func TestOrientations(t *testing.T) {
	e := event(t, `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.1,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":1}}`)
	for d, want := range map[mechanism.Direction][]bool{mechanism.Both: {false, true}, mechanism.Remove: {false}, mechanism.Add: {true}} {
		ps, err := Resolve(e, mechanism.AddOrRemoveOne, d)
		if err != nil || len(ps) != len(want) {
			t.Fatalf("%v: %v, %v", d, ps, err)
		}
		for i, reversed := range want {
			if ps[i][0].Pair.(Sampled).Reversed != reversed {
				t.Errorf("%v: %+v", d, ps[i])
			}
		}
	}
}

// TestMassesAddUp: the masses of every discrete pair add up to 1 under P and under Q, and
// each loss is the logarithm of its ratio.
func TestMassesAddUp(t *testing.T) {
	for _, text := range []string{
		`{"class_name":"EpsilonDeltaDpEvent","epsilon":0.7,"delta":"1e-3"}`,
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":"1/3","num_buckets":7}`,
		`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":"0.3","sensitivity":4}`,
		`{"class_name":"DiscreteGaussianDpEvent","sigma":"2.5","sensitivity":2,"dimension":1}`,
		`{"class_name":"FinitePairEvent","p":["1/2","1/2",0],"q":["1/3",0,"2/3"]}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":0.25,"event":{"class_name":"FinitePairEvent","p":["1/2","1/2",0],"q":["1/3",0,"2/3"]}}`,
	} {
		ps, err := Resolve(event(t, text), mechanism.ReplaceSpecial, mechanism.Remove)
		if err != nil {
			t.Fatal(err)
		}
		d := ps[0][0].Pair.(Discrete)
		var p, q, errs float64
		for _, o := range d.Outcomes {
			p, q, errs = p+o.P.V, q+o.Q.V, errs+o.P.Err+o.Q.Err
			if o.P.V > 1e-300 && o.Q.V > 1e-300 {
				if l := math.Log(o.P.V / o.Q.V); math.Abs(l-o.Loss.V) > o.Loss.Err+1e-12*(1+math.Abs(l)) {
					t.Errorf("%s: loss %v of %v against %v", text, o.Loss, o.P, o.Q)
				}
			}
		}
		if off := math.Abs(p-1) + math.Abs(q-1); off > errs+2*d.Rest+1e-14 {
			t.Errorf("%s: masses add up to %.17g and %.17g", text, p, q)
		}
	}
}

// TestReplaceOneFactors: several factors that are not self-dual have no pair that is
// attained under REPLACE_ONE, and are refused.
func TestReplaceOneFactors(t *testing.T) {
	e := event(t, `{"class_name":"SelfComposedDpEvent","count":2,"event":{"class_name":"FinitePairEvent","p":["1/2","1/2"],"q":["1/3","2/3"]}}`)
	_, err := Resolve(e, mechanism.ReplaceOne, mechanism.Both)
	var u *UnsupportedError
	if !errors.As(err, &u) {
		t.Errorf("error %v", err)
	}
}

// TestRelationsWithoutARule: what depends on the relation is an error under one that nobody has
// thought of, not what it is under another.
func TestRelationsWithoutARule(t *testing.T) {
	const unknown = mechanism.Relation(99)
	if _, err := newResolver(unknown); err == nil {
		t.Error("a relation without a rule has a sensitivity")
	}
	half := big.NewRat(1, 2)
	pure := mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: new(big.Rat)}
	for _, e := range []mechanism.Event{
		mechanism.RandomizedResponse{NoiseParameter: half, NumBuckets: 2},
		mechanism.PoissonSampled{SamplingProbability: half, Event: pure},
		mechanism.SampledWithoutReplacement{SourceDatasetSize: 4, SampleSize: 2, Event: pure},
	} {
		r := resolver{rel: unknown, sensitivity: 1}
		if _, err := r.factor(e); err == nil || !strings.Contains(err.Error(), "relation") {
			t.Errorf("%s: %v", e.ClassName(), err)
		}
	}
}
