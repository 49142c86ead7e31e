// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// hidden has small losses, and a reverse with infinite ones.
var hidden = pair.NewFinite(rats("1", "0"), rats("91/100", "9/100"))

// TestResponsesDominate: the profile of the responses is at least the profile of the product, at negative ε too, where
// it is about the reverse, and says more than 1.
func TestResponsesDominate(t *testing.T) {
	ctx := context.Background()
	for _, prod := range []pair.Product{
		{{Pair: hidden, Count: 2}},
		{{Pair: hidden.Reverse(), Count: 2}},
		{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 5}},
		{{Pair: pair.Laplace{Shift: rat("1/3")}, Count: 3}, {Pair: hidden, Count: 1}, {Pair: pair.Response{Eps: rat("1/10"), Delta: rat("1/100")}, Count: 2}},
	} {
		for _, scale := range []*big.Rat{nil, rat("1/1000000")} {
			draft := method.NewSolver(method.All, 0, scale)
			draft.Draft = Instant
			f, err := method.Responses(draft, prod, 0).Prepare(ctx)
			if err != nil || f == nil {
				t.Fatalf("%s: %v", prod, err)
			}
			s := method.NewSolver(method.All, 0, nil)
			g, _, err := s.ProfileOf(ctx, prod)
			if err != nil {
				t.Fatal(err)
			}
			told := false
			for _, eps := range rats("-3", "-1", "0", "1/2", "1", "5", "20") {
				e := interval.RealRat(eps)
				y, err := f(ctx, 64, e)
				if err != nil {
					t.Fatal(err)
				}
				truth, err := g(ctx, 64, e)
				if err != nil || interval.Point(y.Hi()).Less(interval.Point(truth.Lo())) == interval.True {
					t.Errorf("δ(%s) of %s in %s by responses, and in %s, %v", eps.RatString(), prod, y, truth, err)
				}
				told = told || y.Hi().Cmp(interval.Int(1).Lo()) < 0
			}
			if !told {
				t.Errorf("%s: nothing is known by responses", prod)
			}
		}
	}
}

// TestResponseIsOne: the profiles of both orientations are at most δ at the ε that is found.
func TestResponseIsOne(t *testing.T) {
	ctx := context.Background()
	for _, x := range []pair.Pair{pair.Gaussian{Mu2: rat("1/7")}, pair.Laplace{Shift: rat("1/1000")}, pair.NewFinite(rats("1/10", "3/5", "3/10"), rats("1/5", "2/5", "2/5"))} {
		s := method.NewSolver(method.All, 0, nil)
		s.Draft = Instant
		r, ok, err := s.Response(ctx, x, rat("1/1000"))
		if err != nil || !ok || r.Delta.Cmp(rat("1/1000")) > 0 {
			t.Fatalf("%s: %v, %v, %v", x, r, ok, err)
		}
		for _, o := range []pair.Pair{x, x.Reverse()} {
			f, _, err := s.ProfileOf(ctx, pair.Product{{Pair: o, Count: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if y, err := f(ctx, 64, interval.RealRat(r.Eps)); err != nil || y.LessEqRat(r.Delta) == interval.False {
				t.Errorf("δ(%s) of %s in %s, stated %s, %v", r.Eps.RatString(), o, y, r.Delta.RatString(), err)
			}
		}
	}
}

// TestEnoughIsForFiniteLosses: the greatest loss is an ε that is enough for a δ of at least the mass of infinite loss,
// and for no other.
func TestEnoughIsForFiniteLosses(t *testing.T) {
	ctx := context.Background()
	shuffled := mechanism.Shuffled{Reports: 10, Event: mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: new(big.Rat)}}
	leaks := mechanism.FinitePair{P: rats("9/10", "1/10"), Q: rats("1", "0")}
	best := mechanism.RepeatAndSelect{Event: mechanism.Laplace{NoiseMultiplier: rat("2")}, Mean: rat("3"), Shape: rat("1")}
	for _, c := range []struct {
		e      mechanism.Event
		delta  string
		finite bool
	}{
		{mechanism.SelfComposed{Event: shuffled, Count: 3}, "0", true},
		{mechanism.Composed{Events: []mechanism.Event{shuffled, leaks}}, "1/1000", false},
		{mechanism.Composed{Events: []mechanism.Event{shuffled, leaks}}, "1/5", true},
		{mechanism.SelfComposed{Event: best, Count: 3}, "0", true},
	}[:testkit.Cases(3, 4)] {
		p, err := PrepareDraft(ctx, Question{Event: c.e, Relation: mechanism.ReplaceOne}, Instant)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Epsilon(ctx, rat(c.delta), 10)
		if err != nil || y.Hi().IsInf() == c.finite {
			t.Errorf("ε(%s) of %s in %s, %v", c.delta, mechanism.EncodeEvent(c.e), y.Interval, err)
		}
	}
}

// TestPartsDecideTightness: a sample of what is not bounded from both sides is not either, and more effort is not
// promised to help.
func TestPartsDecideTightness(t *testing.T) {
	best := mechanism.RepeatAndSelect{Event: mechanism.Gaussian{NoiseMultiplier: rat("2")}, Mean: rat("3"), Shape: rat("1")}
	for _, c := range []struct {
		e     mechanism.Event
		tight bool
	}{
		{mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: best}, false},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.Gaussian{NoiseMultiplier: rat("2")}}, true},
		{mechanism.Maximum{Events: []mechanism.Event{best, mechanism.Laplace{NoiseMultiplier: rat("2")}}}, false},
	} {
		p, err := Prepare(context.Background(), Question{Event: c.e}, 0)
		if err != nil || p.Tight() != c.tight {
			t.Errorf("%s: tight %v, %v", mechanism.EncodeEvent(c.e), p.Tight(), err)
		}
	}
}

// TestSidesOfMethods: a search by one end leaves out methods that say nothing of it, and no others.
func TestSidesOfMethods(t *testing.T) {
	var s method.Solution
	for _, b := range []method.Sides{method.FromAbove, method.BothSides, method.FromBelow} {
		s.Add(method.Used{Name: b.String(), From: b, Tight: false, F: nil})
	}
	for side, want := range map[method.Sides]string{method.FromAbove: "above both sides ", method.FromBelow: "both sides below "} {
		got := ""
		on, ok := s.On(side)
		for _, n := range on.Names() {
			got += n + " "
		}
		if !ok || got != want {
			t.Errorf("side %d: %q, want %q", side, got, want)
		}
	}
}
