// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// A Question asks for the value of the unknown of a template.
type Question struct {
	*Template
	Epsilon, Delta *big.Rat // ε in nats; both at least 0
	Relation       mechanism.Relation
	Direction      mechanism.Direction
	Digits         int               // significant digits of the value, 1 to MaxDigits
	Budget         time.Duration     // to estimate one value, and to certify it
	Progress       func(what string) // called before every value, if it is not nil
}

// The accuracies of a value.
const (
	DefaultDigits = 4
	MaxDigits     = 12
)

// DefaultBudget is the time for one value where none is named.
const DefaultBudget = 5 * time.Minute

// A Candidate is a value with what was decided about the claim that it meets (ε, δ).
type Candidate struct {
	Text    string // the value with all its digits
	Value   *big.Rat
	Outcome *certify.Outcome
}

func (c *Candidate) verified() bool { return c.Outcome.Verdict == certify.Verified }

// A Finding is the result of a search.
type Finding struct {
	Best  *Candidate // VERIFIED; nil if no value was
	Next  *Candidate // the next less private value, which is not VERIFIED; nil where there is none
	Ended string     // why there is no next value
	Note  string     // what is not proved about values that were not tried
}

// A Report is a finding as JSON.
type Report struct {
	Version int              `json:"version"`
	Field   string           `json:"field"`
	Epsilon string           `json:"epsilon"`
	Delta   string           `json:"delta"`
	Best    *CandidateReport `json:"best"`
	Next    *CandidateReport `json:"next,omitempty"`
	Ended   string           `json:"ended,omitempty"` // why there is no next one
	Note    string           `json:"note,omitempty"`  // what is not proved about values that were not tried
}

// A CandidateReport is a candidate as JSON.
type CandidateReport struct {
	Value   string          `json:"value"`
	Verdict certify.Verdict `json:"verdict"`
	Lo      string          `json:"lo,omitempty"` // of δ(ε), as is Hi
	Hi      string          `json:"hi,omitempty"`
	Methods []string        `json:"methods"`
	Effort  exact.Effort    `json:"effort"`
	Reason  string          `json:"reason,omitempty"`
}

// NewReport returns what was found for a question.
func NewReport(q Question, f Finding) Report {
	return Report{1, q.Field, number.Format(q.Epsilon), number.Format(q.Delta), f.Best.report(), f.Next.report(),
		f.Ended, f.Note}
}

// report is nil for nil.
func (c *Candidate) report() *CandidateReport {
	if c == nil {
		return nil
	}
	o := c.Outcome
	r := &CandidateReport{Value: c.Text, Verdict: o.Verdict, Methods: o.Methods, Effort: o.Effort, Reason: o.Reason}
	if o.Delta != nil {
		r.Lo, r.Hi = o.Delta.Decimal(ask.DefaultDigits)
	}
	return r
}

// Text writes a finding for people.
func (f Finding) Text(q Question) string {
	var b strings.Builder
	line := func(c *Candidate) {
		o := c.Outcome
		fmt.Fprintf(&b, "%s = %s  %s", q.Field, c.Text, strings.ToUpper(string(o.Verdict)))
		if o.Delta != nil {
			fmt.Fprintf(&b, "  δ(%s) %s   (%s)", number.Format(q.Epsilon),
				prose.Member(o.Delta.Decimal(ask.DefaultDigits)), strings.Join(o.Methods, ", "))
		}
		if o.Reason != "" {
			fmt.Fprintf(&b, "\n  %s", o.Reason)
		}
		b.WriteByte('\n')
	}
	if f.Best != nil {
		line(f.Best)
	}
	if f.Next != nil {
		line(f.Next)
	}
	if f.Ended != "" {
		b.WriteString(f.Ended + "\n")
	}
	if f.Note != "" {
		b.WriteString(prose.Paragraph("", "note: "+f.Note))
	}
	return b.String()
}
