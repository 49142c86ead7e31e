// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package shown writes answers in JSON and for people.
package shown

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// Bounds are the decimal ends of an enclosure, in JSON.
type Bounds struct {
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// BoundsOf are the ends that an enclosure is printed with.
func BoundsOf(lo, hi string) Bounds { return Bounds{lo, hi} }

// A Report is an answer in JSON.
type Report struct {
	Quantity string `json:"quantity"`
	At       string `json:"at"`
	Bounds
	Quote    string       `json:"quote"`
	Methods  []string     `json:"methods"`
	Effort   exact.Effort `json:"effort"`
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason,omitempty"`
	Notes    []string     `json:"notes,omitempty"`
}

// NewReport returns an answer about a quantity at a number, as it was written, with so many digits.
func NewReport(quantity, at string, a ask.Answer, digits int) Report {
	return Report{quantity, at, BoundsOf(a.Decimal(digits)), a.Quote(quantity), a.Methods, a.Effort, a.Complete(),
		a.Reason(), a.Notes}
}

// Reports are answers about one quantity at several numbers, in JSON.
type Reports struct {
	Version int      `json:"version"`
	Answers []Report `json:"answers"`
	Training
}

// A Training says in JSON what was counted, of an event that is one.
type Training struct {
	Steps   int64           `json:"steps,omitempty"`
	Counted string          `json:"counted,omitempty"`
	Event   json.RawMessage `json:"event,omitempty"` // as it was answered
}

// NewTraining returns what was counted; empty for what is no training. otherwise is added to the words.
func NewTraining(r mechanism.Range, otherwise string) Training {
	c := ask.CountedIn(r)
	if c.Steps == 0 {
		return Training{}
	}
	return Training{c.Steps, c.Words(otherwise), mechanism.EncodeEvent(r.LessPrivate)}
}

// Below is the line below answers in words.
func (t Training) Below() string {
	if t.Counted == "" {
		return ""
	}
	return prose.Paragraph("  ", t.Counted)
}

// NewReports returns answers at numbers, as they were written.
func NewReports(quantity string, at []string, answers []ask.Answer, digits int) Reports {
	out := Reports{Version: 1}
	for i, a := range answers {
		r := NewReport(quantity, at[i], a, digits)
		if r.Methods == nil {
			r.Methods = []string{}
		}
		out.Answers = append(out.Answers, r)
	}
	return out
}

// With returns reports that say what was counted.
func (r Reports) With(t Training) Reports {
	r.Training = t
	return r
}

// ofNoUse says that a δ of at least 1 excludes nothing, and asks whether an exponent has lost its sign.
func ofNoUse(delta string) string {
	text := "δ is a bound of probabilities: with 1 or more every ε will do."
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(delta), "e"); ok && !strings.HasPrefix(exponent, "-") {
		text += fmt.Sprintf(" Is %se-%s meant?", mantissa, strings.TrimPrefix(exponent, "+"))
	}
	return text
}

// Text writes answers for people: a line each, and what there is to say of it. The quantity is
// written as its symbol, and the numbers at which it is asked for as they were.
func Text(symbol string, at []string, answers []ask.Answer, digits int) string {
	var b strings.Builder
	for i, a := range answers {
		fmt.Fprintf(&b, "%s(%s) %s   (%s)\n", symbol, at[i], prose.Member(a.Decimal(digits)),
			cmp.Or(strings.Join(a.Methods, ", "), "no method"))
		if symbol == "ε" && at[i] != "0" && a.Interval.Hi().Sign() > 0 && a.Interval.IsFinite() {
			fmt.Fprintf(&b, "  to quote: ε ≤ %s at δ = %s\n", a.Quote(ask.KindEpsilon.Name), at[i])
		}
		if symbol == "ε" && a.Interval.Hi().IsInf() && a.Interval.Hi().Signbit() {
			b.WriteString(prose.Paragraph("  ", ofNoUse(at[i])))
		}
		if !a.Complete() {
			b.WriteString(prose.Paragraph("  ", fmt.Sprintf("wider than the %d digits wanted: %v", digits, a.Lacking)))
		}
		for _, n := range a.Notes {
			b.WriteString(prose.Paragraph("  ", "note: "+n))
		}
	}
	return b.String()
}
