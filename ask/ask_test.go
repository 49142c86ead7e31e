// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"

	"dpverify/mechanism"
)

// Every answer has the accuracy that was asked for, with the digits it is printed
// with.
func TestClimbReachesTheGoal(t *testing.T) {
	event, err := mechanism.DecodeEvent([]byte(`{"class_name":"GaussianDpEvent","noise_multiplier":"1.5"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, digits := range []int{1, 5, 18, 19, 20, 40, 100, 300} {
		qs := []Quantity{Delta(big.NewRat(1, 3)), Delta(big.NewRat(-2, 1)), Delta(big.NewRat(50, 1))}
		if digits <= 40 {
			qs = append(qs, Epsilon(big.NewRat(1, 100000)))
		}
		answers, err := For(t.Context(), exact.Question{Event: event}, Goal{Digits: digits, Budget: time.Minute}, qs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if !a.Complete() || !a.Found {
				t.Errorf("%d digits, answer %d: effort %d, %q", digits, i, a.Effort, a.Lacking)
			}
		}
	}
}

// TestRungsWithoutEnoughBits: efforts whose bits are too few for the digits are passed over, but for the first one.
func TestRungsWithoutEnoughBits(t *testing.T) {
	sampled := `{"class_name":"SelfComposedDpEvent","count":1000,"event":{"class_name":"PoissonSampledDpEvent",` +
		`"sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}}`
	for _, c := range []struct {
		event  string
		digits int
		want   []exact.Effort
	}{
		{`{"class_name":"GaussianDpEvent","noise_multiplier":"1.5"}`, 300, []exact.Effort{0, 4}},
		{sampled, 50, []exact.Effort{0, 2}},
		{sampled, 10, []exact.Effort{0}},
	} {
		event, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			t.Fatal(err)
		}
		var efforts []exact.Effort
		goal := Goal{Digits: c.digits, Progress: func(e exact.Effort, _ int) {
			if n := len(efforts); n == 0 || efforts[n-1] != e {
				efforts = append(efforts, e)
			}
		}}
		answers, err := For(t.Context(), exact.Question{Event: event}, goal, Epsilon(big.NewRat(1, 100000)))
		if err != nil || !answers[0].Complete() || !slices.Equal(efforts, c.want) {
			t.Errorf("%d digits of %s: efforts %v, want %v; %v, %v", c.digits, c.event, efforts, c.want, answers[0].Lacking, err)
		}
	}
}

// TestCompleteAnswersHaveTheirDigits: an answer that is complete is printed with as many digits as were asked for, also
// where the quantity is a rational that is known itself, and the enclosures of methods are wider.
func TestCompleteAnswersHaveTheirDigits(t *testing.T) {
	composed := func(count int, event string) string {
		return fmt.Sprintf(`{"class_name":"SelfComposedDpEvent","count":%d,"event":{%s}}`, count, event)
	}
	for _, text := range testkit.Few(3, []string{
		composed(200, `"class_name":"EpsilonDeltaDpEvent","epsilon":"0.5","delta":"1e-6"`),
		composed(30, `"class_name":"EpsilonDeltaDpEvent","epsilon":"0","delta":"0.001"`),
		composed(testkit.Cases(8, 50), `"class_name":"FinitePairEvent","p":["1/3","1/3","1/3"],"q":["1/7","2/7","4/7"]`),
		composed(testkit.Cases(2, 3), `"class_name":"LaplaceDpEvent","noise_multiplier":"3"`),
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":"1/3","num_buckets":7}`,
	}) {
		event, err := mechanism.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		qs := []Quantity{Delta(big.NewRat(1000, 1)), Delta(big.NewRat(1, 3)), TotalVariation(), TradeOff(big.NewRat(1, 7)), Epsilon(big.NewRat(1, 1000))}
		for _, digits := range []int{3, 28} {
			answers, err := For(t.Context(), exact.Question{Event: event, Relation: mechanism.ReplaceOne}, Goal{Digits: digits, Budget: time.Minute}, qs...)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				lo, hi := a.Decimal(digits)
				if lo == hi {
					continue
				}
				width, most := new(big.Rat).Sub(testkit.Rat(hi), testkit.Rat(lo)), new(big.Rat).Abs(testkit.Rat(hi))
				most.Mul(most, new(big.Rat).SetFrac(big.NewInt(30), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
				if a.Complete() && width.Cmp(most) > 0 || !a.Complete() && a.Value != nil {
					t.Errorf("%s: answer %d to %d digits is [%s, %s], complete %v: %q", text, i, digits, lo, hi, a.Complete(), a.Reason())
				}
			}
		}
	}
}

func TestClimbOrdersItsAnswers(t *testing.T) {
	event, err := mechanism.DecodeEvent([]byte(`{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}`))
	if err != nil {
		t.Fatal(err)
	}
	// The first is exact at once, the second takes more effort.
	qs := []Quantity{Delta(big.NewRat(2, 1)), Delta(big.NewRat(1, 2))}
	answers, err := For(t.Context(), exact.Question{Event: event}, Goal{Digits: 50, Budget: time.Minute}, qs...)
	if err != nil {
		t.Fatal(err)
	}
	if answers[0].Effort != 0 || answers[1].Effort == 0 {
		t.Errorf("efforts %d and %d", answers[0].Effort, answers[1].Effort)
	}
	if lo, hi := answers[0].Decimal(5); lo != "0" || hi != "0" {
		t.Errorf("δ(2) in [%s, %s]", lo, hi)
	}
	if lo, _ := answers[1].Decimal(5); lo != "0.22119" {
		t.Errorf("δ(1/2) from %s", lo)
	}
}

// between is a result of an effort.
func between(lo, hi int64, e exact.Effort) exact.Result {
	return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Union(interval.Int(lo), interval.Int(hi))}, Effort: e, Methods: []string{"test"}}
}

// What one rung has found holds when the next one finds less, for want of memory or
// otherwise.
func TestClimbKeepsWhatItHas(t *testing.T) {
	c := climber{Question: exact.Question{Event: mechanism.NoOp{}}, Goal: Goal{Digits: 12}, quantities: []Quantity{Epsilon(new(big.Rat))}, answers: make([]Answer, 1), open: 1}
	a := &c.answers[0]
	a.Enclosure, a.Lacking = exact.Enclosure{Interval: interval.Entire()}, errNothing
	refused := func(e exact.Effort, bytes int64) exact.Result {
		r := between(0, 1000, e)
		r.Refused = []exact.Refusal{{Method: "pld", Bytes: bytes}}
		return r
	}
	for _, step := range []struct {
		r      exact.Result
		tight  bool
		lo, hi string
		effort exact.Effort
		reason string
		open   int
	}{
		{between(10, 50, 0), true, "10", "50", 0, "effort 0 is not enough", 1},
		{between(20, 90, 1), true, "20", "50", 1, "effort 1 is not enough", 1},
		{between(0, 100, 2), true, "20", "50", 1, "effort 2 is not enough", 1},
		{between(30, 60, 3), false, "30", "50", 3, "no method of this version bounds the event tightly from both sides", 1},
		{refused(4, 5e6), true, "30", "50", 3, "more memory than allowed would be needed at effort 4: pld needs 5.0 MB of memory", 1},
		{refused(5, 9e6), false, "30", "50", 3, "more memory than allowed would be needed at effort 4: pld needs 5.0 MB of memory", 0},
	} {
		if err := c.take(0, step.r, step.tight, false); err != nil {
			t.Fatal(err)
		}
		lo, hi := a.Decimal(5)
		if lo != step.lo || hi != step.hi || a.Effort != step.effort || a.Lacking.Error() != step.reason || c.open != step.open {
			t.Errorf("after effort %d: [%s, %s] of effort %d, %q, %d open", step.r.Effort, lo, hi, a.Effort, a.Lacking, c.open)
		}
	}
	var bug *exact.InconsistencyError
	if err := c.take(0, between(60, 70, 6), true, false); !errors.As(err, &bug) || bug.FirstHi != "50" || bug.SecondLo != "60" {
		t.Errorf("disjoint rungs: %v", err)
	}
}

// TestSlowRungsEndAClimb: where rungs cost several times as much as the ones before, more than a few digits are not
// worth it.
func TestSlowRungsEndAClimb(t *testing.T) {
	for _, c := range []struct {
		digits      int
		tight, slow bool
		open        int
		reason      error
	}{
		{12, true, true, 0, errSlow},
		{12, false, true, 0, ErrNotTight},
		{12, true, false, 1, nil},
		{5, true, true, 1, nil}, // 3 digits are there
		{6, true, true, 0, errSlow},
	} {
		x := climber{Question: exact.Question{Event: mechanism.NoOp{}}, Goal: Goal{Digits: c.digits}, quantities: []Quantity{Epsilon(new(big.Rat))}, answers: make([]Answer, 1), open: 1}
		a := &x.answers[0]
		a.Enclosure, a.Lacking = exact.Enclosure{Interval: interval.Entire()}, errNothing
		if err := x.take(0, between(9995, 10000, 0), c.tight, c.slow); err != nil || x.open != c.open || c.reason != nil && !errors.Is(a.Lacking, c.reason) {
			t.Errorf("%+v: %d open, %v, %v", c, x.open, a.Lacking, err)
		}
	}
}
