// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func bestOf(mean, shape *big.Rat, e mechanism.Event) mechanism.Event {
	return mechanism.RepeatAndSelect{Event: e, Mean: mean, Shape: shape}
}

func epsilonOf(t *testing.T, q Question, delta *big.Rat) interval.Interval {
	t.Helper()
	p, err := Prepare(context.Background(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Epsilon(context.Background(), delta, 12)
	if err != nil {
		t.Fatal(err)
	}
	return r.Interval
}

// TestRepeatedSelection: both bounds of ε are close, and below what Papernot & Steinke 2022 give (the second number, by
// mpmath over 400 orders).
func TestRepeatedSelection(t *testing.T) {
	one, ten := big.NewRat(1, 1), big.NewRat(10, 1)
	for _, c := range []struct {
		mean, shape *big.Rat
		sigma       *big.Rat
		papernot    float64
	}{
		{ten, one, ten, 0.8491}, {ten, nil, one, 8.4615},
	} {
		e := epsilonOf(t, Question{Event: bestOf(c.mean, c.shape, mechanism.Gaussian{NoiseMultiplier: c.sigma})}, big.NewRat(1, 100000))
		lo, _ := e.Lo().Float64()
		hi, _ := e.Hi().Float64()
		if !(lo > 0.9*hi) || hi >= c.papernot {
			t.Errorf("mean %v, shape %v, σ = %v: ε(1e-5) in %v, want both ends close, and less than %v", c.mean, c.shape, c.sigma, e, c.papernot)
		}
	}
}

// TestRepeatedPure: of an ε-DP mechanism the best is (2 + η)ε-DP, and nearly attains it.
func TestRepeatedPure(t *testing.T) {
	testkit.SkipUsual(t, "TestRepeatedSelection is of the same event")
	for _, shape := range []*big.Rat{new(big.Rat), big.NewRat(1, 1)} {
		most := new(big.Rat).Add(big.NewRat(2, 1), shape)
		q := Question{Event: bestOf(big.NewRat(1000, 1), shape, mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: new(big.Rat)})}
		e := epsilonOf(t, q, big.NewRat(1, 1000000000))
		least := new(big.Rat).Mul(most, big.NewRat(9, 10))
		if e.LessEqRat(most) != interval.True || e.LessRat(least) != interval.False {
			t.Errorf("shape %v: ε(1e-9) in %v, want in [%v, %v]", shape, e, least, most)
		}
		if r, err := Renyi(q, renyi.Infinity, 0); err != nil || r.Hi().IsInf() {
			t.Errorf("shape %v: R_∞ is %v, %v", shape, r.Interval, err)
		}
	}
}

// TestDrawnOrders: bounds hold for an order that is drawn at random, too. The best of a geometric number of runs, 2 in
// the mean, is among outputs that have the probability y in one with probability 2y/(1 + y); of (3/4, 1/4) against
// (1/4, 3/4) one order has (6/7, 1/7) against (2/5, 3/5), and the other (3/5, 2/5) against (1/7, 6/7).
func TestDrawnOrders(t *testing.T) {
	ctx := context.Background()
	of := func(e mechanism.Event, count int64) *Profile {
		p, err := Prepare(ctx, Question{Event: mechanism.SelfComposed{Event: e, Count: count}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all := bestOf(big.NewRat(2, 1), big.NewRat(1, 1), mechanism.FinitePair{P: rats("3/4", "1/4"), Q: rats("1/4", "3/4")})
	drawn := mechanism.FinitePair{P: rats("3/7", "1/14", "3/10", "1/5"), Q: rats("1/5", "3/10", "1/14", "3/7")}
	for _, count := range []int64{1, 2} {
		x, y := of(all, count), of(drawn, count)
		for _, eps := range rats("-1/2", "0", "1") {
			above, err := x.Delta(ctx, eps)
			below, err2 := y.Delta(ctx, eps)
			if err != nil || err2 != nil || above.Hi().Cmp(below.Lo()) < 0 {
				t.Errorf("%d times: δ(%s) of all orders is %v, of a drawn one %v (%v, %v)", count, eps.RatString(), above.Interval, below.Interval, err, err2)
			}
		}
	}
	x, err := of(all, 1).TradeOff(ctx, rat("1/2"), 4)
	y, err2 := of(drawn, 1).TradeOff(ctx, rat("1/2"), 4)
	if err != nil || err2 != nil || x.Lo().Cmp(y.Hi()) > 0 {
		t.Errorf("f(1/2) of all orders is %v, of a drawn one %v (%v, %v)", x.Interval, y.Interval, err, err2)
	}
}

// TestRepeatedInfiniteMass: of runs that each reveal all with probability δ, any one may be the best.
func TestRepeatedInfiniteMass(t *testing.T) {
	p, err := Prepare(context.Background(), Question{Event: bestOf(big.NewRat(5, 1), big.NewRat(1, 1), mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: big.NewRat(1, 1000)})}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Delta(context.Background(), big.NewRat(8, 1))
	if err != nil || r.LessRat(big.NewRat(48, 10000)) != interval.False || r.LessEqRat(big.NewRat(501, 100000)) != interval.True {
		t.Errorf("δ(8) in %v, want about 0.005 (%v)", r.Interval, err)
	}
}

// TestRepeatedOfNothingElse: one run is the event, none is nothing, a group sees each run.
func TestRepeatedOfNothingElse(t *testing.T) {
	testkit.SkipShort(t)
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	gauss := func(s *big.Rat) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: s} }
	value := func(e mechanism.Event, rel mechanism.Relation, d mechanism.Direction, eps *big.Rat) interval.Interval {
		t.Helper()
		p, err := Prepare(context.Background(), Question{Event: e, Relation: rel, Direction: d}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Delta(context.Background(), eps)
		if err != nil {
			t.Fatal(err)
		}
		return r.Interval
	}
	both := mechanism.Both
	if x, y := value(bestOf(one, one, gauss(one)), 0, both, one), value(gauss(one), 0, both, one); x.String() != y.String() {
		t.Errorf("one run has %v, the event %v", x, y)
	}
	if x := value(bestOf(new(big.Rat), nil, gauss(one)), 0, both, one); !x.IsZero() {
		t.Errorf("no run has %v", x)
	}
	group := mechanism.Group{Event: bestOf(two, one, gauss(two)), Size: 2}
	if x, y := value(group, 0, both, one), value(bestOf(two, one, gauss(one)), 0, both, one); x.String() != y.String() {
		t.Errorf("a group has %v, runs at twice the distance %v", x, y)
	}
	// A base that is not self-dual has two directions, and the greater value is the value of both.
	half := big.NewRat(1, 2)
	sample := bestOf(two, one, mechanism.PoissonSampled{SamplingProbability: half, Event: gauss(one)})
	remove, add := value(sample, 0, mechanism.Remove, half), value(sample, 0, mechanism.Add, half)
	if all := value(sample, 0, both, half); interval.Max(remove, add).String() != all.String() || remove.String() == add.String() {
		t.Errorf("remove %v, add %v, both %v", remove, add, all)
	}
	if _, err := Prepare(context.Background(), Question{Event: bestOf(two, one, mechanism.FinitePair{P: []*big.Rat{one, new(big.Rat)}, Q: []*big.Rat{half, half}}), Relation: mechanism.ReplaceOne}, 0); err == nil {
		t.Error("a base that is not self-dual has a meaning under REPLACE_ONE")
	}
	// At ε < 0, and composed, both bounds say something.
	if x := value(bestOf(two, one, gauss(two)), 0, both, big.NewRat(-3, 1)); x.LessRat(one) != interval.True || x.Positive() != interval.True {
		t.Errorf("δ(−3) in %v", x)
	}
	if testkit.Long() {
		if x := value(mechanism.SelfComposed{Event: bestOf(two, one, mechanism.Laplace{NoiseMultiplier: two}), Count: 2}, 0, both, half); x.LessRat(half) != interval.True || x.Positive() != interval.True {
			t.Errorf("δ(1/2) of two selections in %v", x)
		}
	}
}
