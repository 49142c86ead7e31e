// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package estimate

import (
	"errors"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat {
	x, err := number.Parse(s)
	if err != nil {
		panic(err)
	}
	return x
}

func gaussian(sigma float64) mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: new(big.Rat).SetFloat64(sigma)}
}

func training(rate, sigma float64, steps int64) mechanism.Event {
	return mechanism.SelfComposed{Count: steps, Event: mechanism.PoissonSampled{
		SamplingProbability: new(big.Rat).SetFloat64(rate), Event: gaussian(sigma)}}
}

func one(e mechanism.Event) mechanism.Range { return mechanism.Range{MorePrivate: e, LessPrivate: e} }

// within fails where what is proved is not within the error of an estimate.
func within(t *testing.T, q Question, digits int) (a Answer, ok bool) {
	t.Helper()
	a, err := Of(t.Context(), q)
	if errors.Is(err, float.ErrNoEstimate) {
		return a, false
	}
	if err != nil {
		t.Fatalf("%s: %v", mechanism.EncodeEvent(q.Events.LessPrivate), err)
	}
	quantity := ask.TotalVariation()
	if kind, known := ask.KindNamed(q.Kind); known {
		if quantity, err = kind.At(q.At); err != nil {
			t.Fatal(err)
		}
	}
	proved, err := ask.Range(t.Context(), exact.Question{Relation: q.Relation, Direction: q.Direction}, q.Events,
		ask.Goal{Digits: digits}, quantity)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := proved[0].Decimal(digits + 2)
	if lo == hi && lo == a.Estimate {
		return a, true // which may be infinite
	}
	estimate, off := rat(a.Estimate), rat(a.Error)
	if new(big.Rat).Add(estimate, off).Cmp(rat(lo)) < 0 || new(big.Rat).Sub(estimate, off).Cmp(rat(hi)) > 0 {
		t.Errorf("%s of %s: %s ± %s by %s, proved [%s, %s]", q.Kind, mechanism.EncodeEvent(q.Events.LessPrivate),
			a.Estimate, a.Error, a.Method, lo, hi)
	}
	return a, true
}

// TestTrainings: of trainings drawn by lot, from few steps of a small rate to many of a large one, the estimate is off
// by no more than it says, and it says little.
func TestTrainings(t *testing.T) {
	n := testkit.Draws(5, 50, 300)
	r := rand.New(rand.NewSource(1))
	between := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)) }
	none := 0
	for i := range n {
		e := training(between(1e-5, 0.3), between(0.3, 10), int64(between(1, 1e5)))
		relation := mechanism.AddOrRemoveOne
		if i%10 == 3 { // what is proved of few steps takes seconds there
			relation = mechanism.ReplaceOne
		}
		delta := new(big.Rat).SetFloat64(between(1e-10, 0.1))
		q := Question{Events: one(e), Relation: relation, Kind: "epsilon", At: delta}
		a, ok := within(t, q, 6)
		if !ok {
			none++
			continue
		}
		off, size := new(big.Rat).Mul(rat(a.Error), rat("1e3")), new(big.Rat).Abs(rat(a.Estimate))
		if a.Method != "line" || off.Cmp(size) > 0 {
			t.Errorf("%s: %s ± %s by %s", mechanism.EncodeEvent(e), a.Estimate, a.Error, a.Method)
		}
		within(t, Question{Events: q.Events, Relation: relation, Kind: "delta", At: rat(a.Estimate)}, 6)
	}
	if none > n/20 {
		t.Errorf("%d of %d trainings have no estimate", none, n)
	}
}

// TestEvents: events of other kinds, relations and quantities.
func TestEvents(t *testing.T) {
	mixed := mechanism.Composed{Events: []mechanism.Event{training(0.01, 1, 500), mechanism.SelfComposed{Count: 3, Event: gaussian(5)}}}
	laplace := mechanism.SelfComposed{Count: 20, Event: mechanism.Laplace{NoiseMultiplier: rat("10")}}
	for _, c := range []struct {
		event    mechanism.Event
		kind, at string
		relation mechanism.Relation
	}{
		{gaussian(1), "epsilon", "1e-5", mechanism.AddOrRemoveOne},
		{gaussian(1), "epsilon", "0.5", mechanism.ReplaceOne},
		{gaussian(1), "epsilon", "2", mechanism.AddOrRemoveOne},
		{gaussian(1), "delta", "-1", mechanism.AddOrRemoveOne},
		{gaussian(0.5), "delta", "60", mechanism.AddOrRemoveOne},
		{gaussian(3), "renyi", "8", mechanism.AddOrRemoveOne},
		{mixed, "delta", "1", mechanism.AddOrRemoveOne},
		{laplace, "tv", "", mechanism.AddOrRemoveOne},
		{laplace, "epsilon", "1e-5", mechanism.AddOrRemoveOne},
	}[:testkit.Cases(8, 9)] {
		q := Question{Events: one(c.event), Kind: c.kind, Relation: c.relation}
		if c.at != "" {
			q.At = rat(c.at)
		}
		if a, ok := within(t, q, 5); !ok {
			t.Errorf("%s of %s at %s: no estimate", c.kind, mechanism.EncodeEvent(c.event), c.at)
		} else if a.Proved || !strings.Contains(a.Text(), Label) {
			t.Errorf("%+v", a)
		}
	}
	for _, q := range []Question{
		{Events: one(gaussian(1)), Kind: "renyi"},
		{Events: one(gaussian(1)), Kind: "tradeoff", At: rat("0.1")},
	} {
		if _, err := Of(t.Context(), q); err == nil || !strings.Contains(err.Error(), Want) {
			t.Errorf("%s: %v", q.Kind, err)
		}
	}
}

// TestWritten: what is written is as accurate as it says.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		v, err          float64
		estimate, error string
	}{
		{1.23456789, 1e-4, "1.2346", "1.4e-4"}, {0, 0, "0", "0"}, {0.5, 0, "0.5", "0"}, {math.Inf(-1), 0, "-inf", "0"},
		{1e-9, 1e-3, "1e-9", "0.0011"}, {-2.25, 0.01, "-2.25", "0.011"},
	} {
		a := found{float.Answer{Value: float.Value{V: c.v, Err: c.err}}}.answer()
		if a.Estimate != c.estimate || a.Error != c.error {
			t.Errorf("%v ± %v: %s ± %s, want %s ± %s", c.v, c.err, a.Estimate, a.Error, c.estimate, c.error)
		}
	}
	r := rand.New(rand.NewSource(2))
	for range 1000 {
		f := found{float.Answer{Value: float.Value{V: r.NormFloat64() * math.Exp(20*r.NormFloat64()), Err: math.Exp(20 * r.NormFloat64())}}}
		a := f.answer()
		lo := new(big.Rat).Sub(rat(a.Estimate), rat(a.Error))
		hi := new(big.Rat).Add(rat(a.Estimate), rat(a.Error))
		v, off := new(big.Rat).SetFloat64(f.V), new(big.Rat).SetFloat64(f.Err*(1-1e-15))
		if lo.Cmp(new(big.Rat).Sub(v, off)) > 0 || hi.Cmp(new(big.Rat).Add(v, off)) < 0 {
			t.Errorf("%v ± %v is written %s ± %s", f.V, f.Err, a.Estimate, a.Error)
		}
	}
}

// TestErrorsAreRoundedUp: an error of two digits is at least what it stands for, also where float64 has few bits left,
// and no more than a tenth above it where two digits are enough.
func TestErrorsAreRoundedUp(t *testing.T) {
	xs := []float64{0, 1, 0.1, 9.99, 1e300, 0x1p-1022, 0x1p-1022 - 0x1p-1074}
	for n := range 600 {
		xs = append(xs, float64(n)*0x1p-1074)
	}
	r := rand.New(rand.NewSource(1))
	for range testkit.Draws(200, 2000, 20000) {
		xs = append(xs, math.Exp2(2000*r.Float64()-1070))
	}
	for _, x := range xs {
		text := upward(x)
		if y := rat(text); y.Cmp(new(big.Rat).SetFloat64(x)) < 0 {
			t.Errorf("%g is written as %s", x, text)
		}
		if y := number.Float64(rat(text)); x > 0x1p-1060 && y > 1.1*x {
			t.Errorf("%g is written as %s", x, text)
		}
	}
}
