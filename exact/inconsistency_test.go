// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"errors"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/mechanism"
)

// gaussianSolution is the answer of a method that takes every product for a Gaussian.
func gaussianSolution(t *testing.T, mu2 string) *method.Solution {
	t.Helper()
	f, err := method.Gaussian(nil, pair.Product{{Pair: pair.Gaussian{Mu2: rat(mu2)}, Count: 1}}, 0).Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := new(method.Solution)
	s.Add(method.Used{Name: "gaussian " + mu2, From: method.BothSides, Tight: true, F: f})
	return s
}

func gaussianProfile(t *testing.T) *Profile {
	t.Helper()
	p, err := Prepare(t.Context(), Question{Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reported demands an inconsistency whose text has the parts, and a command.
func reported(t *testing.T, err error, command string, parts ...string) {
	t.Helper()
	var e *InconsistencyError
	if !errors.As(err, &e) {
		t.Errorf("error %v, want an inconsistency", err)
		return
	}
	want := "verify " + command + ` --effort 0 --relation ADD_OR_REMOVE_ONE --direction both '{"class_name":`
	if command == "" {
		want = ""
	}
	if !strings.HasPrefix(e.Reproduce, want) || (want == "") != (e.Reproduce == "") {
		t.Errorf("command %q, want %s…", e.Reproduce, want)
	}
	for _, part := range append(parts, e.Reproduce, e.Product) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q has no %q", err, part)
		}
	}
}

// TestCrossedBoundsAreReported: lower bounds above the upper bounds, of δ, of ε and of the
// trade-off function, are no answer but a report with the command that asks for it.
func TestCrossedBoundsAreReported(t *testing.T) {
	p := gaussianProfile(t)
	prod := p.bounds[0].Prod
	p.bounds = []method.Bound{
		{Prod: prod, Sol: gaussianSolution(t, "4"), Lower: true},
		{Prod: prod, Sol: gaussianSolution(t, "1"), Upper: true},
	}
	_, err := p.Delta(t.Context(), rat("1/3"))
	reported(t, err, "delta --epsilon=1/3", "lower bounds says [0.62", "upper bounds says [0.2", "[0.33333")
	y, err := p.DeltaReal(t.Context(), interval.RealRat(rat("1/4")))
	reported(t, err, "delta --epsilon=0.25", "lower bounds", "upper bounds")
	if !y.Encloses(profile.Unit()) {
		t.Errorf("crossed bounds give δ in %v", y)
	}
	_, err = p.Epsilon(t.Context(), rat("1/100"), 20)
	reported(t, err, "epsilon --delta=0.01", "lower bounds of ε", "upper bounds of ε")
	_, err = p.TradeOff(t.Context(), rat("1/8"), 1<<20)
	reported(t, err, "tradeoff --alpha=0.125", "lower bounds of −f", "upper bounds of −f")
	// The other way round they do not contradict each other.
	p.bounds[0].Lower, p.bounds[0].Upper, p.bounds[1].Lower, p.bounds[1].Upper = false, true, true, false
	for _, f := range []func() (Result, error){
		func() (Result, error) { return p.Delta(t.Context(), rat("1/3")) },
		func() (Result, error) { return p.Epsilon(t.Context(), rat("1/100"), 20) },
		func() (Result, error) { return p.TradeOff(t.Context(), rat("1/8"), 1<<20) },
	} {
		if r, err := f(); err != nil || r.IsPoint() {
			t.Errorf("%v, %v", r.Interval, err)
		}
	}
}

// TestWrongMethodsAreReported: a method that contradicts another one is reported through
// every question, and so is one that contradicts the rational value.
func TestWrongMethodsAreReported(t *testing.T) {
	p := gaussianProfile(t)
	s := gaussianSolution(t, "1")
	s.Add(method.Used{Name: "gaussian 4", From: method.BothSides, Tight: true, F: gaussianSolution(t, "4").Used[0].F})
	p.bounds[0].Sol = s
	_, err := p.Delta(t.Context(), rat("1/3"))
	reported(t, err, "delta --epsilon=1/3", "gaussian 1 says [0.2", "gaussian 4 says [0.62")
	_, err = p.Epsilon(t.Context(), rat("1/10"), 20)
	reported(t, err, "epsilon --delta=0.1", "gaussian 1", "gaussian 4")
	_, err = p.TradeOff(t.Context(), rat("1/8"), 1<<20)
	reported(t, err, "tradeoff --alpha=0.125", "gaussian 1", "gaussian 4")

	p, err = Prepare(t.Context(), Question{Event: mechanism.Laplace{NoiseMultiplier: rat("2")}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.bounds[0].Sol = gaussianSolution(t, "1")
	_, err = p.Delta(t.Context(), rat("1/2"))
	reported(t, err, "delta --epsilon=0.5", "the methods says [0.2", "exact rational value says [0, 0]")

	// The inversion and the grid that it falls back on.
	prod := pair.Product{{Pair: pair.Sampled{Rate: rat("1/100"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}}, Reversed: true}, Count: 20}}
	err = method.NewSolver(method.All, 1, nil).Inconsistent(&method.Solution{Prod: prod}, []string{"inversion"}, []interval.Interval{span("0", "1/10")}, "pld", span("1/5", "1/4"), interval.RealRat(rat("1")))
	reported(t, err, "", "inversion says [0, 0.1", "pld says [0.", "δ([1, 1])", prod.String(), "effort 1")
}
