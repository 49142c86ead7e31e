// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// sampledGaussian is the event of DP-SGD.
func sampledGaussian(steps int, rate, noise string) string {
	return fmt.Sprintf("{class_name: SelfComposedDpEvent, count: %d, event: {class_name: PoissonSampledDpEvent, sampling_probability: %s, event: {class_name: GaussianDpEvent, noise_multiplier: %s}}}", steps, rate, noise)
}

func guarantees(count int, eps, delta string) string {
	return fmt.Sprintf("{class_name: SelfComposedDpEvent, count: %d, event: {class_name: EpsilonDeltaDpEvent, epsilon: %s, delta: %s}}", count, eps, delta)
}

// derived returns the derivation of one claim.
func derived(t *testing.T, event, claim, derivation, more string) *Derivation {
	t.Helper()
	c := parse(t, fmt.Sprintf("version: 1\nclaims:\n  - {id: a, event: %s, claim: %s, derivation: %s%s}\n", event, claim, derivation, more))[0]
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	out := &Outcome{Claim: c}
	if err := (decision{Outcome: out}).derive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out.Derivation == nil {
		t.Fatal("no derivation")
	}
	return out.Derivation
}

// TestDerivationsOfPublishedClaims: the values that these derivations have by the
// programs of their authors, whose printed numbers they are.
func TestDerivationsOfPublishedClaims(t *testing.T) {
	zcdp := "{class_name: ZCDpEvent, rho: 2.56}"
	opacus := sampledGaussian(2250, "0.04", "1.5")
	tests := []struct {
		name, event, claim, derivation string
		lo, hi                         string // of the derived ε
		implies, reproduces            interval.Truth
		rounding                       derive.Rounding
	}{
		{"TensorFlow Privacy, 15 epochs", sampledGaussian(3515, "256/60000", "1.3"), "{epsilon: 1.19, delta: 1e-5}", "rdp-mironov", "1.1921", "1.1922", -1, 1, derive.NearestDown},
		{"TensorFlow Privacy, 60 epochs", sampledGaussian(14062, "256/60000", "1.1"), "{epsilon: 3.01, delta: 1e-5}", "rdp-mironov", "3.0082", "3.0083", 1, 1, derive.NearestUp},
		{"TensorFlow Privacy, 45 epochs", sampledGaussian(10546, "256/60000", "0.7"), "{epsilon: 7.10, delta: 1e-5}", "rdp-mironov", "7.10026", "7.10028", -1, 1, derive.NearestDown},
		{"Opacus, epoch 1", sampledGaussian(250, "240/60000", "1.3"), "{epsilon: 0.71, delta: 1e-5}", "rdp-mironov", "0.7109", "0.711", -1, 1, derive.NearestDown},
		{"Opacus, epoch 15", sampledGaussian(3750, "240/60000", "1.3"), "{epsilon: 1.16, delta: 1e-5}", "rdp-mironov", "1.1597", "1.1598", 1, 1, derive.NearestUp},
		{"Abadi et al., 10,000 steps", sampledGaussian(10000, "0.01", "4"), "{epsilon: 1.26, delta: 1e-5}", "rdp-mironov", "1.2585", "1.2586", 1, 1, derive.NearestUp},
		{"Abadi et al., 40,000 steps", sampledGaussian(40000, "0.01", "4"), "{epsilon: 2.55, delta: 1e-5}", "rdp-mironov", "2.57365", "2.57366", -1, -1, ""},
		{"the same by its integer orders", sampledGaussian(40000, "0.01", "4"), "{epsilon: 2.55, delta: 1e-5}", "moments-accountant", "2.57", "2.59", -1, -1, ""},
		{"Opacus's test of its RDP accountant", opacus, "{epsilon: 7.3291112, delta: 1e-5}", "rdp-cks", "7.32911117", "7.32911118", 1, 1, derive.NearestUp},
		{"Opacus's test of its GDP accountant", sampledGaussian(2249, "0.04", "1.5"), "{epsilon: 6.59982, delta: 1e-5}", "gdp-clt", "6.59982", "6.59983", -1, 1, derive.NearestDown},
		{"Opacus, issue 643", sampledGaussian(50, "0.2", "3"), "{epsilon: 1.8385, delta: 1/48000}", "gdp-clt", "1.8384", "1.8385", 1, 1, derive.NearestUp},
		{"Census 2020", zcdp, "{epsilon: 17.14, delta: 1e-10}", "zcdp-cks", "17.1583", "17.1584", -1, -1, ""},
		{"Census 2020, the older conversion", zcdp, "{epsilon: 17.92, delta: 1e-10}", "zcdp-bs", "17.915", "17.916", 1, 1, derive.NearestUp},
		{"Israel's births", guarantees(2, "4.99", "0"), "{epsilon: 9.98, delta: 0}", "basic", "9.98", "9.98", 1, 1, derive.NotRounded},
		{"basic composition beyond its δ", guarantees(2, "1", "1e-5"), "{epsilon: 2, delta: 1e-5}", "basic", "inf", "inf", -1, -1, ""},
		// √(2·100·log(10⁶)·0.01) + 100·0.1·(e^0.1 − 1) = 5.2565 + 1.0517
		{"advanced composition", guarantees(100, "0.1", "0"), "{epsilon: 6.309, delta: 1e-6}", "advanced", "6.308", "6.3085", 1, 1, derive.Upwards},
		{"optimal composition", guarantees(100, "0.1", "1e-8"), "{epsilon: 6.9697, delta: 1e-6}", "kov-optimal", "6.96961878", "6.96961879", 1, 1, derive.Upwards},
		// The theorem's own grid: (100 − 2i)/10 and (50 − 2i)/10.
		{"the optimal composition theorem", guarantees(100, "0.1", "1e-8"), "{epsilon: 7, delta: 1e-6}", "kov", "7", "7", 1, 1, derive.NotRounded},
		{"the same of Chourasia et al., Figure 2", guarantees(50, "0.1", "1e-8"), "{epsilon: 3.4, delta: 1e-6}", "kov", "3.4", "3.4", 1, 1, derive.NotRounded},
		{"adaptive composition", guarantees(2, "1", "0.1"), "{epsilon: 2, delta: 0.19}", "adaptive", "2", "2", 1, 1, derive.NotRounded},
		{"pure noise in basic composition", "{class_name: SelfComposedDpEvent, count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 4}}", "{epsilon: 3/4, delta: 0}", "basic", "0.75", "0.75", 1, 1, derive.NotRounded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := derived(t, test.event, test.claim, test.derivation, "")
			if d.NotModelled != "" {
				t.Fatal(d.NotModelled)
			}
			if test.lo == "inf" {
				if !d.Epsilon.Lo().IsInf() {
					t.Errorf("ε = %s", d.Epsilon)
				}
			} else if lo, hi := mustParse(t, test.lo), mustParse(t, test.hi); d.Epsilon.LessEqRat(hi) != interval.True || d.Epsilon.LessRat(lo) != interval.False {
				t.Errorf("ε = %s, want in [%s, %s]", d.Epsilon, test.lo, test.hi)
			}
			if d.Implies != test.implies || d.Reproduces != test.reproduces || d.Rounding != test.rounding {
				t.Errorf("implies %v, reproduces %v (%s); want %v, %v (%s)", d.Implies, d.Reproduces, d.Rounding, test.implies, test.reproduces, test.rounding)
			}
		})
	}
}

func mustParse(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, err := number.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUnroundedRhoIsNamed: a published ρ was rounded, and the ε belongs to the ρ before.
func TestUnroundedRhoIsNamed(t *testing.T) {
	d := derived(t, "{class_name: ZCDpEvent, rho: 2.56}", "{epsilon: 17.14, delta: 1e-10}", "zcdp-cks", "")
	if d.Note != "ρ = 2.5553, which rounds to 2.56, gives 17.14" {
		t.Errorf("note %q", d.Note)
	}
	for _, eps := range []string{"17.16", "16", "18"} { // reproduced, or out of reach
		if d := derived(t, "{class_name: ZCDpEvent, rho: 2.56}", "{epsilon: "+eps+", delta: 1e-10}", "zcdp-cks", ""); d.Note != "" {
			t.Errorf("ε = %s: note %q", eps, d.Note)
		}
	}
}

// TestOrdersOfADerivation: more orders never give more; all real ones give the least.
func TestOrdersOfADerivation(t *testing.T) {
	testkit.SkipShort(t)
	event := sampledGaussian(50, "0.05", "2")
	if testkit.Long() {
		event = sampledGaussian(1000, "0.01", "2")
	}
	few := derived(t, event, "{epsilon: 1, delta: 1e-5}", "rdp-mironov", ", orders: [2, 64]").Epsilon
	some := derived(t, event, "{epsilon: 1, delta: 1e-5}", "rdp-mironov", "").Epsilon
	all := derived(t, event, "{epsilon: 1, delta: 1e-5}", "rdp-mironov", ", orders: real").Epsilon
	if some.Less(few.Interval) != interval.True || all.Less(some.Interval) != interval.True {
		t.Errorf("orders 2 and 64 give %s, the default ones %s, all %s", few, some, all)
	}
	// A curve is converted at its own orders.
	curve := "{class_name: RenyiCurveEvent, orders: [2, 5], values: [0.1, 0.3]}"
	d := derived(t, curve, "{epsilon: 3.18, delta: 1e-5}", "rdp-mironov", "")
	if d.Reproduces != interval.True || !strings.Contains(d.Note, "order is 5") {
		t.Errorf("%s, %s", d.Epsilon, d.Note) // 0.3 + log(10⁵)/4 = 3.178…
	}
}

// TestOrdersOfASampledGuarantee: integer orders by the finite sum, no optimum over all.
func TestOrdersOfASampledGuarantee(t *testing.T) {
	const event = "{class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: ZCDpEvent, rho: 0.125}}"
	const claim = "{epsilon: 1, delta: 1e-5}"
	d := derived(t, event, claim, "rdp-cks", "")
	gauss := derived(t, strings.Replace(event, "ZCDpEvent, rho: 0.125", "GaussianDpEvent, noise_multiplier: 2", 1), claim, "rdp-cks", "")
	if d.Epsilon == nil || d.Epsilon.Less(gauss.Epsilon.Interval) == interval.True || !d.Epsilon.IsFinite() {
		t.Errorf("%v, Gaussian noise has %v", d.Epsilon, gauss.Epsilon)
	}
	if d := derived(t, event, claim, "rdp-cks", ", orders: real"); !strings.Contains(d.NotModelled, "sampled guarantee") {
		t.Errorf("over real orders: %q", d.NotModelled)
	}
	// Two subsets under REPLACE_ONE: each factor dominates both of its orientations.
	const twice = "{class_name: SelfComposedDpEvent, count: 2, event: {class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 10, sample_size: 1, event: {class_name: ZCDpEvent, rho: 0.125}}}"
	if d := derived(t, twice, claim, "rdp-cks", ", relation: REPLACE_ONE, orders: real"); !strings.Contains(d.NotModelled, "sampled guarantee") {
		t.Errorf("two subsets over real orders: %q, %v", d.NotModelled, d.Epsilon)
	}
}

// TestDerivationsOfIntervals: the derived value is for all parameters.
func TestDerivationsOfIntervals(t *testing.T) {
	d := derived(t, `{class_name: ZCDpEvent, rho: {lo: "2.555", hi: "2.565"}}`, "{epsilon: 17.14, delta: 1e-10}", "zcdp-cks", "")
	if !d.Epsilon.ContainsRat(mustParse(t, "17.14")) || d.Implies != interval.Unknown || d.Reproduces != interval.Unknown {
		t.Errorf("%s, implies %v, reproduces %v", d.Epsilon, d.Implies, d.Reproduces)
	}
}

// TestWhatIsNotModelled is reported, with the reason.
func TestWhatIsNotModelled(t *testing.T) {
	for _, test := range []struct{ event, claim, derivation, want string }{
		{guarantees(1, "1", "0"), "{epsilon: 1, delta: 0}", "by-hand", "this version does not know the derivation"},
		{guarantees(1, "1", "0"), "{rho: 1}", "basic", "only claims {epsilon, delta}"},
		{guarantees(1, "1", "1e-5"), "{epsilon: 1, delta: 1e-5}", "zcdp-bs", "no zCDP parameters are known for Response"},
		{guarantees(1, "1", "0"), "{epsilon: 1, delta: 1e-5}", "gdp-clt", "the central limit theorem is about"},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 1, delta: 1e-5}", "gdp-clt", "and there is none"},
		{"{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 1, delta: 1e-5}", "kov", "Gaussian noise is not stated as (ε, δ)-DP"},
		{"'poisson(0.01, gaussian(1))'", "{epsilon: 1, delta: 1e-5}", "kov", "a Poisson sample of rate 1/100 is not stated as (ε, δ)-DP"},
	} {
		d := derived(t, test.event, test.claim, test.derivation, "")
		if !strings.Contains(d.NotModelled, test.want) || d.Epsilon != nil {
			t.Errorf("%s: %q, want %q", test.derivation, d.NotModelled, test.want)
		}
	}
}

// TestADerivationNeverChangesTheVerdict: neither a false one nor one that takes too long.
func TestADerivationNeverChangesTheVerdict(t *testing.T) {
	const text = "version: 1\nclaims:\n  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 4.9, delta: 1e-5}, derivation: rdp-mironov}\n"
	c := parse(t, text)[0]
	out, err := Decide(t.Context(), c, Options{Budget: time.Minute})
	if err != nil || out.Verdict != Verified || out.Derivation.Implies != interval.False {
		t.Errorf("%s, %+v, %v", out.Verdict, out.Derivation, err)
	}
	out = &Outcome{Claim: c}
	if err := (decision{Outcome: out, o: Options{Budget: 1}}).deriveWithin(t.Context()); err != nil || out.Derivation.NotModelled != "the value was not reached in time" {
		t.Errorf("%+v, %v", out.Derivation, err)
	}
}

// TestCentralLimitOfLittleNoise: ε beyond all powers of e that a computer has. The values are
// from mpmath at 60 digits, as the root b of 1 − Φ(b) − φ(b)·R(µ + b) = δ, ε = µ(µ/2 + b).
func TestCentralLimitOfLittleNoise(t *testing.T) {
	for _, test := range []struct {
		noise, least string
		implies      interval.Truth // of ε ≤ 2e19
	}{
		{"0.1", "1.34405857090806772421330526831e42", interval.False},
		{"0.15", "1002182882048084154.91484461624", interval.True},
		{"0.2", "3600606866.11585382505021465982", interval.True},
		{"0.3", "3693.3604896108849346896186531", interval.True},
	} {
		d := derived(t, sampledGaussian(1000, "0.01", test.noise), "{epsilon: 2e19, delta: 1e-5}", "gdp-clt", "")
		lo, hi := d.Epsilon.Decimal(len(test.least) + 8)
		want := mustParse(t, test.least)
		ulp := new(big.Rat).Mul(want, mustParse(t, "1e-28"))
		if d.Epsilon.LessRat(new(big.Rat).Sub(want, ulp)) == interval.True || d.Epsilon.LessEqRat(new(big.Rat).Add(want, ulp)) == interval.False || d.Epsilon.RelativeBits(128) < 50 || d.Implies != test.implies {
			t.Errorf("σ = %s: ε in [%s, %s], implies %v; want %s, %v", test.noise, lo, hi, d.Implies, test.least, test.implies)
		}
	}
}

// TestDerivationsWithoutDelta: log(1/0) is ∞, and so is every ε that rests on it.
func TestDerivationsWithoutDelta(t *testing.T) {
	for _, name := range []string{"rdp-mironov", "rdp-cks", "moments-accountant", "zcdp-bs", "zcdp-cks"} {
		for _, orders := range []string{"", ", orders: real", ", orders: [2, 3]"} {
			d := derived(t, "{class_name: GaussianDpEvent, noise_multiplier: 1}", "{epsilon: 1, delta: 0}", name, orders)
			if lo, hi := d.Epsilon.Decimal(20); lo != "inf" || hi != "inf" || d.Implies != interval.False {
				t.Errorf("%s%s: ε in [%s, %s], implies %v", name, orders, lo, hi, d.Implies)
			}
		}
	}
}

// TestDerivationsOfNegativeEpsilon: where the claim is below 0, what is derived is compared as it is.
func TestDerivationsOfNegativeEpsilon(t *testing.T) {
	const laplace = "event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {epsilon: %s, delta: 0.9}, derivation: %s"
	type question struct {
		epsilon string
		implies interval.Truth
		verdict Verdict
	}
	for i, name := range []string{"exact", "pld", "prv"} {
		for _, test := range testkit.InTurn(i, []question{ // least ε = 1 + 2·log(1 − 0.9) at δ ≤ 1/2, and beyond by the reversed pair: −2.3026
			{"-0.5", interval.True, Verified},
			{"-2.30", interval.True, Verified},
			{"-2.31", interval.False, Refuted},
			{"0", interval.True, Verified},
		}) {
			o := decide(t, fmt.Sprintf(laplace, test.epsilon, name), Options{})
			if o.Verdict != test.verdict || o.Derivation.Implies != test.implies {
				t.Errorf("%s, ε = %s: %s, implies %v; want %s, %v", name, test.epsilon, o.Verdict, o.Derivation.Implies, test.verdict, test.implies)
			}
		}
	}
	// Of two permute-and-flip with ε = 0.1 at δ = 0.4, the least is log 0.6 = −0.5108, and verify compare has the
	// others.
	const flips = "event: {class_name: SelfComposedDpEvent, count: 2, event: {class_name: PermuteAndFlipDpEvent, epsilon: 0.1}}, claim: {epsilon: %s, delta: 0.4}, derivation: %s"
	derivations := map[string]float64{"kov-optimal": -0.510825, "rdp-cks": -0.486781, "zcdp-cks": -0.486091, "rdp-mironov": 0.178, "basic": 0.2, "zcdp-bs": 0.2}
	for i, name := range slices.Sorted(maps.Keys(derivations)) {
		derived := derivations[name]
		for _, claimed := range testkit.InTurn(i, []float64{-0.4, -0.48678, -0.5, 0}) {
			want := interval.False
			if derived <= claimed {
				want = interval.True
			}
			o := decide(t, fmt.Sprintf(flips, fmt.Sprint(claimed), name), Options{})
			if o.Verdict != Verified || o.Derivation.Implies != want {
				t.Errorf("%s, ε = %v: %s, implies %v; want %v", name, claimed, o.Verdict, o.Derivation.Implies, want)
			}
		}
	}
}

// TestExactEndsOfIntervals: both ends are exact, and the claim is the less private one.
func TestExactEndsOfIntervals(t *testing.T) {
	const claim = "event: {class_name: EpsilonDeltaDpEvent, epsilon: {lo: 0.1, hi: 0.2}, delta: {lo: 0, hi: 1e-6}}, claim: {epsilon: 0.2, delta: 1e-6}, derivation: basic"
	c := parse(t, "version: 1\nclaims: [{id: x, "+claim+"}]")[0]
	o, err := Truth(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newClaimReport(o)
	if o.Verdict != Verified || *r.Delta != (Bounds{Lo: "0", Hi: "1e-6"}) || *r.Epsilon != (Bounds{Lo: "0.0999", Hi: "0.2"}) {
		t.Errorf("%s, δ in %v, ε in %v", o.Verdict, *r.Delta, *r.Epsilon)
	}
	if d := r.Derivation; *d.Lo != "0.1" || *d.Hi != "0.2" || d.Implies == nil || !*d.Implies {
		t.Errorf("derived [%s, %s], implies %v", *d.Lo, *d.Hi, d.Implies)
	}
}

// TestVerifiedEndsAreWithinTheClaim: what is printed does not contradict the verdict.
func TestVerifiedEndsAreWithinTheClaim(t *testing.T) {
	for _, claim := range []string{
		gauss1 + ", claim: {epsilon: 0.1, delta: 0.35}",
		gauss1 + ", claim: {epsilon: 0.1, delta: 0.34}",
		gauss1 + ", claim: {epsilon: 1000, delta: 0}",
		"event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 3}}, claim: {epsilon: 4.3772, delta: 1e-5}",
		"event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.9, hi: 1}}, claim: {epsilon: 4.3, delta: 1e-5}",
		"event: {class_name: ZCDpEvent, rho: 0.5}, claim: {epsilon: 10.1, delta: 1e-3}",
		"event: {class_name: LaplaceDpEvent, noise_multiplier: {lo: 3, hi: 7}}, claim: {epsilon: 1/3, delta: 0}",
	} {
		o := decide(t, claim, Options{})
		s := o.Claim.Statement.(Point)
		delta, eps := NewBounds(o.Delta, s.Delta), NewBounds(o.LeastEpsilon(), s.Epsilon)
		switch o.Verdict {
		case Verified: // the least ε may be 1/3 itself, which no decimal is
			if decimal.Compare(delta.Hi, s.Delta) > 0 || decimal.Compare(eps.Hi, s.Epsilon) > 0 && s.Epsilon.Cmp(big.NewRat(1, 3)) != 0 {
				t.Errorf("%s: verified, δ in %v, ε in %v", claim, delta, eps)
			}
		case Refuted:
			if decimal.Compare(delta.Lo, s.Delta) <= 0 || decimal.Compare(eps.Lo, s.Epsilon) < 0 {
				t.Errorf("%s: refuted, δ in %v, ε in %v", claim, delta, eps)
			}
		default:
			t.Errorf("%s: %s", claim, o.Verdict)
		}
		if len(delta.Lo) > 100 {
			t.Errorf("%s: %d characters", claim, len(delta.Lo))
		}
	}
}

// TestBestOrderOfIntervals: of both corners.
func TestBestOrderOfIntervals(t *testing.T) {
	d := derived(t, "{class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 10}}", "{epsilon: 5, delta: 1e-5}", "rdp-mironov", "")
	if want := "the best order is 49 at the more private end, the best order is 5.8 at the other"; d.Note != want {
		t.Errorf("note %q, want %q", d.Note, want)
	}
	d = derived(t, "{class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 1.0001}}", "{epsilon: 5, delta: 1e-5}", "rdp-mironov", "")
	if want := "the best order is 5.8"; d.Note != want {
		t.Errorf("note %q, want %q", d.Note, want)
	}
}

// TestOrdersThatACurveDoesNotState: between two orders the next one counts, and beyond the last
// the curve says nothing.
func TestOrdersThatACurveDoesNotState(t *testing.T) {
	const curve = "{class_name: RenyiCurveEvent, orders: [2, 4, 8], values: [.5, .2, .9]}"
	for _, test := range []struct {
		event, orders, lo, hi string
		name                  string
	}{
		{curve, "[3, 16]", "5.9564", "5.9565", "rdp-mironov"}, // 0.2 + log(10⁵)/2 = 5.9565
		{curve, "[16]", "inf", "inf", "rdp-mironov"},
		{curve, "[2, 3, 100]", "5.9564", "5.9565", "rdp-mironov"},
		{curve, "[8]", "2.5447", "2.5448", "moments-accountant"}, // at its own orders: 0.9 + log(10⁵)/7
		{"{class_name: ComposedDpEvent, events: [" + curve + ", {class_name: RenyiCurveEvent, orders: [3], values: [0.1]}]}", "[3, 8]", "6.0564", "6.0565", "rdp-mironov"},
	} {
		d := derived(t, test.event, "{epsilon: 1, delta: 1e-5}", test.name, ", orders: "+test.orders)
		if test.lo == "inf" {
			if lo, _ := d.Epsilon.Decimal(5); lo != "inf" || d.Implies != interval.False {
				t.Errorf("orders %s: at least %s, implies %v", test.orders, lo, d.Implies)
			}
			continue
		}
		if d.Epsilon.LessRat(mustParse(t, test.lo)) != interval.False || d.Epsilon.LessEqRat(mustParse(t, test.hi)) != interval.True || d.Implies != interval.False {
			t.Errorf("%s, orders %s: %s, implies %v; want in [%s, %s]", test.name, test.orders, d.Epsilon, d.Implies, test.lo, test.hi)
		}
	}
}

// TestBestOrderAtInfinity: pure noise has its least ε there, R_∞, which is rational.
func TestBestOrderAtInfinity(t *testing.T) {
	for _, name := range []string{"rdp-mironov", "rdp-cks"} {
		d := derived(t, "{class_name: SelfComposedDpEvent, count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 5}}", "{epsilon: 0.61, delta: 1e-20}", name, ", orders: real")
		if !d.Epsilon.ContainsRat(mustParse(t, "0.6")) || d.Epsilon.LessEqRat(mustParse(t, "0.6000000000001")) != interval.True || d.Epsilon.LessRat(mustParse(t, "0.59999999")) != interval.False {
			lo, hi := d.Epsilon.Decimal(20)
			t.Errorf("%s: ε in [%s, %s]", name, lo, hi)
		}
		if d.Note != "the larger the order, the less is derived" {
			t.Errorf("%s: note %q", name, d.Note)
		}
	}
}
