// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// draftEvents are events whose drafts use every kind of bound.
var draftEvents = []string{
	`{"class_name":"SelfComposedDpEvent","count":300,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":"40"}}`,
	`{"class_name":"SelfComposedDpEvent","count":200,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.05","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}}`,
	`{"class_name":"ComposedDpEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":"3"},{"class_name":"EpsilonDeltaDpEvent","epsilon":"0.2","delta":"1e-6"},{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":3}]}`,
	`{"class_name":"ComposedDpEvent","events":[{"class_name":"ZCDpEvent","rho":"0.02","xi":"0"},{"class_name":"SelfComposedDpEvent","count":9,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"0.1","delta":"1e-7"}}]}`,
	`{"class_name":"SelfComposedDpEvent","count":5,"event":{"module_name":"dpverify","class_name":"FinitePairEvent","p":["0.5","0.3","0.2"],"q":["0.4","0.3","0.3"]}}`,
	`{"class_name":"SelfComposedDpEvent","count":20,"event":{"module_name":"dpverify","class_name":"TruncatedLaplaceEvent","scale":"2","sensitivity":"1/7","radius":"9"}}`,
	`{"class_name":"NonPrivateDpEvent"}`,
	`{"class_name":"NoOpDpEvent"}`,
}

// TestDraftsContainTheAnswer: every draft contains what effort 1 says about δ and ε, and
// meets the one before.
func TestDraftsContainTheAnswer(t *testing.T) {
	ctx := context.Background()
	long := os.Getenv("DPVERIFY_LONG") != ""
	delta, one := rat("1e-5"), big.NewRat(1, 1)
	for n, js := range draftEvents {
		if !long && (strings.Contains(js, "Sampled") || strings.Contains(js, "Truncated") || strings.Contains(js, "ZCDp")) {
			continue // their grids take seconds
		}
		e, err := mechanism.DecodeEvent([]byte(js))
		if err != nil {
			t.Fatal(err)
		}
		dirs := []mechanism.Direction{mechanism.Remove, mechanism.Add}
		if !long {
			dirs = dirs[:1] // the other one takes as long
		}
		for _, dir := range dirs {
			q := Question{Event: e, Relation: mechanism.ReplaceSpecial, Direction: dir, Scale: delta}
			sharp, err := Prepare(ctx, q, 0)
			if errors.As(err, new(*meaning.RelationError)) {
				q.Relation = mechanism.AddOrRemoveOne
				sharp, err = Prepare(ctx, q, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			asks := []func(p *Profile) (Result, error){
				func(p *Profile) (Result, error) { return p.Delta(ctx, one) },
				func(p *Profile) (Result, error) { return p.Delta(ctx, big.NewRat(-1, 3)) },
				func(p *Profile) (Result, error) { return p.Epsilon(ctx, delta, 30) },
			}
			before := make([]interval.Interval, len(asks))
			for i, ask := range asks {
				r, err := ask(sharp)
				if err != nil {
					t.Fatal(err)
				}
				before[i] = r.Interval
			}
			for _, d := range Drafts {
				if d == Coarse && !long && n > 0 {
					break // grids take most of the time
				}
				p, err := PrepareDraft(ctx, q, d)
				if err != nil {
					t.Fatal(err)
				}
				for i, ask := range asks {
					r, err := ask(p)
					if err != nil {
						t.Fatal(err)
					}
					y, ok := interval.Intersect(r.Interval, before[i])
					if !ok {
						t.Errorf("%s, %s: draft %d answers question %d with %v, and %v is known", js, dir, d, i, r.Interval, before[i])
						continue
					}
					before[i] = y
				}
			}
		}
	}
}

// TestLargestLosses: a draft by basic composition adds up the largest losses of all factors, and
// has the mass of infinite loss beyond their sum.
func TestLargestLosses(t *testing.T) {
	list := func(s ...string) (p []*big.Rat) {
		for _, x := range s {
			p = append(p, rat(x))
		}
		return p
	}
	e := mechanism.FinitePair{P: list("1/100", "3/5", "39/100"), Q: list("0", "2/5", "3/5")}
	q := Question{Event: mechanism.SelfComposed{Event: e, Count: 20}, Relation: mechanism.ReplaceSpecial, Direction: mechanism.Remove}
	sharp, err := Prepare(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := PrepareDraft(t.Context(), q, Instant)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []string{"1/2", "1", "8", "9"} { // one largest loss is 0.41, twenty are 8.11
		x, err := sharp.Delta(t.Context(), rat(eps))
		if err != nil {
			t.Fatal(err)
		}
		y, err := draft.Delta(t.Context(), rat(eps))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := interval.Intersect(x.Interval, y.Interval); !ok {
			t.Errorf("δ(%s) in %v, and a draft says %v", eps, x.Interval, y.Interval)
		}
	}
}

// TestDraftsOfDifferentSamples: where an inversion needs no grid, the second draft has three digits of ε.
func TestDraftsOfDifferentSamples(t *testing.T) {
	var q Question
	var events []mechanism.Event
	for i := range int64(20) {
		events = append(events, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1+i, 1000),
			Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1000+i, 1000)}})
	}
	q.Event = mechanism.Composed{Events: events}
	p, err := PrepareDraft(t.Context(), q, ByMoments)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := p.EpsilonTo(t.Context(), rat("1e-5"), 10)
	if err != nil {
		t.Fatal(err)
	}
	settled, err := Epsilon(t.Context(), q, rat("1e-5"), 40, 0)
	if err != nil || !draft.Encloses(settled.Interval) || draft.RelativeBits(20) < 9 {
		t.Errorf("ε in %v at first, %v at last, %v", draft.Interval, settled.Interval, err)
	}
}

// TestDraftsAreUseful: an upper bound of ε for 10^6 releases of Laplace noise without any
// grid: 200 by basic composition, less by Rényi divergences.
func TestDraftsAreUseful(t *testing.T) {
	q := Question{Event: mechanism.SelfComposed{Count: 1e6, Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(5000, 1)}}}
	for d, most := range map[Draft]string{Instant: "200.5", ByMoments: "0.9"} {
		p, err := PrepareDraft(t.Context(), q, d)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Epsilon(t.Context(), rat("1e-5"), 40)
		if err != nil || r.LessEqRat(rat(most)) != interval.True {
			t.Errorf("draft %d: ε in %v, %v, want at most %s", d, r.Interval, err, most)
		}
	}
}
