// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestSlowRowsLeaveTimeToTheOthers: formulas come first, and no row takes more than its share of
// what is left.
func TestSlowRowsLeaveTimeToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // with a clock of its own
		rows := rows()
		const budget = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), budget)
		defer cancel()
		var asked []string
		err := deriveAll(ctx, rows, func(m *Row, ctx context.Context) error {
			asked = append(asked, m.Title())
			if ctx.Err() != nil {
				t.Errorf("no time is left for %s", m.Title())
			}
			if !m.Formula {
				<-ctx.Done() // all of its share
			}
			return nil
		})
		if err != nil || len(asked) != len(rows) {
			t.Errorf("%d of %d rows, %v", len(asked), len(rows), err)
		}
		formulas := make(map[string]bool)
		for _, r := range rows {
			if r.Formula {
				formulas[r.Title()] = true
			}
		}
		for i, name := range asked {
			if formulas[name] != (i < len(formulas)) {
				t.Errorf("of %d formulas, %s comes as number %d", len(formulas), name, i+1)
			}
		}
		for _, name := range asked[len(asked)-2:] {
			if !strings.HasSuffix(name, ", real orders") {
				t.Errorf("among the last is %s", name)
			}
		}
	})
}

func request() Request {
	e := mechanism.SelfComposed{Count: 10, Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("4")}}
	return Request{Question: exact.Question{Event: e}, Events: mechanism.Range{MorePrivate: e, LessPrivate: e},
		Goal: ask.Goal{Digits: 5}, Measure: EpsilonAtDelta, At: testkit.Rat("1e-5"), Text: "1e-5"}
}

// TestBoundsAreBounds: what is called a bound is at least the true value, in the table and in numbers; a
// method that models the mechanism has a value, and another one a reason.
func TestBoundsAreBounds(t *testing.T) {
	testkit.SkipShort(t)
	c, err := Compute(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	bounds := 0
	for _, m := range c.Rows {
		d, ok := m.Excess(c.Least)
		if m.Reason == "" && m.Bound {
			bounds++
			if m.Value.IsFinite() && (!ok || d.Negative() == interval.True) {
				t.Errorf("%s: %s, least %s", m.Title(), m.Value.Interval, c.Least.Interval)
			}
		}
	}
	if bounds < 4 {
		t.Errorf("%d bounds", bounds)
	}
	table := c.Table()
	// 10/4 is basic composition, and the least ε is less.
	if !strings.Contains(table, "basic") || !strings.Contains(table, " 2.5 ") || !strings.Contains(table, "% more") {
		t.Errorf("table %s", table)
	}
	r := NewReport(c)
	if len(r.Methods) != len(c.Rows) || r.Delta != "1e-5" || r.Epsilon != "" || r.Least.Quantity != "epsilon" {
		t.Errorf("report %+v", r)
	}
	for i, m := range r.Methods {
		if (m.Lo == nil) != (m.Reason != "") || m.Name != c.Rows[i].Name {
			t.Errorf("method %+v", m)
		}
	}
}

// TestCellsBracketTheTruth: of Algorithm 2 the upper bound is derived, which is above the least, and its lower one is
// below it; a mechanism with characteristic functions in closed form has no cells, and few copies leave an integral
// that does not converge.
func TestCellsBracketTheTruth(t *testing.T) {
	testkit.SkipShort(t)
	step := mechanism.PoissonSampled{SamplingProbability: testkit.Rat("1/100"), Event: mechanism.Gaussian{NoiseMultiplier: testkit.Rat("2")}}
	r := request()
	r.Event = mechanism.SelfComposed{Count: 1500, Event: step}
	r.Direction = mechanism.Remove
	for _, c := range []struct {
		measure Measure
		at      string
	}{{EpsilonAtDelta, "1e-5"}, {DeltaAtEpsilon, "1/2"}} {
		r.Measure, r.At = c.measure, testkit.Rat(c.at)
		want, err := ask.For(t.Context(), r.Question, r.Goal, r.quantity(r.At))
		if err != nil {
			t.Fatal(err)
		}
		ps, err := pair.Resolve(r.Event, r.Relation, r.Direction)
		if err != nil || len(ps) != 1 {
			t.Fatal(ps, err)
		}
		x, err := r.byCells(t.Context(), ps[0], value.Rat(r.At).V)
		least, _ := want[0].Lo().Float64()
		if err != nil || x.lower >= least || x.value <= least || x.cells < 4*fewest || x.guess > 1e-10 {
			t.Errorf("%s: %+v, want about %v; %v", c.measure.Of.Name, x, least, err)
		}
	}
	for event, want := range map[mechanism.Event]string{
		mechanism.Gaussian{NoiseMultiplier: testkit.Rat("2")}: "Poisson samples", step: "does not converge",
	} {
		r.Event = event
		_, err := r.byFourier(t.Context(), r.Question, r.byCells)
		var not derive.NotModelledError
		if !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", event, err, want)
		}
	}
}

// TestExcess: by hand.
func TestExcess(t *testing.T) {
	least := ask.Answer{Result: exact.Result{Enclosure: exact.Enclosure{Interval: interval.Int(4)}}}
	for _, c := range []struct {
		value int64
		want  string
	}{{6, "50"}, {3, "-25"}, {4, "0"}} {
		d, ok := Row{Value: exact.Enclosure{Interval: interval.Int(c.value)}}.Excess(least)
		if !ok || d.LessEqRat(testkit.Rat(c.want)) != interval.True || d.LessRat(testkit.Rat(c.want)) != interval.False {
			t.Errorf("%d against 4: %s, want %s %%", c.value, d, c.want)
		}
	}
	if _, ok := (Row{Reason: "x"}).Excess(least); ok {
		t.Error("no value, but an excess")
	}
	if _, ok := (Row{Value: exact.Enclosure{Interval: interval.PosInf(), Value: new(big.Rat)}}).Excess(least); ok {
		t.Error("∞ exceeds by a number")
	}
}

// TestInterrupted: there is no comparison of what was not asked.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compute(ctx, request()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
