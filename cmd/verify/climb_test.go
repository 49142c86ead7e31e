package main

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

func TestAccurate(t *testing.T) {
	const p = interval.Prec(100)
	enclosure := func(lo, hi string) exact.Enclosure {
		l, err1 := mechanism.ParseNumber(lo)
		h, err2 := mechanism.ParseNumber(hi)
		if err1 != nil || err2 != nil {
			t.Fatal(lo, hi)
		}
		return exact.Enclosure{Interval: interval.Union(p.Rat(l), p.Rat(h))}
	}
	inf := func(negative bool) interval.Interval {
		f := new(big.Float).SetInf(negative)
		return interval.Bounds(f, f)
	}
	tests := []struct {
		name          string
		e             exact.Enclosure
		digits, floor int
		want          bool
	}{
		{"wide", enclosure("0.1", "0.2"), 1, 0, false},
		{"one digit", enclosure("0.19", "0.2"), 1, 0, true},
		{"two digits of one", enclosure("0.19", "0.2"), 2, 0, false},
		{"tiny", enclosure("1e-300", "1.0001e-300"), 3, 0, true},
		{"negative", enclosure("-1.0001", "-1"), 3, 0, true},
		{"around 0", enclosure("-1e-20", "1e-20"), 3, 0, false},
		{"around 0, with a floor", enclosure("-1e-20", "1e-20"), 3, 6, true},
		{"around 0, above the floor", enclosure("-1e-5", "1e-5"), 3, 6, false},
		{"0", enclosure("0", "0"), 100, 0, true},
		{"known", exact.Enclosure{Interval: enclosure("0", "1").Interval, Value: big.NewRat(1, 3)}, 100, 0, true},
		{"infinite", exact.Enclosure{Interval: inf(false)}, 100, 0, true},
		{"minus infinite", exact.Enclosure{Interval: inf(true)}, 100, 0, true},
		{"entire", exact.Enclosure{Interval: interval.Entire()}, 1, 5, false},
		{"half infinite", exact.Enclosure{Interval: interval.Union(interval.Int(1), inf(false))}, 1, 5, false},
	}
	for _, test := range tests {
		if got := accurate(test.e, test.digits, test.floor); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Every answer has the accuracy that was asked for, with the digits it is printed
// with.
func TestClimbReachesTheGoal(t *testing.T) {
	event, err := mechanism.DecodeEvent([]byte(`{"class_name":"GaussianDpEvent","noise_multiplier":"1.5"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, digits := range []int{1, 5, 18, 19, 20, 40, 100, 300} {
		qs := []quantity{deltaAt(big.NewRat(1, 3)), deltaAt(big.NewRat(-2, 1)), deltaAt(big.NewRat(50, 1))}
		if digits <= 40 {
			qs = append(qs, epsilonAt(big.NewRat(1, 100000), digits))
		}
		answers, err := climb(t.Context(), exact.Question{Event: event}, qs, goal{digits: digits, timeout: time.Minute}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if !a.complete || a.reason != "" {
				t.Errorf("%d digits, answer %d: effort %d, %q", digits, i, a.Effort, a.reason)
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
	qs := []quantity{deltaAt(big.NewRat(2, 1)), deltaAt(big.NewRat(1, 2))}
	answers, err := climb(t.Context(), exact.Question{Event: event}, qs, goal{digits: 50, timeout: time.Minute}, nil)
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
	c := climber{Question: exact.Question{Event: mechanism.NoOp{}}, goal: goal{digits: 12}, quantities: []quantity{epsilonAt(new(big.Rat), 12)}, answers: make([]answer, 1), open: 1}
	a := &c.answers[0]
	a.Enclosure = exact.Enclosure{Interval: interval.Entire()}
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
		{refused(4, 5e6), true, "30", "50", 3, "more memory than --max-memory allows would be needed: pld needs 5.0 MB of memory", 1},
		{refused(5, 9e6), false, "30", "50", 3, "more memory than --max-memory allows would be needed: pld needs 5.0 MB of memory", 0},
	} {
		if err := c.take(0, step.r, step.tight); err != nil {
			t.Fatal(err)
		}
		lo, hi := a.Decimal(5)
		if lo != step.lo || hi != step.hi || a.Effort != step.effort || a.reason != step.reason || c.open != step.open {
			t.Errorf("after effort %d: [%s, %s] of effort %d, %q, %d open", step.r.Effort, lo, hi, a.Effort, a.reason, c.open)
		}
	}
	var bug *exact.InconsistencyError
	if err := c.take(0, between(60, 70, 6), true); !errors.As(err, &bug) || bug.FirstHi != "50" || bug.SecondLo != "60" {
		t.Errorf("disjoint rungs: %v", err)
	}
}
