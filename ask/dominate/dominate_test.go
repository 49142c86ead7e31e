// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

var (
	one  = testkit.Rat("1")
	half = testkit.Rat("1/2")
)

func gaussian(sigma string) mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: testkit.Rat(sigma)}
}

func decide(t *testing.T, r Request) *Answer {
	t.Helper()
	a, err := Decide(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// finitePair draws a pair of a few outcomes.
func finitePair(rng *rand.Rand) mechanism.FinitePair {
	n := 2 + rng.IntN(3)
	list := func() []*big.Rat {
		ns, sum := make([]int64, n), int64(0)
		for i := range ns {
			ns[i] = 1 + rng.Int64N(6)
			sum += ns[i]
		}
		out := make([]*big.Rat, n)
		for i, k := range ns {
			out[i] = big.NewRat(k, sum)
		}
		return out
	}
	return mechanism.FinitePair{P: list(), Q: list()}
}

// TestHullsAndKinksAgainstRationals: what enclosures at points decide about finite pairs is what all
// kinks say in rationals, in each direction, and the bounds of the excess contain it.
func TestHullsAndKinksAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	decided := map[Verdict]int{}
	for range 60 {
		r := Request{Above: finitePair(rng), Below: finitePair(rng), Direction: []mechanism.Direction{mechanism.Both, mechanism.Remove, mechanism.Add}[rng.IntN(3)]}
		a, err := newSide(r, r.Above)
		if err != nil {
			t.Fatal(err)
		}
		b, err := newSide(r, r.Below)
		if err != nil {
			t.Fatal(err)
		}
		var truth Answer
		if !finite(a, b, &truth) {
			t.Fatal("finite pairs are not compared in rationals")
		}
		as, bs, err := a.orientations(t.Context(), b, 1)
		if err != nil {
			t.Fatal(err)
		}
		var byHulls, byKinks *Answer
		for i := range as {
			x, err := hulls(t.Context(), as[i], bs[i])
			if err != nil {
				t.Fatal(err)
			}
			byHulls = byHulls.and(x, i > 0)
			if x, err = kinks(t.Context(), as[i], bs[i]); err != nil {
				t.Fatal(err)
			}
			if x != nil {
				byKinks = byKinks.and(x, i > 0)
			}
		}
		for name, got := range map[string]*Answer{"hulls": byHulls, "kinks": byKinks} {
			if got == nil {
				continue
			}
			decided[got.Verdict]++
			if got.Verdict != Undecided && got.Verdict != truth.Verdict {
				t.Errorf("%s: %v, but %v: %v and %v, %v", name, got.Verdict, truth.Verdict, r.Above, r.Below, r.Direction)
			}
			// The excess is known up to rounding.
			if lo, hi := got.Gap.Lo(), got.Gap.Hi(); lo.Cmp(truth.Gap.Hi()) > 0 || hi.Cmp(truth.Gap.Lo()) < 0 {
				t.Errorf("%s: excess in %s, but %s: %v and %v, %v", name, got.Gap, truth.Gap, r.Above, r.Below, r.Direction)
			}
		}
	}
	if decided[Proved] < 5 || decided[Refuted] < 60 {
		t.Errorf("verdicts %v", decided)
	}
}

// TestExcessOfGaussians: between two Gaussians the difference is greatest where the derivatives by α are equal:
// Φ(−ε/μ − μ/2) is the same for both, at ε = μν/2. The hulls contain the difference there, and little else.
func TestExcessOfGaussians(t *testing.T) {
	a := decide(t, Request{Above: gaussian("2"), Below: gaussian("1")}) // μ = 1/2, ν = 1
	at := big.NewRat(1, 4)
	const w = interval.Prec(100)
	delta := func(sigma string) interval.Interval {
		r, err := exact.Delta(t.Context(), exact.Question{Event: gaussian(sigma)}, at, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.Interval
	}
	want := w.Sub(delta("1"), delta("2"))
	if a.Verdict != Refuted || a.Gap.Hi().Cmp(want.Lo()) < 0 || a.Gap.Lo().Cmp(want.Hi()) > 0 {
		t.Errorf("%v, excess in %s, want %s", a.Verdict, a.Gap, want)
	}
	if w.Mul(want, w.Rat(testkit.Rat("1.0011"))).Less(a.Gap.Upper()) == interval.True {
		t.Errorf("excess in %s is more than %s by more than a thousandth", a.Gap, want)
	}
}

// TestVerdicts: each way to a verdict.
func TestVerdicts(t *testing.T) {
	sampled := func(rate, sigma string) mechanism.Event {
		return mechanism.SelfComposed{Count: 10, Event: mechanism.PoissonSampled{SamplingProbability: testkit.Rat(rate), Event: gaussian(sigma)}}
	}
	laplace := mechanism.Laplace{NoiseMultiplier: one}
	guarantee := func(eps, delta string) mechanism.Event {
		return mechanism.EpsilonDelta{Epsilon: testkit.Rat(eps), Delta: testkit.Rat(delta)}
	}
	for _, c := range []struct {
		above, below mechanism.Event
		relation     mechanism.Relation
		direction    mechanism.Direction
		want         Verdict
		by           string
	}{
		{above: laplace, below: laplace, want: Proved, by: "the same"},
		{above: sampled("0.1", "1"), below: sampled("0.1", "1.1"), want: Proved, by: "monotone"},
		{above: sampled("0.1", "1"), below: sampled("0.09", "1.1"), relation: mechanism.ReplaceOne, want: Proved, by: "monotone"},
		{above: mechanism.SelfComposed{Event: gaussian("1"), Count: 10}, below: sampled("0.1", "1"), want: Proved, by: "factor"},
		{above: gaussian("1.1"), below: gaussian("1"), want: Refuted, by: "hulls"},
		{above: gaussian("1"), below: mechanism.Laplace{NoiseMultiplier: testkit.Rat("2")}, want: Proved, by: "hulls"},
		{above: guarantee("1", "0.127"), below: gaussian("1"), want: Proved, by: "kinks"},
		{above: guarantee("1", "0.126"), below: gaussian("1"), want: Refuted, by: "kinks"},
		{above: guarantee("1", "0.1"), below: guarantee("1/2", "0.1"), want: Proved, by: "monotone"},
		{above: mechanism.SelfComposed{Event: laplace, Count: 2}, below: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("2")}, Count: 4}, want: Undecided, by: "close"},
		{above: gaussian("1"), below: mechanism.NonPrivate{}, want: Refuted, by: "hulls"},
		{above: mechanism.NonPrivate{}, below: gaussian("1"), want: Proved},
		{above: gaussian("1"), below: mechanism.NoOp{}, want: Proved, by: "factor"},
		{above: mechanism.NoOp{}, below: gaussian("1"), want: Refuted},
		{above: mechanism.ZCDP{Rho: half, Xi: new(big.Rat)}, below: gaussian("1"), want: Proved},
		{above: gaussian("1"), below: sampled("1/2", "1"), direction: mechanism.Add, want: Refuted},
	} {
		r := Request{Above: c.above, Below: c.below, Relation: c.relation, Direction: c.direction}
		r.Fixed = new(exact.Effort)
		a := decide(t, r)
		if a.Verdict != c.want || !strings.Contains(a.By, c.by) {
			t.Errorf("%v above %v: %v by %q, want %v by %q", c.above, c.below, a.Verdict, a.By, c.want, c.by)
		}
		if (a.Verdict == Refuted) != (a.Gap.Lo().Sign() > 0) || a.Text(6) == "" || a.Report(6).Verdict != a.Verdict.String() {
			t.Errorf("%v above %v: %v with excess in %s", c.above, c.below, a.Verdict, a.Gap)
		}
	}
}

// TestMonotoneNeedsOneShape: events of different shape, or that differ in what no trend is proved for, or
// both ways, are not compared by their parameters.
func TestMonotoneNeedsOneShape(t *testing.T) {
	sampled := func(rate, sigma string) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: testkit.Rat(rate), Event: gaussian(sigma)}
	}
	for _, c := range []struct {
		a, b mechanism.Event
		want bool
	}{
		{sampled("0.2", "1"), sampled("0.1", "1"), true},
		{sampled("0.1", "1"), sampled("0.2", "1"), false},
		{sampled("0.2", "2"), sampled("0.1", "1"), false},
		{gaussian("1"), mechanism.Laplace{NoiseMultiplier: testkit.Rat("2")}, false},
		{mechanism.SelfComposed{Event: gaussian("1"), Count: 2}, mechanism.SelfComposed{Event: gaussian("1"), Count: 1}, false},
		{mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: one, Sensitivity: one, Radius: testkit.Rat("3")}, mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: one, Sensitivity: half, Radius: testkit.Rat("3")}, true},
		{mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: one, Sensitivity: one, Radius: testkit.Rat("3")}, mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: one, Sensitivity: one, Radius: testkit.Rat("4")}, false},
	} {
		if got := composition.Corners(c.b, c.a) == nil; got != c.want {
			t.Errorf("%v above %v: %v", c.a, c.b, got)
		}
	}
}

// TestUnknownAtAKink: a guarantee with more digits of δ(1) than an effort has is not decided by it.
func TestUnknownAtAKink(t *testing.T) {
	d := testkit.Rat("0.12693673750664394580082962") // δ(1) of the Gaussian, rounded down
	r := Request{Above: mechanism.EpsilonDelta{Epsilon: one, Delta: d}, Below: gaussian("1")}
	r.Fixed = new(exact.Effort)
	if a := decide(t, r); a.Verdict != Undecided || a.At == nil {
		t.Errorf("%v by %q", a.Verdict, a.By)
	}
	r.Fixed = nil
	if a := decide(t, r); a.Verdict != Refuted {
		t.Errorf("%v by %q", a.Verdict, a.By)
	}
}

// TestSimulation: a guarantee that a pair keeps comes with how it is simulated, by less than its ε; one that it
// does not keep, and other events, do not.
func TestSimulation(t *testing.T) {
	f := mechanism.FinitePair{P: []*big.Rat{half, half}, Q: []*big.Rat{testkit.Rat("1/4"), testkit.Rat("3/4")}}
	guarantee := mechanism.EpsilonDelta{Epsilon: one, Delta: new(big.Rat)}
	a := decide(t, Request{Above: guarantee, Below: f})
	if s := a.Simulation; a.Verdict != Proved || s == nil || len(s.A) != 2 || s.RestP != nil || s.Growth.Cmp(testkit.Rat("2.7182818284590452354")) > 0 || s.Growth.Cmp(testkit.Rat("2.718281828459045")) < 0 {
		t.Errorf("%v, %+v", a.Verdict, s)
	}
	if a := decide(t, Request{Above: mechanism.EpsilonDelta{Epsilon: half, Delta: new(big.Rat)}, Below: f}); a.Verdict != Refuted || a.Simulation != nil {
		t.Errorf("%v, %+v", a.Verdict, a.Simulation)
	}
	if a := decide(t, Request{Above: gaussian("1"), Below: gaussian("2")}); a.Simulation != nil {
		t.Error("a Gaussian is simulated")
	}
}
