// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// together asks every method that applies to an event, and wants some of them to be there
// and all of them to meet.
func together(t *testing.T, q Question, eps string, want ...string) {
	t.Helper()
	ctx := context.Background()
	all, err := Each(ctx, q, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	values := make([]interval.Interval, len(all))
	for i, m := range all {
		found[m.Method] = true
		if values[i], err = m.Delta(ctx, rat(eps)); err != nil {
			t.Fatal(err)
		}
		for j := range i {
			if _, ok := interval.Intersect(values[i], values[j]); !ok && all[j].Product == m.Product {
				t.Errorf("%s at %s: %s by %s, %s by %s", mechanism.EncodeEvent(q.Event), eps, values[i], m.Method, values[j], all[j].Method)
			}
		}
	}
	for _, name := range want {
		if !found[name] {
			t.Errorf("%s: no method %s among %v", mechanism.EncodeEvent(q.Event), name, found)
		}
	}
}

// TestProductOnALattice: where the discrete factors have too many combinations to be
// enumerated, and their sum few values, those condition the continuous one.
func TestProductOnALattice(t *testing.T) {
	response := func(eps, delta string, k int64) mechanism.Event {
		return mechanism.SelfComposed{Count: k, Event: mechanism.EpsilonDelta{Epsilon: rat(eps), Delta: rat(delta)}}
	}
	together(t, Question{Event: mechanism.Composed{Events: []mechanism.Event{
		mechanism.Laplace{NoiseMultiplier: rat("2")}, response("1/10", "1/1000", 40), response("1/5", "0", 40)}}}, "1", "product", "pld", "part")
}

// TestPartsOfMixedProducts: Gaussians with the discrete factors, and Laplace factors alone,
// bound the whole from below; so does one copy of a discrete pair.
func TestPartsOfMixedProducts(t *testing.T) {
	together(t, Question{Event: mechanism.Composed{Events: []mechanism.Event{
		mechanism.Gaussian{NoiseMultiplier: rat("2")}, mechanism.EpsilonDelta{Epsilon: rat("1/2"), Delta: rat("1/100")},
		mechanism.SelfComposed{Count: 30, Event: mechanism.Laplace{NoiseMultiplier: rat("9")}}}}}, "1", "part", "pld")
	together(t, Question{Event: mechanism.SelfComposed{Count: 3, Event: mechanism.FinitePair{
		P: rats("1/2", "1/3", "1/6"), Q: rats("1/6", "1/2", "1/3")}}, Direction: mechanism.Remove}, "1/2", "part", "enumeration")
}

// TestReplacedSamplesOnAGrid: under REPLACE_ONE, every factor of a composition may be
// oriented either way: the answer is at least the value of both orientations of all of them.
func TestReplacedSamplesOnAGrid(t *testing.T) {
	testkit.SkipUsual(t, "TestChosenSteps has steps that are oriented either way")
	ctx := context.Background()
	e := mechanism.Clamped{Location: rat("1"), Width: rat("2"), Shift: rat("1/2")}
	two := mechanism.SelfComposed{Event: e, Count: 2}
	r, err := Delta(ctx, Question{Event: two, Relation: mechanism.ReplaceOne}, rat("1/4"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
		o, err := Delta(ctx, Question{Event: two, Direction: d}, rat("1/4"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.Less(o.Interval) == interval.True {
			t.Errorf("%v: %s, under REPLACE_ONE %s", d, o.Interval, r.Interval)
		}
	}
	together(t, Question{Event: two, Relation: mechanism.ReplaceOne}, "1/4", "pld")
}

// TestALatticeBeforeAGrid: of what is on a lattice, no effort takes a grid, which is wider.
func TestALatticeBeforeAGrid(t *testing.T) {
	q := Question{Event: mechanism.SelfComposed{Event: mechanism.DiscreteGaussian{Sigma: rat("2"), Sensitivity: rat("1")}, Count: 10}}
	for e := Effort(0); e <= Effort(testkit.Cases(2, 4)); e++ {
		r, err := Delta(t.Context(), q, rat("5/4"), e)
		if err != nil || r.RelativeBits(1000) < int(e.Bits())/2 {
			t.Errorf("effort %d: %s by %v, %v: %d bits", e, r.Interval, r.Methods, err, r.RelativeBits(1000))
		}
	}
}
