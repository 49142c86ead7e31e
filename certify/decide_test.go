// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// decide answers the only claim of a file that consists of one in flow style.
func decide(t *testing.T, claim string, o Options) *Outcome {
	t.Helper()
	cs := parse(t, "version: 1\nclaims: [{id: x, "+claim+"}]")
	out, err := Decide(t.Context(), cs[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const gauss1 = "event: {class_name: GaussianDpEvent, noise_multiplier: 1}"

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name, claim string
		want        Verdict
		reason      string
	}{
		{"true", gauss1 + ", claim: {epsilon: 1, delta: 0.126936737506644}", Verified, ""},
		{"false", gauss1 + ", claim: {epsilon: 1, delta: 0.126936737506643}", Refuted, ""},
		{"false by little", gauss1 + ", claim: {epsilon: 1, delta: 0.12693673750664394580}", Refuted, ""},
		{"everything", gauss1 + ", claim: {epsilon: 0, delta: 1}", Verified, ""},
		{"nothing", gauss1 + ", claim: {epsilon: 1000, delta: 0}", Refuted, ""},
		{"negative epsilon", gauss1 + ", claim: {epsilon: -1, delta: 0.67}", Refuted, ""},
		{"equality, rational", "event: {class_name: FinitePairEvent, p: [1/3, 2/3], q: [2/3, 1/3]}, claim: {epsilon: 0, delta: 1/3}", Verified, ""},
		{"equality, pure", "event: {class_name: LaplaceDpEvent, noise_multiplier: 2}, claim: {epsilon: 0.5, delta: 0}", Verified, ""},
		{"direction", "event: {class_name: FinitePairEvent, p: [0, 1], q: [1/2, 1/2]}, direction: add, claim: {epsilon: 5, delta: 1/2}", Verified, ""},
		{"other direction", "event: {class_name: FinitePairEvent, p: [0, 1], q: [1/2, 1/2]}, direction: remove, claim: {epsilon: 0.7, delta: 0}", Verified, ""},
		{"replace", gauss1 + ", relation: REPLACE_ONE, claim: {epsilon: 4.7285, delta: 1e-5}", Refuted, ""},
		{"interval, all true", "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.995, hi: 1.005}}, claim: {epsilon: 1, delta: 0.13}", Verified, ""},
		{"interval, all false", "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.995, hi: 1.005}}, claim: {epsilon: 1, delta: 0.12}", Refuted, ""},
		{"interval, split", "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.995, hi: 1.005}}, claim: {epsilon: 1, delta: 0.127}", Undecided,
			"the claim is true for some of the events that its rounded numbers stand for, and false for others"},
		{"rho", gauss1 + ", claim: {rho: 0.5}", Verified, ""},
		{"pld", gauss1 + ", claim: {pld: a.pb}", Malformed, ""},
		{"rho of nonsense", "event: {class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 9, sample_size: 9, " + gauss1 + "}, claim: {rho: 0.5}", Malformed, ""},
		{"relation", "event: {class_name: RandomizedResponseDpEvent, noise_parameter: 0.5, num_buckets: 2}, claim: {epsilon: 1, delta: 0}", Malformed, ""},
		{"gap", "event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.9, event: {class_name: ZCDpEvent, rho: 0.5}}, claim: {epsilon: 1, delta: 0.13}", Undecided, "no method of this version bounds the event tightly from both sides"},
		{"gap, true", "event: {class_name: ZCDpEvent, rho: 0.5}, claim: {epsilon: 10, delta: 1e-3}", Verified, ""},
		{"gap, false", "event: {class_name: ZCDpEvent, rho: 0.5}, claim: {epsilon: 1, delta: 0.1}", Refuted, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := decide(t, test.claim, Options{})
			if o.Verdict != test.want || o.Reason != test.reason {
				t.Errorf("%s %q (%v), want %s %q", o.Verdict, o.Reason, o.Err, test.want, test.reason)
			}
			if (o.Err != nil) != (o.Verdict == Malformed) {
				t.Errorf("%s with error %v", o.Verdict, o.Err)
			}
			if o.Delta != nil && o.Epsilon == nil {
				t.Error("δ without ε")
			}
		})
	}
}

func TestMalformedByTheEngineNamesThePlace(t *testing.T) {
	o := decide(t, gauss1+", relation: REPLACE_ONE, direction: add, claim: {epsilon: 1, delta: 1}", Options{})
	if o.Verdict != Verified {
		t.Errorf("a self-dual event under REPLACE_ONE has directions: %v", o.Err)
	}
	o = decide(t, "event: {class_name: RandomizedResponseDpEvent, noise_parameter: 0.5, num_buckets: 2}, claim: {epsilon: 1, delta: 0}", Options{})
	want := "c.yaml:2: claim x: mechanism: RandomizedResponseDpEvent: "
	if o.Err == nil || !strings.HasPrefix(o.Err.Error(), want) || !strings.Contains(o.Err.Error(), "ADD_OR_REMOVE_ONE") {
		t.Errorf("got %v, want %s…", o.Err, want)
	}
}

// The enclosures of an interval parameter contain the enclosures of both ends.
func TestIntervalEncloses(t *testing.T) {
	whole := decide(t, "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.9, hi: 1.1}}, claim: {epsilon: 1, delta: 0.127}", Options{})
	for _, sigma := range []string{"0.9", "1", "1.1"} {
		one := decide(t, "event: {class_name: GaussianDpEvent, noise_multiplier: "+sigma+"}, claim: {epsilon: 1, delta: 0.127}", Options{})
		if _, ok := interval.Intersect(whole.Delta.Interval, one.Delta.Interval); !ok {
			t.Errorf("σ = %s: δ %v is not in %v", sigma, one.Delta, whole.Delta)
		}
		if _, ok := interval.Intersect(whole.Epsilon.Interval, one.Epsilon.Interval); !ok {
			t.Errorf("σ = %s: ε %v is not in %v", sigma, one.Epsilon, whole.Epsilon)
		}
	}
}

func TestVerdictDependsOnTheRungOnly(t *testing.T) {
	// 64 bits do not separate δ from a number that agrees with it in 25 digits.
	const claim = gauss1 + ", claim: {epsilon: 1, delta: 0.1269367375066439458008256}"
	climbed := decide(t, claim, Options{})
	if climbed.Verdict == Undecided || climbed.Effort == 0 {
		t.Fatalf("%s at effort %d", climbed.Verdict, climbed.Effort)
	}
	for e := range climbed.Effort + 2 {
		fixed := decide(t, claim, Options{Fixed: &e})
		want := Undecided
		if e >= climbed.Effort {
			want = climbed.Verdict
		}
		if fixed.Verdict != want || fixed.Effort != e {
			t.Errorf("effort %d: %s at %d, want %s", e, fixed.Verdict, fixed.Effort, want)
		}
		if wantReason := fmt.Sprintf("the enclosure of δ at effort %d contains the claimed value", e); want == Undecided && fixed.Reason != wantReason {
			t.Errorf("reason %q, want %q", fixed.Reason, wantReason)
		}
	}
}

func TestBudget(t *testing.T) {
	// The first answer does not tell these apart.
	o := decide(t, gauss1+", claim: {epsilon: 1, delta: 0.1269367375066439458008256}", Options{Budget: 1})
	if o.Verdict != Undecided || o.Reason != "the budget ended" {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	if o.Delta == nil || o.Epsilon == nil {
		t.Error("there is no first answer")
	}
	o = decide(t, gauss1+", claim: {epsilon: 1, delta: 0.2}", Options{Budget: 1})
	if o.Verdict != Verified || o.Repeatable() {
		t.Errorf("%s by a first answer, repeatable: %v", o.Verdict, o.Repeatable())
	}
	o = decide(t, gauss1+", claim: {epsilon: 1, delta: 0.2}", Options{Budget: time.Hour})
	if o.Verdict != Verified {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
}

// A verdict that was reached stands although the budget ends before ε is found.
func TestBudgetKeepsTheVerdict(t *testing.T) {
	c := parse(t, gaussClaim)[0]
	out := decision{Outcome: &Outcome{Claim: c, Verdict: Undecided}, ctx: t.Context()}
	d := exact.Enclosure{Interval: interval.Int(0)}
	out.take(rung{effort: 3, verdict: Verified, delta: &d})
	got, err := out.finish(fmt.Errorf("late: %w", context.DeadlineExceeded))
	if err != nil || got.Verdict != Verified || got.Reason != "" || got.Effort != 3 || got.Epsilon != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDecideReturnsTheErrorOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := Decide(ctx, parse(t, gaussClaim)[0], Options{Budget: time.Hour})
	if !errors.Is(err, context.Canceled) || out == nil || out.Verdict != Undecided || out.Reason != "interrupted" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestGuaranteesAreNoted(t *testing.T) {
	const guarantee = "{class_name: EpsilonDeltaDpEvent, epsilon: 2, delta: 0}"
	for _, test := range []struct {
		event string
		want  bool
	}{
		{guarantee, true},
		{"{class_name: SelfComposedDpEvent, count: 2, event: " + guarantee + "}", true},
		{"{class_name: PoissonSampledDpEvent, sampling_probability: 0.5, event: " + guarantee + "}", true},
		{"{class_name: LaplaceDpEvent, noise_multiplier: 0.5}", false},
	} {
		o := decide(t, "event: "+test.event+", claim: {epsilon: 0.1, delta: 0}", Options{})
		if got := o.Verdict == Refuted && len(o.Notes) == 1 && o.Notes[0] == guaranteeNote; got != test.want || o.Verdict != Refuted {
			t.Errorf("%s: %s, notes %q", test.event, o.Verdict, o.Notes)
		}
	}
	if o := decide(t, "event: {class_name: SelfComposedDpEvent, count: 2, event: "+guarantee+"}, claim: {epsilon: 4, delta: 0}", Options{}); len(o.Notes) != 0 {
		t.Errorf("a verified guarantee has the notes %q", o.Notes)
	}
}

// A verdict bounds the least ε.
func TestVerdictsBoundEpsilon(t *testing.T) {
	x := exact.Enclosure{Interval: interval.Union(interval.Int(1), interval.Int(3))}
	for _, test := range []struct {
		verdict Verdict
		claimed int64
		lo, hi  string
	}{
		{Verified, 2, "1", "2"},
		{Verified, 4, "1", "3"},
		{Verified, 1, "1", "1"},
		{Refuted, 2, "2", "3"},
		{Refuted, 0, "1", "3"},
		{Undecided, 2, "1", "3"},
		{Verified, 0, "", ""},
		{Refuted, 4, "", ""},
	} {
		y := boundEpsilon(x, test.verdict, big.NewRat(test.claimed, 1), 0)
		if y == nil {
			if test.lo != "" {
				t.Errorf("%s at %d: nothing is left", test.verdict, test.claimed)
			}
			continue
		}
		if lo, hi := y.Decimal(5); lo != test.lo || hi != test.hi {
			t.Errorf("%s at %d: [%s, %s], want [%s, %s]", test.verdict, test.claimed, lo, hi, test.lo, test.hi)
		}
	}
}

func TestContradictionsCanBeReproduced(t *testing.T) {
	c := parse(t, gaussClaim)[0]
	d := exact.Enclosure{Interval: interval.Int(0)}
	_, less := c.questions()
	err := (pointQuestion{Point: c.Statement.(Point), less: less}).contradiction(rung{effort: 2, delta: &d}, exact.Enclosure{Interval: interval.Int(7)})
	want := `verify epsilon --effort 2 --relation ADD_OR_REMOVE_ONE --direction both --delta 0.2 '{"class_name":"GaussianDpEvent","noise_multiplier":"1"}'`
	var e *exact.InconsistencyError
	if !errors.As(err, &e) || e.Reproduce != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestAsExpected(t *testing.T) {
	for _, test := range []struct {
		expect, verdict Verdict
		want            bool
	}{
		{"", Verified, true},
		{"", Refuted, false},
		{"", Undecided, false},
		{"", Malformed, false},
		{Refuted, Refuted, true},
		{Refuted, Verified, false},
		{Undecided, Undecided, true},
		{Undecided, Verified, false},
		{Malformed, Malformed, true},
	} {
		o := Outcome{Claim: &Claim{Expect: test.expect}, Verdict: test.verdict}
		if got := o.AsExpected(); got != test.want {
			t.Errorf("%s where %q is expected: %v", test.verdict, test.expect, got)
		}
	}
}

func TestLeastEpsilonIsNotNegative(t *testing.T) {
	o := decide(t, gauss1+", claim: {epsilon: 0, delta: 0.9}", Options{})
	if o.Epsilon.Negative() != interval.True {
		t.Fatalf("ε(0.9) = %v", o.Epsilon)
	}
	if lo, hi := o.LeastEpsilon().Decimal(10); lo != "0" || hi != "0" {
		t.Errorf("least ε in [%s, %s]", lo, hi)
	}
}

func TestSlack(t *testing.T) {
	const laplace = "event: {class_name: LaplaceDpEvent, noise_multiplier: 2}"
	tests := []struct {
		name, claim, lo, hi string
		ok                  bool
	}{
		{"overstated", laplace + ", claim: {epsilon: 0.75, delta: 0}", "0.25", "0.25", true},
		{"understated", laplace + ", claim: {epsilon: 0.25, delta: 0}", "0.25", "0.25", true},
		{"tight", laplace + ", claim: {epsilon: 0.5, delta: 0}", "0", "0", true},
		{"never enough", gauss1 + ", claim: {epsilon: 9, delta: 0}", "inf", "inf", true},
		{"least is negative", gauss1 + ", claim: {epsilon: 0.25, delta: 0.9}", "0.25", "0.25", true},
		{"negative claim", gauss1 + ", claim: {epsilon: -1, delta: 0.9}", "", "", false},
		{"undecided", "event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.9, event: {class_name: ZCDpEvent, rho: 0.5}}, claim: {epsilon: 1, delta: 0.13}", "", "", false},
		{"malformed", "claim: {epsilon: 1, delta: 0}", "", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := decide(t, test.claim, Options{})
			d, ok := o.Slack()
			if ok != test.ok {
				t.Fatalf("%s has slack: %v", o.Verdict, ok)
			}
			if !ok {
				return
			}
			if lo, hi := d.Decimal(12); lo != test.lo || hi != test.hi {
				t.Errorf("[%s, %s], want [%s, %s]", lo, hi, test.lo, test.hi)
			}
		})
	}
}

func TestCornersAreOrdered(t *testing.T) {
	c := parse(t, strings.Replace(gaussClaim, "noise_multiplier: 1", "noise_multiplier: {lo: 1, hi: 2}", 1))[0]
	more, less := c.MorePrivate.(mechanism.Gaussian), c.LessPrivate.(mechanism.Gaussian)
	if more.NoiseMultiplier.Cmp(less.NoiseMultiplier) <= 0 {
		t.Errorf("σ = %v is called more private than %v", more.NoiseMultiplier, less.NoiseMultiplier)
	}
}

// TestDecidedByLeastEpsilon: a sampled Laplace mechanism is log(1 + (e − 1)/10)-DP and no
// better, five of them five times that. Below, δ is positive, but closer to 0 than its
// enclosure tells.
func TestDecidedByLeastEpsilon(t *testing.T) {
	step := mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 10), Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}
	event := mechanism.SelfComposed{Event: step, Count: 5}
	for eps, want := range map[string]Verdict{"0.7928253937": Refuted, "0.7928253938": Verified} {
		e, err := number.Parse(eps)
		if err != nil {
			t.Fatal(err)
		}
		c := &Claim{ID: "a", MorePrivate: event, LessPrivate: event,
			Statement: Point{Epsilon: e, Delta: new(big.Rat), Written: [2]string{eps, "0"}}}
		fixed := exact.Effort(0)
		o, err := Decide(t.Context(), c, Options{Fixed: &fixed})
		if err != nil || o.Verdict != want {
			t.Errorf("ε = %s at δ = 0: %s, %v, want %s", eps, o.Verdict, err, want)
			continue
		}
	}
}
