// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package compare compares what accounting methods derive for a mechanism with what is true: the
// least ε at a δ, or δ at an ε.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// The measures.
var (
	EpsilonAtDelta = Measure{EpsilonSide, DeltaSide, ask.Epsilon, derive.Method.Epsilon}
	DeltaAtEpsilon = Measure{DeltaSide, EpsilonSide, ask.Delta, derive.Method.Delta}
)

// A Comparison is what is true, and what methods make of it.
type Comparison struct {
	Request
	Least ask.Answer
	Rows  []Row
}

// A Row is what one method derives.
type Row struct {
	derive.Method
	Real   bool            // over all real orders
	Value  exact.Enclosure // what is derived
	Note   string
	Reason string // why there is no value
}

// Title is the name of the method, and over which orders.
func (m Row) Title() string {
	if m.Real {
		return m.Name + ", real orders"
	}
	return m.Name
}

// Compute encloses the true value, and what every method derives. If ctx ends before all have been
// asked, the comparison is nil and the error is ctx's.
func Compute(ctx context.Context, r Request) (*Comparison, error) {
	step := r.Step
	if step == nil {
		step = func(string) {}
	}
	r.Progress = func(e exact.Effort, _ int) { step(fmt.Sprintf("the least %s at effort %d", r.Of.Symbol, e)) }
	answers, err := ask.Range(ctx, r.Question, r.Events, r.Goal, r.quantity(r.At))
	if answers == nil {
		return nil, err
	}
	c := &Comparison{Request: r, Least: answers[0], Rows: rows()}
	limited, cancel := r.Limit(ctx)
	defer cancel()
	if err := deriveAll(limited, c.Rows, func(m *Row, ctx context.Context) error {
		step(m.Title())
		return r.deriveBy(ctx, m)
	}); err != nil {
		return nil, err
	}
	return c, ctx.Err()
}

// rows lists what is compared, in the order of the output.
func rows() []Row {
	var rows []Row
	for _, m := range derive.Methods {
		if m.Least {
			continue
		}
		rows = append(rows, Row{Method: m})
		if m.Orders {
			rows = append(rows, Row{Method: m, Real: true})
		}
	}
	return append(rows, Row{Method: derive.Method{Name: fourierName, Source: "Zhu, Dong & Wang 2022"}},
		Row{Method: derive.Method{Name: cellsName, Source: "Zhu, Dong & Wang 2022"}})
}

// deriveAll derives all rows, the cheap ones first. Each has an equal share of the time that is
// left, so that a slow one does not use up the time of the later ones.
func deriveAll(ctx context.Context, rows []Row, derive func(*Row, context.Context) error) error {
	var byCost []*Row
	for i := range rows {
		byCost = append(byCost, &rows[i])
	}
	slices.SortStableFunc(byCost, func(a, b *Row) int { return cmp.Compare(a.cost(), b.cost()) })
	for i, m := range byCost {
		share, cancel := ctx, context.CancelFunc(func() {})
		if end, ok := ctx.Deadline(); ok {
			share, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(byCost)-i))
		}
		err := derive(m, share)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// cost ranks rows by their work: a formula, or the curve at listed orders, or at many.
func (m *Row) cost() int {
	switch {
	case m.Formula:
		return 0
	case m.Real:
		return 2
	}
	return 1
}

// deriveBy asks a method for all events of a range. What it does not model, and what takes
// too long, is a reason; the error is a fault of the question or a bug.
func (r Request) deriveBy(ctx context.Context, m *Row) error {
	at := func(e mechanism.Event) (derive.Result, error) {
		return guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			q := r.Question
			q.Event = e
			switch m.Name {
			case fourierName:
				return r.byFourier(ctx, q, r.byFunctions)
			case cellsName:
				return r.byFourier(ctx, q, r.byCells)
			}
			return r.derive(m.Method, ctx, derive.Question{Question: q, RealOrders: m.Real}, r.At)
		})
	}
	y, err := at(r.Events.LessPrivate)
	if err == nil && len(r.Events.Rounded) > 0 {
		var other derive.Result
		other, err = at(r.Events.MorePrivate)
		y.Enclosure = y.Union(other.Enclosure)
	}
	var not derive.NotModelledError
	switch {
	case errors.As(err, &not):
		m.Reason = string(not)
	case ctx.Err() != nil:
		m.Reason = "not reached in time"
	case err != nil:
		return err
	default:
		m.Value, m.Note = y.Enclosure, y.Note
	}
	return nil
}

// Excess encloses by how many per cent the derived value exceeds the true one; negative, it
// is no bound at all.
func (m Row) Excess(least ask.Answer) (interval.Interval, bool) {
	const p = interval.Prec(64)
	if m.Reason != "" || !m.Value.IsFinite() || !least.IsFinite() || least.Positive() != interval.True {
		return interval.Interval{}, false
	}
	d := p.Div(p.Sub(m.Value.Interval, least.Interval), least.Interval)
	return p.Mul(d, interval.Int(100)), true
}

// A Report is a comparison in JSON.
type Report struct {
	Version int          `json:"version"`
	Delta   string       `json:"delta,omitempty"`
	Epsilon string       `json:"epsilon,omitempty"` // one of the two: where the other is compared
	Least   shown.Report `json:"least"`
	Methods []RowReport  `json:"methods"`
}

// A RowReport is what one method derives.
type RowReport struct {
	Name       string  `json:"name"`
	RealOrders bool    `json:"real_orders"`
	Source     string  `json:"source"`
	Bound      bool    `json:"bound"`
	Lo         *string `json:"lo"`
	Hi         *string `json:"hi"`
	Reason     string  `json:"reason,omitempty"`
	Note       string  `json:"note,omitempty"`
}

// NewReport returns a comparison in JSON.
func NewReport(c *Comparison) Report {
	out := Report{Version: 1, Least: shown.NewReport(c.Of.Name, c.Text, c.Least, c.Digits)}
	if c.Over == DeltaSide {
		out.Delta = c.Text
	} else {
		out.Epsilon = c.Text
	}
	for _, m := range c.Rows {
		e := RowReport{Name: m.Name, RealOrders: m.Real, Source: m.Source, Bound: m.Bound, Reason: m.Reason, Note: m.Note}
		if m.Reason == "" {
			lo, hi := m.Value.Decimal(c.Digits)
			e.Lo, e.Hi = &lo, &hi
		}
		out.Methods = append(out.Methods, e)
	}
	return out
}

// inWords writes an excess in a few digits.
func inWords(d interval.Interval) string {
	switch {
	case d.Negative() == interval.True:
		return prose.About(d.Neg()) + " % less"
	case d.Positive() == interval.True:
		return prose.About(d) + " % more"
	}
	return "the same"
}

// isBelow reports an excess, in per cent, that is below 0 by more than what the digits of the comparison hide.
func (c *Comparison) isBelow(d interval.Interval) bool {
	return d.LessRat(new(big.Rat).SetFrac64(-100, int64(math.Pow10(min(c.Digits, 15))))) == interval.True
}
