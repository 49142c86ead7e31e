// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"slices"
	"testing"

	"dpverify/exact/interval"
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

// Methods that are asked alone leave out those that are not wanted, name what they rest on,
// bound every orientation, and agree.
func TestEachAlone(t *testing.T) {
	q := Question{Scale: rat("1e-6"), Event: event(t, `{"class_name":"ComposedDpEvent","events":[
		{"class_name":"SelfComposedDpEvent","count":40,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.05","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}},
		{"class_name":"LaplaceDpEvent","noise_multiplier":"10"}]}`)}
	products, attained, err := Orientations(q)
	if err != nil || len(products) != 2 || !attained {
		t.Fatalf("%d orientations, attained %t, %v", len(products), attained, err)
	}
	all, err := Each(t.Context(), q, 0, 5, "pld")
	if err != nil {
		t.Fatal(err)
	}
	bounds := make(map[string]interval.Interval)
	var names []string
	for _, s := range all {
		names = append(names, s.Method)
		if !slices.Contains(products, s.Product) {
			t.Errorf("%s is about %s", s.Method, s.Product)
		}
		if parts := s.Method == "part"; parts != (len(s.Parts) > 0) {
			t.Errorf("%s rests on %v", s.Method, s.Parts)
		}
		y, err := s.Delta(t.Context(), rat("1"))
		if err != nil {
			t.Fatal(err)
		}
		if old, ok := bounds[s.Product]; ok {
			if y, ok = interval.Intersect(old, y); !ok {
				t.Errorf("%s contradicts %v: %v", s.Method, names, y)
			}
		}
		bounds[s.Product] = y
	}
	for _, want := range []string{"inversion", "part"} {
		if n := len(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s != want })); n != len(products) {
			t.Errorf("%s bounds %d of %d orientations", want, n, len(products))
		}
	}
	if slices.Contains(names, "pld") {
		t.Error("pld was to be left out")
	}
	for _, p := range products {
		if y := bounds[p]; y.RelativeBits(30) < 30 {
			t.Errorf("%s: %v is wide", p, y)
		}
	}
}

// A method that is asked alone does not answer by another one: where the inversion has no
// line, as for ε beyond 2^60, the front door has it ask the grid.
func TestInversionAloneAsksNoGrid(t *testing.T) {
	q := Question{Direction: mechanism.Add, Event: event(t, `{"class_name":"ComposedDpEvent","events":[{"class_name":"LaplaceDpEvent","noise_multiplier":1},{"class_name":"SelfComposedDpEvent","count":16,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"}}}]}`)}
	wide := func(y interval.Interval) bool { return interval.Point(y.Hi()).LessRat(rat("1e-10")) != interval.True }
	all, err := Each(t.Context(), q, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		y, err := s.Delta(t.Context(), rat("1e20")) // beyond the largest loss: δ = 0
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, s.Method)
		if alone := s.Method == "inversion"; s.Method == "pld" && wide(y) || alone && !wide(y) {
			t.Errorf("%s says %v", s.Method, y)
		}
	}
	if !slices.Contains(names, "inversion") || !slices.Contains(names, "pld") {
		t.Errorf("asked %v", names)
	}
}
