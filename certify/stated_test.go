// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dpverify/certify/derive"
	"dpverify/mechanism"
)

// What repeats the claim, and what needs a theorem or is false.
func TestStated(t *testing.T) {
	const (
		pure   = "{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}"
		approx = "{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 1e-6}"
		zcdp   = "{class_name: ZCDpEvent, rho: 0.5}"
		nearly = "{class_name: ZCDpEvent, rho: 0.3, xi: 0.1}"
		renyi  = "{class_name: RenyiCurveEvent, orders: [2, 4], values: [0.1, 0.3]}"
		points = "{class_name: DominatingPairEvent, profile: [[0, 0.5], [1, 0.1]]}"
		nought = "{class_name: EpsilonDeltaDpEvent, epsilon: 0, delta: 0}"
		gauss  = "{class_name: GaussianDpEvent, noise_multiplier: 1}"
	)
	composed := func(events ...string) string {
		return "{class_name: ComposedDpEvent, events: [" + strings.Join(events, ", ") + "]}"
	}
	copies := func(n int, event string) string {
		return fmt.Sprintf("{class_name: SelfComposedDpEvent, count: %d, event: %s}", n, event)
	}
	poisson := func(q, event string) string {
		return "{class_name: PoissonSampledDpEvent, sampling_probability: " + q + ", event: " + event + "}"
	}
	subset := func(n int, event string) string {
		return fmt.Sprintf("{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 9, sample_size: %d, event: %s}", n, event)
	}
	for _, test := range []struct {
		event, claim string
		want         Verdict
	}{
		{pure, "{epsilon: 1, delta: 0}", Stated},
		{approx, "{epsilon: 1, delta: 1e-6}", Stated},
		{approx, "{epsilon: 2, delta: 1e-6}", Stated}, // weaker, and so as trivial
		{approx, "{epsilon: 1, delta: 1e-5}", Stated},
		{approx, "{epsilon: 1, delta: 0}", Refuted},
		{approx, "{epsilon: 0.5, delta: 0.2}", Refuted}, // tanh(1/4) = 0.2449 at least
		{approx, "{epsilon: 0.5, delta: 0.3}", Verified},
		{approx, "{epsilon: 0, delta: 1}", Verified},
		{zcdp, "{rho: 0.5}", Stated},
		{zcdp, "{rho: 0.6}", Stated},
		{zcdp, "{rho: 0.499}", Refuted},
		{zcdp, "{renyi: [[2, 1], [3, 1.5]]}", Stated},
		{zcdp, "{renyi: [[2, 1], [3, 1.4]]}", Refuted},
		{zcdp, "{epsilon: 10, delta: 1e-3}", Verified},
		{nearly, "{rho: 0.4}", Stated}, // ξ/α + ρ < 0.4 for α > 1
		{nearly, "{rho: 0.399}", Undecided},
		{nearly, "{renyi: [[2, 0.7]]}", Stated},
		{renyi, "{renyi: [[2, 0.1], [4, 0.3]]}", Stated},
		{renyi, "{renyi: [[3, 0.3]]}", Stated}, // R(3) ≤ R(4)
		{renyi, "{renyi: [[2, 0.1], [5, 0.3]]}", Undecided},
		{points, "{epsilon: 1, delta: 0.1}", Stated},
		{points, "{epsilon: 1.5, delta: 0.1}", Stated},
		{points, "{epsilon: 0.9, delta: 0.4}", Verified}, // by convexity
		{points, "{epsilon: 0.9, delta: 0.1}", Refuted},
		{nought, "{epsilon: 0, delta: 0}", Stated},
		{composed(pure), "{epsilon: 1, delta: 0}", Stated},
		{composed("{class_name: NoOpDpEvent}", copies(1, composed(pure))), "{epsilon: 1, delta: 0}", Stated},
		{composed(pure, nought), "{epsilon: 1, delta: 0}", Stated},
		{composed(pure, copies(5, nought)), "{epsilon: 0.5, delta: 0}", Refuted},
		{composed(pure, poisson("0", gauss)), "{epsilon: 1, delta: 0}", Stated},
		{poisson("1", pure), "{epsilon: 1, delta: 0}", Stated},
		{poisson("0.5", pure), "{epsilon: 1, delta: 0}", Verified},
		{copies(2, pure), "{epsilon: 2, delta: 0}", Verified},
		{composed(pure, approx), "{epsilon: 2, delta: 1e-6}", Verified},
		{composed(pure, gauss), "{epsilon: 10, delta: 0.1}", Verified},
		{gauss, "{rho: 0.5}", Verified},
		{subset(9, pure) + ", relation: REPLACE_ONE", "{epsilon: 1, delta: 0}", Stated},
		{copies(2, subset(9, pure)) + ", relation: REPLACE_ONE", "{epsilon: 2, delta: 0}", Verified},
		{subset(3, pure) + ", relation: REPLACE_ONE", "{epsilon: 1, delta: 0}", Verified},
		{subset(9, pure), "{epsilon: 1, delta: 0}", Malformed},
		{"{class_name: EpsilonDeltaDpEvent, epsilon: {lo: 1, hi: 2}, delta: 0}", "{epsilon: 2, delta: 0}", Stated},
		{"{class_name: EpsilonDeltaDpEvent, epsilon: {lo: 1, hi: 2}, delta: 0}", "{epsilon: 1.5, delta: 0}", Undecided},
		{"{class_name: NoOpDpEvent}", "{epsilon: 0, delta: 0}", Verified},
	} {
		o := decide(t, "event: "+test.event+", claim: "+test.claim, Options{})
		if o.Verdict != test.want {
			t.Errorf("%s about %s is %s (%s %v), want %s", test.claim, test.event, o.Verdict, o.Reason, o.Err, test.want)
		}
		if o.Verdict == Stated && (o.Delta != nil || o.Epsilon != nil || o.Renyi != nil || !slices.Contains(o.Notes, statedNote)) {
			t.Errorf("%s about %s: an enclosure, or no note: %v", test.claim, test.event, o.Notes)
		}
	}
}

// Both questions are answered apart: the derivation is computed where nothing is verified.
func TestDerivationOfAStatedClaim(t *testing.T) {
	const claim = "event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}, claim: {epsilon: 1, delta: 0}, derivation: "
	if d := decide(t, claim+"basic", Options{}).Derivation; d == nil || d.Epsilon == nil || d.Rounding != derive.NotRounded {
		t.Errorf("basic: %+v", d)
	}
	if d := decide(t, claim+"exact", Options{}).Derivation; d == nil || d.Epsilon != nil || d.NotModelled == "" || d.NotModelled == leastNotReached {
		t.Errorf("exact: %+v", d)
	}
}

// A claim that is STATED is true: no mechanism with the guarantee refutes it. And no
// claim that is smaller than all that the guarantee states is STATED.
func TestStatedIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	number := func(from, to int64, den int64) *big.Rat {
		return big.NewRat(from*den+r.Int64N((to-from)*den+1), den)
	}
	stated, trials := 0, 2
	if os.Getenv("DPVERIFY_LONG") != "" {
		trials = 600
	}
	for range trials {
		var event mechanism.Event
		var s Statement = Point{Epsilon: number(0, 3, 10), Delta: number(0, 1, 10)}
		switch r.IntN(4) {
		case 0:
			event = mechanism.EpsilonDelta{Epsilon: number(0, 3, 10), Delta: number(0, 1, 10)}
		case 1:
			event = mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{
				{Epsilon: number(0, 1, 10), Delta: number(0, 1, 10)}, {Epsilon: number(2, 3, 10), Delta: number(0, 1, 10)}}}
		case 2:
			event = mechanism.ZCDP{Rho: number(0, 1, 10), Xi: number(0, 1, 10)}
			s = Concentrated{Rho: number(0, 2, 10)}
		case 3:
			event = mechanism.RenyiCurve{Orders: []*big.Rat{big.NewRat(2, 1), big.NewRat(3, 1)}, Values: []*big.Rat{number(0, 1, 10), number(0, 1, 10)}}
			s = Renyi{Points: []mechanism.RenyiPoint{{Order: number(2, 4, 2), Value: number(0, 2, 10)}}}
		}
		if r.IntN(3) == 0 {
			event = mechanism.Composed{Events: []mechanism.Event{event, mechanism.EpsilonDelta{Epsilon: new(big.Rat), Delta: new(big.Rat)}}}
		}
		c := &Claim{MorePrivate: event, LessPrivate: event, Statement: s}
		o, err := Decide(t.Context(), c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Verdict != Stated {
			continue
		}
		stated++
		if truth, err := Truth(t.Context(), c, Options{}); err != nil || truth.Verdict == Refuted || truth.Verdict == Malformed {
			t.Errorf("%s about %s is stated, and %s (%v, %v)", s, mechanism.EncodeEvent(event), truth.Verdict, err, truth.Err)
		}
	}
	if stated < trials/6 {
		t.Errorf("only %d claims are stated", stated)
	}
}
