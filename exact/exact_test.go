// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

func rats(ss ...string) []*big.Rat {
	var out []*big.Rat
	for _, s := range ss {
		out = append(out, rat(s))
	}
	return out
}

func span(lo, hi string) interval.Interval {
	const p = interval.Prec(64)
	return interval.Union(p.Rat(rat(lo)), p.Rat(rat(hi)))
}

func constant(y interval.Interval) profile.Func {
	return func(context.Context, interval.Prec, interval.Real) (interval.Interval, error) { return y, nil }
}

// around reports whether x contains a number of which want has the leading digits,
// and is no wider than 1e-15.
func around(x interval.Interval, want string) bool {
	w := rat(want)
	tiny := rat("1e-15")
	return x.LessRat(new(big.Rat).Sub(w, tiny)) == interval.False && x.LessEqRat(new(big.Rat).Add(w, tiny)) == interval.True &&
		x.LessRat(w) != interval.True
}

// TestMethodsIntersect: the answer is the intersection of all methods, and two that
// have no common point are reported, both by name.
func TestMethodsIntersect(t *testing.T) {
	s := method.NewSolver(method.All, 0, nil)
	ctx := context.Background()
	var sol method.Solution
	sol.Add(method.Used{Name: "first", From: method.BothSides, Tight: true, F: constant(span("1/10", "1/2"))})
	sol.Add(method.Used{Name: "second", From: method.BothSides, Tight: true, F: constant(span("3/10", "9/10"))})
	sol.Add(method.Used{Name: "third", From: method.BothSides, Tight: false, F: constant(span("2/5", "1"))})
	y, err := s.Delta(ctx, &sol, 64, interval.RealRat(rat("0")))
	if err != nil || !y.ContainsRat(rat("2/5")) || !y.ContainsRat(rat("1/2")) || y.ContainsRat(rat("39/100")) || y.ContainsRat(rat("51/100")) {
		t.Errorf("the intersection is %s, %v", y, err)
	}
	sol.Add(method.Used{Name: "fourth", From: method.BothSides, Tight: false, F: constant(span("3/5", "7/10"))})
	_, err = s.Delta(ctx, &sol, 64, interval.RealRat(rat("0")))
	var e *InconsistencyError
	if !errors.As(err, &e) || e.First != "first" || e.Second != "fourth" {
		t.Errorf("error %v", err)
	}
	// Every profile is at least the profile of equal distributions: 1 − e^−1 = 0.632….
	var small method.Solution
	small.Add(method.Used{Name: "small", From: method.BothSides, Tight: true, F: constant(span("0", "1/2"))})
	if _, err := s.Delta(ctx, &small, 64, interval.RealRat(rat("-1"))); !errors.As(err, &e) {
		t.Errorf("δ(−1) ≤ 1/2: %v", err)
	}
	// No method at all: [(1 − e^ε)₊, 1].
	y, err = s.Delta(ctx, &method.Solution{}, 64, interval.RealRat(rat("-1")))
	if err != nil || !y.ContainsRat(rat("0.63212055882855768")) || y.ContainsRat(rat("0.63212055882855767")) || !y.ContainsRat(rat("1")) {
		t.Errorf("no method: %s, %v", y, err)
	}
}

var asymmetric = mechanism.FinitePair{P: rats("1/10", "3/5", "3/10"), Q: rats("0", "1/5", "4/5")}

// TestDirections: remove, add and the greater of the two, after composition.
func TestDirections(t *testing.T) {
	ctx := context.Background()
	two := mechanism.SelfComposed{Event: asymmetric, Count: 2}
	for _, c := range []struct {
		e    mechanism.Event
		d    mechanism.Direction
		eps  string
		want string
	}{
		{asymmetric, mechanism.Remove, "0", "1/2"}, {asymmetric, mechanism.Add, "0", "1/2"}, {asymmetric, mechanism.Both, "0", "1/2"},
		{asymmetric, mechanism.Remove, "3", "1/10"}, {asymmetric, mechanism.Add, "3", "0"}, {asymmetric, mechanism.Both, "3", "1/10"},
		{two, mechanism.Remove, "0", "11/20"}, {two, mechanism.Add, "0", "11/20"}, {two, mechanism.Both, "0", "11/20"}, {two, mechanism.Both, "3", "19/100"},
	} {
		p, err := Prepare(ctx, Question{Event: c.e, Direction: c.d}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Delta(ctx, rat(c.eps))
		if err != nil || !r.ContainsRat(rat(c.want)) || r.Value == nil || r.Value.Cmp(rat(c.want)) != 0 {
			t.Errorf("%s: δ(%s) of %s = %s, value %v, %v, want %s", c.d, c.eps, mechanism.EncodeEvent(c.e), r.Interval, r.Value, err, c.want)
		}
		// The enclosure that the value is intersected with says the same.
		y, err := p.enclose(ctx, interval.RealRat(rat(c.eps)), maxBits)
		if err != nil || !y.ContainsRat(rat(c.want)) || y.RelativeBits(50) < 50 && c.want != "0" {
			t.Errorf("%s: δ(%s) of %s is enclosed in %s, %v, want %s", c.d, c.eps, mechanism.EncodeEvent(c.e), y, err, c.want)
		}
	}
}

// TestWitnessesBoundFromBelow: 1/2-zCDP at ε = 1. The Gaussian with μ = 1 satisfies it and has
// δ = 0.1269…; the best order of the conversion gives 0.24684…; both by mpmath. The worst pair of two
// outcomes is between them, and known from both sides.
func TestWitnessesBoundFromBelow(t *testing.T) {
	r, err := Delta(context.Background(), Question{Event: mechanism.ZCDP{Rho: rat("1/2"), Xi: new(big.Rat)}}, rat("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := interval.Point(r.Lo()), interval.Point(r.Hi())
	if lo.LessRat(rat("0.21485")) == interval.True || hi.LessRat(rat("0.21492")) == interval.False {
		t.Errorf("δ(1) in %s, want about 0.214911", r.Interval)
	}
	// Under REPLACE_ONE, two factors that are not self-dual: what one orientation
	// attains is not the upper bound.
	q := Question{Event: mechanism.SelfComposed{Event: mechanism.FinitePair{P: rats("1/6", "1/6", "2/3"), Q: rats("5/11", "1/2", "1/22")}, Count: 2}, Relation: mechanism.ReplaceOne}
	r, err = Delta(context.Background(), q, rat("1.6823"), 0) // e^1.6823 = 5.378…, C3 is at 242/45 = 5.3777…
	if err != nil || interval.Point(r.Hi()).LessRat(rat("0.5548")) == interval.True || interval.Point(r.Lo()).LessRat(rat("0.5")) == interval.True {
		t.Errorf("δ(log 242/45) in %s, %v, want to contain 0.5549", r.Interval, err)
	}
}

// TestProductsByHand: randomized response times a Gaussian, and guarantees that are
// not commensurable. Values by mpmath.
func TestProductsByHand(t *testing.T) {
	ctx := context.Background()
	guarantee := func(eps, delta string) mechanism.Event {
		return mechanism.EpsilonDelta{Epsilon: rat(eps), Delta: rat(delta)}
	}
	compose := func(es ...mechanism.Event) mechanism.Event { return mechanism.Composed{Events: es} }
	for _, c := range []struct {
		e    mechanism.Event
		eps  string
		want string
	}{
		{compose(guarantee("1", "1/10"), mechanism.Gaussian{NoiseMultiplier: rat("1")}), "1/2", "0.4677539856079122836850172374438270531657"},
		{compose(guarantee("1", "0"), guarantee("1/2", "0"), guarantee("1/3", "0")), "1/4", "0.3957433852888435884335446904287571448443"},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}, "1/2", "0.0020325369203403576533068535358052000974"},
		{mechanism.Gaussian{NoiseVariance: rat("10/11")}, "1", "0.14441724901221155518650165661972137938311972"},
	} {
		r, err := Delta(ctx, Question{Event: c.e, Direction: mechanism.Remove}, rat(c.eps), 0)
		if err != nil || !around(r.Interval, c.want) {
			t.Errorf("δ(%s) of %s = %s, %v, want %s", c.eps, mechanism.EncodeEvent(c.e), r.Interval, err, c.want)
		}
	}
}

// TestPartsBoundFromBelow: the method returns a lower bound, and no upper one.
func TestPartsBoundFromBelow(t *testing.T) {
	ctx := context.Background()
	s := method.NewSolver(method.All, 0, nil)
	prod := pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}, {Pair: pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}, Count: 2}}
	f, err := method.Part(s, prod, 0).Prepare(ctx)
	if err != nil {
		t.Fatal(err)
	}
	y, err := f(ctx, 64, interval.RealRat(rat("1/2")))
	// δ(1/2) of the truncated Laplace pair is 0.30658…, δ(1/2) of the Gaussian 0.238….
	if err != nil || !around(interval.Point(y.Lo()), "0.306588958986106679735") || !y.ContainsRat(rat("1")) {
		t.Errorf("δ(1/2) in %s, %v, want [0.3065…, 1]", y, err)
	}
}

// TestEpsilonByHand: ε(δ) where it is known.
func TestEpsilonByHand(t *testing.T) {
	ctx := context.Background()
	rr := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/10")}
	truncated := mechanism.Truncated{Width: rat("2"), Sensitivity: rat("1"), Radius: rat("5")}
	for _, c := range []struct {
		e     mechanism.Event
		delta string
		want  string
	}{
		{mechanism.Gaussian{NoiseMultiplier: rat("1")}, "0.1269367375066439458008296247577668804150806", "1"},
		{mechanism.Gaussian{NoiseMultiplier: rat("1/2")}, "0.8196881814042136304498677828674560475852", "-1"},
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, "0", "1/2"},
		{rr, "1/10", "1"}, {rr, "1/11", "inf"}, {rr, "1", "-inf"},
		{mechanism.SelfComposed{Event: rr, Count: 3}, "271/1000", "3"},
		{mechanism.Gaussian{NoiseMultiplier: rat("1")}, "0", "inf"},
		{mechanism.NoOp{}, "0", "0"}, {mechanism.NonPrivate{}, "99/100", "inf"},
		{asymmetric, "1/2", "0"},
		// A mass of infinite loss that is no rational, in what has no greatest loss in closed form.
		{mechanism.PoissonSampled{SamplingProbability: rat("1/100"), Event: truncated}, "1e-9", "inf"},
		{mechanism.Composed{Events: []mechanism.Event{truncated, mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
			{Epsilon: rat("1"), Delta: rat("1/10")}, {Epsilon: rat("9"), Delta: rat("1e-9")}}}}}, "1e-7", "inf"},
	} {
		r, err := Epsilon(ctx, Question{Event: c.e}, rat(c.delta), 40, 1)
		if err != nil {
			t.Errorf("%s: %v", mechanism.EncodeEvent(c.e), err)
			continue
		}
		var ok bool
		switch c.want {
		case "inf":
			ok = r.Lo().IsInf() && !r.Lo().Signbit()
		case "-inf":
			ok = r.Hi().IsInf() && r.Hi().Signbit()
		default:
			w := rat(c.want)
			tiny := rat("1e-10")
			ok = r.LessRat(new(big.Rat).Sub(w, tiny)) == interval.False && r.LessEqRat(new(big.Rat).Add(w, tiny)) == interval.True &&
				r.LessRat(w) != interval.True && (r.LessEqRat(w) != interval.False || r.ContainsRat(w))
		}
		if !ok {
			t.Errorf("ε(%s) of %s = [%v, %v], want %s", c.delta, mechanism.EncodeEvent(c.e), r.Lo(), r.Hi(), c.want)
		}
	}
}

// TestEpsilonOfSampleOfDisjointOutcomes: where one factor tells the inputs apart for
// certain, the losses of a sample are ∞ and log(1 − γ), whatever the other factor adds: with
// γ = 1/2, δ(ε) = 1/2 from ε = −log 2 on.
func TestEpsilonOfSampleOfDisjointOutcomes(t *testing.T) {
	e := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.Composed{Events: []mechanism.Event{
		mechanism.Gaussian{NoiseMultiplier: rat("1")},
		mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: rat("1"), Sensitivity: rat("10"), Radius: rat("1")},
	}}}
	r, err := Epsilon(context.Background(), Question{Event: e, Direction: mechanism.Remove}, rat("1/2"), 20, 0)
	if err != nil || r.LessEqRat(rat("-0.69314")) != interval.True || r.LessRat(rat("-0.69315")) == interval.True {
		t.Errorf("ε(1/2) in %s, %v, want −log 2", r.Interval, err)
	}
}

// TestExactValues: δ is known to be rational beyond the largest loss, and only there.
func TestExactValues(t *testing.T) {
	ctx := context.Background()
	sampled := mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/100")}}
	flip := mechanism.PermuteAndFlip{Epsilon: rat("1/10")}
	for _, c := range testkit.Few(9, []struct {
		e    mechanism.Event
		eps  string
		want string // "" if no rational is known
	}{
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, "1/2", "0"},
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, "499/1000", ""},
		{mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/10")}, "1", "1/10"},
		{mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/10")}, "99/100", ""},
		{mechanism.ZCDP{Rho: rat("1/2"), Xi: new(big.Rat)}, "0", ""},
		{mechanism.NonPrivate{}, "1000", "1"},
		{mechanism.ZCDP{Rho: new(big.Rat), Xi: new(big.Rat)}, "0", "0"},
		// log(1 + (e − 1)/10) = 0.158565…, which no rational is.
		{sampled, "158566/1000000", "1/1000"},
		{sampled, "158565/1000000", ""},
		{mechanism.SelfComposed{Event: sampled, Count: 2}, "317131/1000000", "1999/1000000"},
		{mechanism.SelfComposed{Event: sampled, Count: 2}, "317130/1000000", ""},
		{mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
			{Epsilon: rat("1"), Delta: rat("1/10")}, {Epsilon: rat("2"), Delta: rat("1/100")}, {Epsilon: rat("3"), Delta: rat("1/100")},
		}}, "2", "1/100"},
		{mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
			{Epsilon: rat("1"), Delta: rat("1/10")}, {Epsilon: rat("2"), Delta: rat("1/100")},
		}}, "199/100", ""},
		// The losses of selections are at most ε; composed, the pair only bounds from above.
		{mechanism.SelfComposed{Event: flip, Count: 30}, "3", "0"},
		{mechanism.SelfComposed{Event: flip, Count: 30}, "299/100", ""},
		{mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: flip, Count: 3}, mechanism.NonPrivate{}}}, "3", "1"},
	}) {
		r, err := Delta(ctx, Question{Event: c.e}, rat(c.eps), 0)
		switch {
		case err != nil:
			t.Error(err)
		case (r.Value == nil) != (c.want == ""):
			t.Errorf("δ(%s) of %s has the exact value %v, want %q", c.eps, mechanism.EncodeEvent(c.e), r.Value, c.want)
		case r.Value != nil && r.Value.Cmp(rat(c.want)) != 0:
			t.Errorf("δ(%s) of %s = %s exactly, want %s", c.eps, mechanism.EncodeEvent(c.e), r.Value.RatString(), c.want)
		case r.Value == nil && r.IsPoint():
			t.Errorf("δ(%s) of %s is the point %s", c.eps, mechanism.EncodeEvent(c.e), r.Interval)
		}
	}
}

// TestBasicCompositionIsEnough: without infinite losses, the sum of bounds of the losses is an ε for δ = 0, to the last
// bit; with the same δ as the infinite losses, too.
func TestBasicCompositionIsEnough(t *testing.T) {
	e := mechanism.PermuteAndFlip{Epsilon: rat("1/8")}
	many := mechanism.SelfComposed{Event: e, Count: 8}
	with := mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: e, Count: 2}, mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/50")}}}
	for _, c := range []struct {
		e          mechanism.Event
		delta, eps string
		want       interval.Truth
	}{
		{many, "0", "1", interval.True}, {many, "0", "0.95", interval.False},
		{with, "1/50", "5/4", interval.True}, {with, "1/51", "5/4", interval.False},
	} {
		r, err := Epsilon(t.Context(), Question{Event: c.e}, rat(c.delta), 20, 0)
		if err != nil || r.LessEqRat(rat(c.eps)) != c.want {
			t.Errorf("ε(%s) of %s in %s, %v", c.delta, mechanism.EncodeEvent(c.e), r.Interval, err)
		}
	}
}

// TestMemoryRefusals: what does not fit is left out and named; what is left still
// encloses the truth, and no limit means the same answer as a large one.
func TestMemoryRefusals(t *testing.T) {
	ctx := context.Background()
	step := mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.Laplace{NoiseMultiplier: rat("1")}}
	q := Question{Event: mechanism.SelfComposed{Event: step, Count: 12}, Direction: mechanism.Add, Scale: rat("1e-5")}
	free, err := Delta(ctx, q, rat("2"), 0)
	if err != nil || len(free.Refused) > 0 {
		t.Fatal(err, free.Refused)
	}
	q.MaxMemory = 1000
	small, err := Delta(ctx, q, rat("2"), 0)
	if err != nil || len(small.Refused) == 0 || small.Refused[0].Method != "pld" || small.Refused[0].Bytes <= 1000 {
		t.Fatalf("%v, refused %v", err, small.Refused)
	}
	if !small.Contains(free.Lo()) || !small.Contains(free.Hi()) {
		t.Errorf("%s does not contain %s", small.Interval, free.Interval)
	}
	q.MaxMemory = 1 << 40
	if large, err := Delta(ctx, q, rat("2"), 0); err != nil || len(large.Refused) > 0 || large.Lo().Cmp(free.Lo()) != 0 || large.Hi().Cmp(free.Hi()) != 0 {
		t.Errorf("%s, %v, refused %v, want %s", large.Interval, err, large.Refused, free.Interval)
	}
}

// TestEpsilonNextToOne: of randomized response with a large ε₀, log δ is flat for ε < ε₀
// and falls to −∞ just before it. The search has to halve the gap there; with
// δ(ε) = (e^ε₀ − e^ε)/(1 + e^ε₀), ε is log(1 − δ) + ε₀ but for e^−ε₀.
func TestEpsilonNextToOne(t *testing.T) {
	const p = interval.Prec(128)
	r, err := Epsilon(context.Background(), Question{Event: mechanism.EpsilonDelta{Epsilon: rat("200"), Delta: rat("0")}}, rat("0.999999"), 40, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := p.Add(p.Log(p.Rat(rat("1e-6"))), interval.Int(200))
	if d := p.Sub(r.Interval, want).Abs(); d.LessEqRat(rat("1e-9")) != interval.True {
		t.Errorf("ε = %s, want %s", r.Interval, want)
	}
}

// TestEpsilonAtInfiniteMass: at δ = the mass of infinite loss, ε is the largest finite loss,
// though that is no rational number, nor one with a closed form.
func TestEpsilonAtInfiniteMass(t *testing.T) {
	sampled := mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/100")}}
	for _, c := range []struct {
		e              mechanism.Event
		delta, lo, hi  string
		direction      mechanism.Direction
		unboundedAbove bool
	}{
		{sampled, "1/1000", "0.158565078", "0.158565079", mechanism.Remove, false},                                              // log(1 + (e − 1)/10)
		{sampled, "0", "0.105360515", "0.105360516", mechanism.Add, false},                                                      // −log(1 − 1/10)
		{mechanism.SelfComposed{Event: sampled, Count: 2}, "1999/1000000", "0.317130157", "0.317130158", mechanism.Both, false}, // twice the first
		{sampled, "999/1000000", "0", "0", mechanism.Remove, true},
	} {
		r, err := Epsilon(context.Background(), Question{Event: c.e, Direction: c.direction}, rat(c.delta), 40, 0)
		switch {
		case err != nil:
			t.Error(err)
		case c.unboundedAbove:
			if !r.Lo().IsInf() {
				t.Errorf("ε(%s) in %s, want ∞", c.delta, r.Interval)
			}
		case r.LessEqRat(rat(c.hi)) != interval.True || r.LessRat(rat(c.lo)) != interval.False:
			t.Errorf("ε(%s) in %s, want [%s, %s]", c.delta, r.Interval, c.lo, c.hi)
		}
	}
}
