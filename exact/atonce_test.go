// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestAnswersAtOnce: goroutines that share a profile, and others that prepare their own of the same event, have the
// answers of one after the other. It is there for the race detector: each event has a cache of its own below it.
func TestAnswersAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0))))
	var all sync.WaitGroup
	for i, c := range []struct {
		event    string
		relation mechanism.Relation
		effort   Effort
	}{
		{`{"class_name":"GaussianDpEvent","noise_multiplier":2}`, mechanism.AddOrRemoveOne, 2},
		{`{"class_name":"SelfComposedDpEvent","count":20,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":10}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":8,"event":{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":0.2,"sensitivity":1}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":40,"event":{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.7,"num_buckets":3}}`, mechanism.ReplaceOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":60,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":0.1,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":3,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":0.1,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":1}}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":5,"event":{"class_name":"TruncatedGaussianEvent","sigma":2,"sensitivity":1,"radius":12}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":10,"event":{"class_name":"MixtureOfGaussiansDpEvent","standard_deviation":2,"sensitivities":[0,1,2],"sampling_probs":["1/2","1/4","1/4"]}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"SelfComposedDpEvent","count":2,"event":{"class_name":"RenyiCurveEvent","orders":[2,5],"values":["0.1","0.3"]}}`, mechanism.AddOrRemoveOne, 0},
		{`{"class_name":"ShuffledEvent","reports":50,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0}}`, mechanism.ReplaceOne, 0},
	} {
		if !testing.Short() && !testkit.Long() && i%7 > 0 {
			continue // all are for the race detector
		}
		event, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			t.Fatalf("%s: %v", c.event, err)
		}
		q := Question{Event: event, Relation: c.relation}
		prepare := func() *Profile {
			p, err := Prepare(t.Context(), q, c.effort)
			if err != nil {
				t.Errorf("%s: %v", c.event, err)
			}
			return p
		}
		ask := func(p *Profile) (answers []string) {
			if p == nil {
				return nil
			}
			for _, eps := range testkit.InTurn(i, []string{"1/2", "2"}) {
				r, err := p.Delta(t.Context(), rat(eps))
				answers = append(answers, fmt.Sprint(r.Interval, r.Methods, err))
			}
			return answers
		}
		shared := prepare()
		got := make([][]string, 3)
		for i := range got {
			all.Go(func() {
				if i == 0 {
					got[i] = ask(prepare())
				} else {
					got[i] = ask(shared)
				}
			})
		}
		var r interval.Interval
		all.Go(func() {
			if y, err := Renyi(q, renyi.At(rat("2")), c.effort); err == nil {
				r = y.Interval
			}
		})
		all.Wait()
		want := ask(prepare())
		for i := range got {
			if !slices.Equal(got[i], want) {
				t.Errorf("%s: %v at once, %v alone", c.event, got[i], want)
			}
		}
		if y, err := Renyi(q, renyi.At(rat("2")), c.effort); err == nil && y.String() != r.String() {
			t.Errorf("%s: R(2) = %s at once, %s alone", c.event, r, y.Interval)
		}
	}
}
