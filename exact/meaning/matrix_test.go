// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"strings"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

func sampledMatrixOf(t *testing.T, strategy, sampling string) mechanism.Event {
	t.Helper()
	e, err := mechanism.DecodeEvent([]byte(fmt.Sprintf(`{"class_name":"MatrixMechanismEvent","strategy":%s,"sampling":%s,"noise_multiplier":2}`, strategy, sampling)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestCyclicSamplesAreCompositions: bands that never meet are a composition of Poisson samples, also of numbers of both
// signs, under every relation; and the worst group counts.
func TestCyclicSamplesAreCompositions(t *testing.T) {
	for _, c := range []struct{ strategy, bands, rate, want string }{
		{`{"toeplitz":[1,"1/2","1/4"],"steps":30}`, "3", "1/10", `{"class_name":"SelfComposedDpEvent","count":10,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/10","event":{"class_name":"GaussianDpEvent","noise_variance":"64/21"}}}`},
		{`{"toeplitz":[1,"-1/2"],"steps":3}`, "2", "1/10", `{"class_name":"ComposedDpEvent","events":[{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/10","event":{"class_name":"GaussianDpEvent","noise_variance":"16/5"}},{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/10","event":{"class_name":"GaussianDpEvent","noise_variance":4}}]}`},
		{`{"entries":[[0,0,1],[1,1,3],[2,2,1],[3,3,2]],"steps":4}`, "2", "1/10", `{"class_name":"ComposedDpEvent","events":[{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/10","event":{"class_name":"GaussianDpEvent","noise_variance":"4/9"}},{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/10","event":{"class_name":"GaussianDpEvent","noise_variance":1}}]}`},
		{`{"toeplitz":[1],"steps":5}`, "2", "1", `{"class_name":"SelfComposedDpEvent","count":3,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}`},
		{`{"toeplitz":[1],"steps":5}`, "9", "1", `{"class_name":"GaussianDpEvent","noise_multiplier":2}`},
		{`{"toeplitz":[1],"steps":5}`, "2", "0", `{"class_name":"NoOpDpEvent"}`},
	} {
		for _, rel := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial, mechanism.ReplaceOne} {
			want, err := mechanism.DecodeEvent([]byte(c.want))
			if err != nil {
				t.Fatal(err)
			}
			e := sampledMatrixOf(t, c.strategy, `{"poisson_cyclic":{"bands":`+c.bands+`,"probability":"`+c.rate+`"}}`)
			p, err := Resolve(e, rel)
			q, err2 := Resolve(want, rel)
			if err != nil || err2 != nil || fmt.Sprint(p.Dominating()) != fmt.Sprint(q.Dominating()) {
				t.Errorf("%s under %s: %v, want %v (%v, %v)", c.strategy, rel, p.Dominating(), q.Dominating(), err, err2)
			}
			if b, err := p.Profile(mechanism.Both); err != nil || !b.Attained {
				t.Errorf("%s under %s: not attained (%v)", c.strategy, rel, err)
			}
		}
	}
	// No group is the worst: either may be.
	p, err := Resolve(sampledMatrixOf(t, `{"entries":[[0,0,3],[1,1,2],[3,3,2]],"steps":4}`, `{"poisson_cyclic":{"bands":2,"probability":"1/2"}}`), mechanism.AddOrRemoveOne)
	if b, _ := p.Profile(mechanism.Remove); err != nil || len(b.Upper) != 2 || !b.Attained {
		t.Errorf("%v, %v, want two groups", b, err)
	}
}

// TestBinsOfTheIdentity: bins of the identity are a random allocation of rounds.
func TestBinsOfTheIdentity(t *testing.T) {
	e := sampledMatrixOf(t, `{"toeplitz":[1],"steps":20}`, `{"balls_in_bins":{"bins":5}}`)
	want, err := mechanism.DecodeEvent([]byte(`{"class_name":"RandomAllocationDpEvent","num_selected":1,"num_steps":5,"event":{"class_name":"SelfComposedDpEvent","count":4,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Resolve(e, mechanism.AddOrRemoveOne)
	q, err2 := Resolve(want, mechanism.AddOrRemoveOne)
	if err != nil || err2 != nil || fmt.Sprint(p.Dominating()) != fmt.Sprint(q.Dominating()) {
		t.Errorf("%v, want %v (%v, %v)", p.Dominating(), q.Dominating(), err, err2)
	}
}

// TestPatternsOfOtherNames: samplings that are another one, or a random allocation, have its pair.
func TestPatternsOfOtherNames(t *testing.T) {
	const two, identity = `{"toeplitz":[1,"1/2"],"steps":20}`, `{"toeplitz":[1],"steps":20}`
	event := func(strategy, sampling string) string {
		return `{"class_name":"MatrixMechanismEvent","strategy":` + strategy + `,"sampling":` + sampling + `,"noise_multiplier":2}`
	}
	for _, c := range []struct{ strategy, sampling, want string }{
		{identity, `{"min_separation":{"separation":1,"probability":"1/5"}}`, event(identity, `{"poisson_cyclic":{"bands":1,"probability":"1/5"}}`)},
		{identity, `{"random_shift":{"bands":1,"probability":"1/5"}}`, event(identity, `{"poisson_cyclic":{"bands":1,"probability":"1/5"}}`)},
		{two, `{"min_separation":{"separation":5,"probability":1}}`, event(two, `{"balls_in_bins":{"bins":5}}`)},
		{two, `{"random_shift":{"bands":5,"probability":1}}`, event(two, `{"balls_in_bins":{"bins":5}}`)},
		{two, `{"min_separation":{"separation":5,"probability":0}}`, `{"class_name":"NoOpDpEvent"}`},
		{identity, `{"allocation":{"select":3}}`, `{"class_name":"RandomAllocationDpEvent","num_selected":3,"num_steps":20,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}`},
		{identity, `{"allocation":{"select":20}}`, `{"class_name":"GaussianDpEvent","noise_variance":"1/5"}`},
		{`{"entries":[],"steps":20}`, `{"allocation":{"select":2}}`, `{"class_name":"NoOpDpEvent"}`},
	} {
		want, err := mechanism.DecodeEvent([]byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Resolve(sampledMatrixOf(t, c.strategy, c.sampling), mechanism.AddOrRemoveOne)
		q, err2 := Resolve(want, mechanism.AddOrRemoveOne)
		if err != nil || err2 != nil || fmt.Sprint(p.Dominating()) != fmt.Sprint(q.Dominating()) {
			t.Errorf("%s of %s: %v, want %v (%v, %v)", c.sampling, c.strategy, p.Dominating(), q.Dominating(), err, err2)
		}
	}
}

// TestPatternsByHand: rows, norms and limits of patterns of three bands.
func TestPatternsByHand(t *testing.T) {
	const strategy = `{"toeplitz":[1,"1/2"],"steps":5}`
	for sampling, want := range map[string]string{
		`{"min_separation":{"separation":3,"probability":"1/4"}}`: "Patterns(apart 3, 1/4: 1·(5/16); 3·(5/16, 1/8); 1·(1/4, 1/8)) [2 of 5/8]",
		`{"random_shift":{"bands":3,"probability":"1/4"}}`:        "Patterns(shifted 3, 1/4: 1·(5/16); 3·(5/16, 1/8); 1·(1/4, 1/8)) [2 of 5/8]",
		`{"allocation":{"select":2}}`:                             "Patterns(chosen 2: 1·(5/16); 3·(5/16, 1/8); 1·(1/4, 1/8)) [2 of 7/8]",
	} {
		p, err := Resolve(sampledMatrixOf(t, strategy, sampling), mechanism.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		x, ok := pair.Single[pair.Patterns](p.Dominating())
		if got := fmt.Sprintf("%s [%d of %s]", x, x.Limit, x.Most.RatString()); !ok || got != want {
			t.Errorf("%s: %s, want %s", sampling, got, want)
		}
		if b, err := p.Profile(mechanism.Both); err != nil || !b.Attained {
			t.Errorf("%s: not attained (%v)", sampling, err)
		}
	}
}

// TestSampledMatricesRefuse: what is not proved is refused by name.
func TestSampledMatricesRefuse(t *testing.T) {
	for _, c := range []struct {
		strategy, sampling string
		rel                mechanism.Relation
		want               string
	}{
		{`{"toeplitz":[1,1,1],"steps":9}`, `{"poisson_cyclic":{"bands":2,"probability":"1/2"}}`, mechanism.AddOrRemoveOne, "cyclic samples of 2 bands are proved for strategies of as many bands, this one has 3"},
		{`{"toeplitz":[1,"-1/2"],"steps":9}`, `{"balls_in_bins":{"bins":3}}`, mechanism.AddOrRemoveOne, "without negative numbers"},
		{`{"toeplitz":[1,"1/2"],"steps":9}`, `{"balls_in_bins":{"bins":3}}`, mechanism.ReplaceOne, "of two records that replace each other nothing is proved"},
		{`{"toeplitz":[1,"1/2"],"steps":9}`, `{"balls_in_bins":{"bins":99999}}`, mechanism.AddOrRemoveOne, "so many bins"},
		{`{"toeplitz":[1,"1/2"],"steps":9}`, `{"min_separation":{"separation":3,"probability":"1/2"}}`, mechanism.ReplaceOne, "of two records that replace each other nothing is proved"},
		{`{"toeplitz":[1,"-1/2"],"steps":9}`, `{"random_shift":{"bands":3,"probability":"1/2"}}`, mechanism.AddOrRemoveOne, "without negative numbers"},
		{`{"toeplitz":[1,1,1],"steps":9}`, `{"min_separation":{"separation":2,"probability":"1/2"}}`, mechanism.AddOrRemoveOne, "sampling min_separation of 2 is proved for strategies of as many bands, this one has 3"},
		{`{"toeplitz":[1,1],"steps":9}`, `{"random_shift":{"bands":1,"probability":"1/2"}}`, mechanism.AddOrRemoveOne, "this one has 2"},
		{`{"toeplitz":[1],"steps":9}`, `{"allocation":{"select":10}}`, mechanism.AddOrRemoveOne, "a record cannot be in 10 of 9 steps"},
		{`{"toeplitz":[1],"steps":9}`, `{"allocation":{"select":1}}`, mechanism.ReplaceOne, "sampling allocation is defined for a record that is absent"},
		{`{"toeplitz":[1,1],"steps":99999}`, `{"allocation":{"select":9}}`, mechanism.AddOrRemoveOne, "so many steps and bands"},
	} {
		e := sampledMatrixOf(t, c.strategy, c.sampling)
		if _, err := Resolve(e, c.rel); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.strategy, c.sampling, err, c.want)
		}
		if _, err := Resolve(mechanism.Group{Event: e, Size: 2}, mechanism.AddOrRemoveOne); err == nil {
			t.Errorf("a group in %s has a meaning", c.sampling)
		}
	}
}
