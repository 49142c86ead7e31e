// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// TestVectorsThatAreChosen: copies of a vector of unknown dimension have shifts that are chosen, one by one; one
// vector, one beside other noise and one in batches, of which not all have a record, do not.
func TestVectorsThatAreChosen(t *testing.T) {
	vector := mechanism.DiscreteGaussian{Sigma: rat("3"), Sensitivity: rat("6")}
	twice := func(e mechanism.Event) mechanism.Event { return mechanism.SelfComposed{Event: e, Count: 2} }
	one := vector
	one.Dimension = 40
	for i, c := range []struct {
		event mechanism.Event
		want  bool
	}{
		{twice(vector), true},
		{mechanism.Composed{Events: []mechanism.Event{vector, vector, vector}}, true},
		{vector, false},
		{mechanism.Composed{Events: []mechanism.Event{vector, vector, mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}},
			false},
		{twice(mechanism.ShuffledBatches{Event: vector, Batches: 3}), false},
		{mechanism.ShuffledBatches{Event: twice(vector), Batches: 3}, false},
	} {
		p, err := meaning.Resolve(c.event, mechanism.ReplaceSpecial)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if _, got := vectorsOf(p); got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
	e := mechanism.SelfComposed{Event: mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("6")}, Count: 2}
	r, err := Delta(t.Context(), Question{Event: e}, big.NewRat(30, 1), 0)
	if err != nil || r.RelativeBits(36) < 36 || len(r.Notes) == 0 || !strings.Contains(r.Notes[len(r.Notes)-1], "(6)") {
		t.Errorf("%v, %q, %v", r.Interval, r.Notes, err)
	}
}

// TestSelectionsThatAreChosen: copies of a selection have candidates and scores that are chosen, one by one; a
// selection in batches of a random order is below the same noise, and has not, nor has one beside it.
func TestSelectionsThatAreChosen(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, e := range []mechanism.Event{mechanism.ExponentialMechanism{Epsilon: one}, mechanism.PermuteAndFlip{Epsilon: one}} {
		twice := func(e mechanism.Event) mechanism.Event { return mechanism.SelfComposed{Event: e, Count: 2} }
		batches := mechanism.ShuffledBatches{Event: e, Batches: 3}
		for i, c := range []struct {
			event mechanism.Event
			want  bool
		}{
			{twice(e), true},
			{mechanism.Group{Event: twice(e), Size: 3}, true},
			{e, false},
			{twice(batches), false},
			{mechanism.ShuffledBatches{Event: twice(e), Batches: 3}, false},
			{mechanism.Composed{Events: []mechanism.Event{e, batches}}, false},
			{twice(mechanism.Maximum{Events: []mechanism.Event{batches, mechanism.NoOp{}}}), false},
			{mechanism.Composed{Events: []mechanism.Event{e, mechanism.Laplace{NoiseMultiplier: one}}}, false},
		} {
			p, err := meaning.Resolve(c.event, mechanism.ReplaceSpecial)
			if err != nil {
				t.Errorf("%d: %v", i, err)
				continue
			}
			if _, got := selectionsOf(p); got != c.want {
				t.Errorf("%s, %d: %v, want %v", e.ClassName(), i, got, c.want)
			}
		}
	}
}
