// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/mechanism"
)

// Every form of a statement is said in words, and what could not be read is not.
func TestStatementInWords(t *testing.T) {
	long := strings.Repeat("7", 100)
	for _, c := range []struct{ claim, want string }{
		{"{epsilon: 1e0, delta: 0.10}", "(ε, δ) = (1e0, 0.10)"},
		{"{epsilon: " + long + ", delta: 0}", "(ε, δ) = (" + long[:60] + "…, 0)"},
		{"{rho: 1/2}", "ρ = 0.5"},
		{"{rho: 1/3}", "ρ = 1/3"},
		{"{rho: 0}", "ρ = 0"},
		{"{renyi: [[2, 1]]}", "R(2) ≤ 1"},
		{"{renyi: [[1.5, 1], [4, 2]]}", "R(1.5) ≤ 1, R(4) ≤ 2"},
		{"{renyi: [[2, 1], [3, 2], [4, 3], [5, 4], [6, 5], [7, 6]]}", "R(2) ≤ 1, R(3) ≤ 2, R(4) ≤ 3, R(5) ≤ 4 and 2 more"},
		{"{renyi: [[2, 1], [0.5, 2]]}", ""},
		{"{rho: x}", ""},
		{"{rho: -1}", ""},
		{"{epsilon: 1, delta: 2}", ""},
		{"{epsilon: 1}", ""},
	} {
		cs, err := Parse("x.yaml", []byte("version: 1\nclaims: [{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: "+c.claim+"}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := cs[0].Says(); got != c.want {
			t.Errorf("%s: %q, want %q", c.claim, got, c.want)
		}
	}
	if got := (Dominated{PLD: "a\x1bb.pb"}).String(); got != `dominated by "a\x1bb.pb"` {
		t.Errorf("%q", got)
	}
}

// TestClaimsMadeInGo: a claim without a statement, or with one that has no numbers, is decided
// by nobody, and does not panic.
func TestClaimsMadeInGo(t *testing.T) {
	gaussian := mechanism.Gaussian{NoiseMultiplier: one}
	for _, test := range []struct {
		name string
		s    Statement
		want Verdict
	}{
		{"no ρ", Concentrated{}, Malformed},
		{"no orders", Renyi{Points: []mechanism.RenyiPoint{{}}}, Malformed},
		{"no statement", nil, Undecided},
		{"no numbers", Point{}, Malformed},
		{"no δ", Point{Epsilon: one}, Malformed},
		{"no distribution", Dominated{}, Undecided},
		{"a δ above 1", Point{Epsilon: one, Delta: big.NewRat(2, 1)}, Verified},
		{"a δ below 0", Point{Epsilon: one, Delta: big.NewRat(-1, 1)}, Malformed},
	} {
		for _, e := range []mechanism.Event{gaussian, mechanism.EpsilonDelta{Epsilon: big.NewRat(3, 1), Delta: new(big.Rat)}} {
			c := &Claim{MorePrivate: e, LessPrivate: e, Statement: test.s, Derivation: "basic"}
			o, err := Decide(t.Context(), c, Options{})
			if err != nil || e == mechanism.Event(gaussian) && o.Verdict != test.want {
				t.Errorf("%s: %s, %v, want %s", test.name, o.Verdict, err, test.want)
				continue
			}
			NewReport([]*Outcome{o})
			o.Slack()
		}
	}
}
