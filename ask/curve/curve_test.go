// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/mechanism"
)

// request asks for a curve of randomized response with ε = 1: δ(ε) is 0 from 1 on, and k of them
// are at least as private as ε = k.
func request() Request {
	return Request{
		Question: exact.Question{Event: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: new(big.Rat)}},
		Goal:     ask.Goal{Digits: 3, Budget: time.Minute}, Points: 5,
	}
}

// The points are those that were asked for, and δ falls along them.
func TestOverEpsilon(t *testing.T) {
	r := request()
	r.From, r.To = new(big.Rat), big.NewRat(2, 1)
	v, err := Compute(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	csv := strings.Split(strings.TrimSpace(string(v.CSV())), "\n")
	if len(csv) != 6 || csv[0] != "epsilon,delta_lo,delta_hi,complete" || csv[5] != "2,0,0,true" {
		t.Errorf("%q", csv)
	}
	for i := range v.Values[1:] {
		if v.Values[i].Hi().Cmp(v.Values[i+1].Lo()) < 0 {
			t.Errorf("δ rises after point %d", i)
		}
	}
	if v.Lacking() != "" || len(v.Methods()) == 0 {
		t.Errorf("lacking %q, methods %q", v.Lacking(), v.Methods())
	}
}

// Where no end is given, it is one that δ has come down at.
func TestEndOfTheRange(t *testing.T) {
	r := request()
	r.From = new(big.Rat)
	v, err := Compute(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if end := v.At[len(v.At)-1]; end.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("the curve ends at %v, want 1", end)
	}
}

// ε over the number of compositions: at δ = 0 it is their number.
func TestOverCompositions(t *testing.T) {
	r := request()
	r.Compositions, r.Delta = 9, new(big.Rat)
	v, err := Compute(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	report := NewReport(v)
	if report.Over != "compositions" || report.Quantity != "epsilon" || report.Delta != "0" || len(report.Points) != 5 {
		t.Fatalf("%+v", report)
	}
	for _, p := range report.Points {
		if p.Lo != p.At || p.Hi != p.At {
			t.Errorf("ε of %s compositions is in [%s, %s]", p.At, p.Lo, p.Hi)
		}
	}
}

// A curve of a range of events holds for both ends, and says so.
func TestRange(t *testing.T) {
	r := request()
	r.From, r.To = new(big.Rat), big.NewRat(1, 1)
	r.Events = mechanism.Range{
		MorePrivate: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: new(big.Rat)},
		LessPrivate: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: big.NewRat(1, 10)},
		Rounded:     []string{"event"},
	}
	over := func(r Request, lo, hi *big.Rat) {
		t.Helper()
		v, err := Compute(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		last := v.Values[len(v.Values)-1]
		if x, y, ok := last.Rationals(); !ok || x.Cmp(lo) > 0 || y.Cmp(hi) < 0 || len(v.Notes()) == 0 {
			t.Errorf("%s of the last point in [%v, %v], want all of [%v, %v]; notes %q", v.Of, x, y, lo, hi, v.Notes())
		}
	}
	over(r, new(big.Rat), big.NewRat(1, 10))
	r.Compositions, r.Delta, r.Points = 2, big.NewRat(19, 100), 2
	over(r, big.NewRat(1561, 1000), big.NewRat(2, 1)) // 2 ends there, by the optimal composition
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := request()
	r.From, r.To = new(big.Rat), big.NewRat(2, 1)
	if _, err := Compute(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFound: points without bounds are left out and counted, also those that an interruption has not come to.
func TestFound(t *testing.T) {
	at := func(x int64) *big.Rat { return big.NewRat(x, 1) }
	v := &Curve{At: []*big.Rat{at(1), at(2), at(3)}, Values: []ask.Answer{{Found: true}, {}, {Found: true}}, asked: 5}
	found, missing := v.Found()
	if len(found.At) != 2 || found.At[1].Cmp(at(3)) != 0 || len(found.Values) != 2 || missing != 3 || len(v.At) != 3 {
		t.Errorf("%v, %d missing", found.At, missing)
	}
}
