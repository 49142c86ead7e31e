// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package curve encloses δ over a range of ε, or the least ε over the number of compositions,
// at points, and draws a band that contains the truth between them.
package curve

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Curve is a quantity over another one, enclosed at points.
type Curve struct {
	Request
	Over   string     // epsilon, compositions, or what a kind is over
	Of     string     // delta, epsilon or the name of a kind
	At     []*big.Rat // the points
	Values []ask.Answer

	asked int // points
}

// Compute computes a curve, of which Step, if it is not nil, is called with what is being done. With ctx's error there
// is what was reached, if anything.
func Compute(ctx context.Context, r Request) (*Curve, error) {
	if r.Step == nil {
		r.Step = func(string) {}
	}
	r.Step("looking for the range")
	r.Started = time.Now()
	v := &Curve{Over: "epsilon", Of: "delta"}
	a := asker{Question: r.Question, events: r.events(), Goal: r.Goal, quantity: ask.Delta, step: r.Step}
	var at []*big.Rat
	if r.Compositions != 0 {
		v.Over, v.Of = "compositions", "epsilon"
		a.quantity, a.over, a.Scale = ask.Epsilon, r.Delta, r.Delta
		at = counts(r.Compositions, r.Points)
	} else {
		a.Scale, a.Profiles = leastDelta, new(ask.Profiles)
		if r.Kind != nil {
			v.Over, v.Of, a.quantity = r.Kind.over, r.Kind.Name, r.Kind.quantity
		} else if err := r.overEpsilon(ctx, &a); err != nil {
			return nil, err
		}
		at = spaced(r.From, r.To, r.Points)
	}
	v.Request, v.asked = r, len(at)
	var err error
	if v.Values, err = a.at(ctx, at); v.Values == nil {
		return nil, err
	}
	v.At = at[:len(v.Values)]
	return v, err
}

// Decimal returns the bounds at a point. They are printed with a few more digits than
// was aimed at where they are known.
func (v *Curve) Decimal(i int) (lo, hi string) {
	return v.Values[i].Decimal(max(v.Digits, 6))
}

// Methods returns what bounds the points.
func (v *Curve) Methods() []string {
	return v.collect(func(a ask.Answer) []string { return a.Methods })
}

// Notes returns the assumptions that the curve rests on.
func (v *Curve) Notes() []string {
	return v.collect(func(a ask.Answer) []string { return a.Notes })
}

// collect returns what some answers have, once each.
func (v *Curve) collect(of func(ask.Answer) []string) []string {
	out := []string{}
	for _, a := range v.Values {
		for _, s := range of(a) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Found returns a curve of the points that have bounds, better than what is known about every event, and how many
// have none, also of those that an interruption has not come to.
func (v *Curve) Found() (found *Curve, missing int) {
	out := *v
	out.At, out.Values = nil, nil
	for i, a := range v.Values {
		if a.Found {
			out.At, out.Values = append(out.At, v.At[i]), append(out.Values, a)
		}
	}
	return &out, v.asked - len(out.Values)
}

// Lacking says how many points are not as accurate as wanted, and why; it is empty
// if all are.
func (v *Curve) Lacking() string {
	n, reason := 0, ""
	for _, a := range v.Values {
		if !a.Complete() {
			n++
			reason = a.Reason()
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d points are wider than the %d digits wanted: %s", n, len(v.Values), v.Digits, reason)
}

// CSV returns a curve with a line a point.
func (v *Curve) CSV() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,%s_lo,%s_hi,complete\n", v.Over, v.Of, v.Of)
	for i, a := range v.Values {
		lo, hi := v.Decimal(i)
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", number.Format(v.At[i]), lo, hi, strconv.FormatBool(a.Complete()))
	}
	return []byte(b.String())
}

// A Report is a curve as JSON.
type Report struct {
	Version   int             `json:"version"`
	Quantity  string          `json:"quantity"`
	Over      string          `json:"over"`
	Event     json.RawMessage `json:"event"`
	Relation  string          `json:"relation"`
	Direction string          `json:"direction"`
	Delta     string          `json:"delta,omitempty"`
	Points    []PointReport   `json:"points"`
	Methods   []string        `json:"methods"`
	Notes     []string        `json:"notes,omitempty"`
}

// A PointReport is a point of a curve as JSON.
type PointReport struct {
	At       string       `json:"at"`
	Lo       string       `json:"lo"`
	Hi       string       `json:"hi"`
	Effort   exact.Effort `json:"effort"`
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason,omitempty"`
}

// NewReport returns a curve for JSON.
func NewReport(v *Curve) Report {
	out := Report{
		Version: 1, Quantity: v.Of, Over: v.Over,
		Event: mechanism.EncodeEvent(v.Event), Relation: v.Relation.String(), Direction: v.Direction.String(),
		Methods: v.Methods(), Notes: v.Notes(),
	}
	if v.Delta != nil {
		out.Delta = number.Format(v.Delta)
	}
	for i, a := range v.Values {
		lo, hi := v.Decimal(i)
		out.Points = append(out.Points, PointReport{number.Format(v.At[i]), lo, hi, a.Effort, a.Complete(), a.Reason()})
	}
	return out
}
