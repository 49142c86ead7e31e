// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"math/big"
	"testing"
	"time"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

func TestJudgement(t *testing.T) {
	for _, test := range []struct {
		name string
		est  bool
		want []Verdict
	}{
		{"zero", false, []Verdict{Unsound, Unsound}},
		{"repeats", false, []Verdict{Sound, Sound}},
		{"lower", false, []Verdict{Unsound, Unsound}},
		{"estimate", false, []Verdict{Unsound, Unsound}},
		{"estimate", true, []Verdict{Unjudged, Unjudged}},
	} {
		o := options(t, test.name, two(t))
		o.Estimates, o.ShrinkQuestions = test.est, 3
		for i, r := range mustRun(t, o) {
			if r.Verdict != test.want[i] {
				t.Errorf("%s, estimates %v, %s: %s, want %s", test.name, test.est, r.ID, r.Verdict, test.want[i])
			}
		}
	}
}

// An upper bound one unit above and below the truth in the twelfth digit.
func TestJudgementIsSharp(t *testing.T) {
	c := two(t)[0] // ε of one Gaussian at 1e-5: 4.3771779…
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	r := Reply{Kind: Answered, Upper: &Number{Rat: big.NewRat(100, 1)}}
	_, judged, err := j.judge(t.Context(), c, r)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := judged.Truth.Decimal(12)
	for text, want := range map[string]Verdict{lo: Unsound, hi: Sound} {
		x, err := number.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Upper = &Number{Text: text, Rat: x}
		v, _, err := j.judge(t.Context(), c, r)
		if err != nil || v != want {
			t.Errorf("upper = %s: %s, %v, want %s", text, v, err, want)
		}
	}
}

// binary64 questions are judged at the numbers that the accountant had: 0.1 is a
// little more than 1/10 there, and an ε of 1/10 for the pure guarantee is too small.
func TestBinary64(t *testing.T) {
	c := Case{ID: "x", Event: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 10), Delta: new(big.Rat)}, Quantity: Epsilon, At: new(big.Rat)}
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	r := Reply{Kind: Answered, Upper: &Number{Text: "0.1", Rat: big.NewRat(1, 10)}}
	for binary64, want := range map[bool]Verdict{false: Sound, true: Unsound} {
		c.Binary64 = binary64
		if v, _, err := j.judge(t.Context(), c, r); err != nil || v != want {
			t.Errorf("binary64 = %v: %s, %v, want %s", binary64, v, err, want)
		}
	}
}

// Probabilities in binary64 may miss the sum 1 by rounding: an answer is judged for all
// distributions that they stand for.
func TestBinary64Probabilities(t *testing.T) {
	tenths := func(ns ...int64) (xs []*big.Rat) {
		for _, n := range ns {
			xs = append(xs, big.NewRat(n, 10))
		}
		return xs
	}
	c := Case{ID: "x", Event: mechanism.FinitePair{P: tenths(7, 2, 1), Q: tenths(1, 2, 7)}, Quantity: Delta, At: new(big.Rat), Binary64: true}
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	for text, want := range map[string]Verdict{"0.5999999999999998": Unsound, "0.6": Open, "0.6000000000000001": Sound} {
		x, err := number.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, out, err := j.judge(t.Context(), c, Reply{Kind: Answered, Upper: &Number{Text: text, Rat: x}})
		if err != nil || v != want || v != Open && (out.Truth.Lo().Cmp(big.NewFloat(0.6)) > 0 || out.Truth.Hi().Cmp(big.NewFloat(0.6)) < 0) {
			t.Errorf("upper = %s: %s (%s), %v, want %s", text, v, out.Reason, err, want)
		}
	}
}
