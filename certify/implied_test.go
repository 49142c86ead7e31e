// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestImpliedRho: the ρ that a refuted claim is said to follow from proves it, and a thousandth more refutes it.
func TestImpliedRho(t *testing.T) {
	testkit.SkipShort(t)
	for i, test := range []struct{ rho, epsilon, delta string }{
		{"1/2", "-1/10", "2/5"},
		{"2.56", "17.14", "1e-10"},
		{"1e-9", "1e-8", "1e-5"},
		{"300", "380", "1e-5"},
	} {
		if i >= testkit.Draws(1, 2, 4) {
			break
		}
		claims, err := Read(t.Context(), strings.NewReader("{version: 1, claims: [{id: a, event: {class_name: ZCDpEvent, rho: "+test.rho+"}, claim: {epsilon: "+test.epsilon+", delta: "+test.delta+"}}]}"), "claims.yaml", "")
		if err != nil {
			t.Fatal(err)
		}
		c := claims[0]
		p := c.Statement.(Point)
		rho := impliedRho(t.Context(), c, c.LessPrivate.(mechanism.ZCDP), p)
		if rho == nil {
			t.Errorf("%s: none", test.rho)
			continue
		}
		for _, k := range []struct {
			factor string
			want   interval.Truth
		}{{"1", interval.True}, {"1.001", interval.False}} {
			x := new(big.Rat).Mul(rho, testkit.Rat(k.factor))
			r, err := exact.Delta(t.Context(), exact.Question{Event: mechanism.ZCDP{Rho: x, Xi: new(big.Rat)}}, p.Epsilon, 1)
			if err != nil || r.LessEqRat(p.Delta) != k.want {
				t.Errorf("ρ = %s: δ(%s) ≤ %s is %v, want %v: %v", x.FloatString(14), test.epsilon, test.delta, r.LessEqRat(p.Delta), k.want, err)
			}
		}
	}
}

// TestNoteRho: a refuted claim about a rounded ρ names the one that it follows from; no other claim does.
func TestNoteRho(t *testing.T) {
	testkit.SkipShort(t)
	for _, test := range []struct {
		event, claim string
		want         string
	}{
		{"{class_name: ZCDpEvent, rho: 2.56}", "{epsilon: 17.14, delta: 1e-10}", "the claim follows from ρ = 2.5553"},
		{"{class_name: ZCDpEvent, rho: 2.56}", "{epsilon: 17.16, delta: 1e-10}", ""},
		{"{class_name: ZCDpEvent, rho: 0}", "{epsilon: -1, delta: 1/10}", ""},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 4, delta: 1e-5}", ""},
	} {
		claims, err := Read(t.Context(), strings.NewReader("{version: 1, claims: [{id: a, event: "+test.event+", claim: "+test.claim+"}]}"), "claims.yaml", "")
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(context.Background(), claims[0], Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(o.Notes, func(n string) bool {
			return strings.HasPrefix(n, "the claim follows from ρ") && (test.want == "" || strings.HasPrefix(n, test.want))
		}); got != (test.want != "") {
			t.Errorf("%s %s: notes %q", test.event, test.claim, o.Notes)
		}
	}
}
