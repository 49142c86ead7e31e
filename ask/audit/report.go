// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"encoding/json"
	"slices"

	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/shown"
)

// reportDigits is how many significant digits the truth has in reports.
const reportDigits = 12

// A Report is an audit in JSON.
type Report struct {
	Version  int             `json:"version"`
	Program  string          `json:"program"` // version of verify
	Command  []string        `json:"command"`
	Seed     *uint64         `json:"seed"` // of the random cases; null without any
	Summary  Summary         `json:"summary"`
	Findings []FindingReport `json:"findings"`
	Cases    []CaseReport    `json:"cases"`
}

// A FindingReport is an unsound answer in its smallest form.
type FindingReport struct {
	From    string     `json:"from"` // id of the case that it was shrunk from
	Case    CaseReport `json:"case"`
	Command string     `json:"command"` // prints the truth
}

// A CaseReport is one case.
type CaseReport struct {
	ID      string          `json:"id"`
	About   string          `json:"about,omitempty"`
	Request json.RawMessage `json:"request"`
	Reply   ReplyReport     `json:"reply"`
	Verdict Verdict         `json:"verdict,omitempty"`
	Truth   *shown.Bounds   `json:"truth,omitempty"`
	// Understatement and Slack are certain lower bounds.
	Understatement string       `json:"understatement,omitempty"`
	Slack          string       `json:"slack,omitempty"`
	Methods        []string     `json:"methods,omitempty"`
	Effort         exact.Effort `json:"effort"`
	Reason         string       `json:"reason,omitempty"`
}

// A ReplyReport is what the accountant said.
type ReplyReport struct {
	Kind    Kind    `json:"kind"`
	Lower   string  `json:"lower,omitempty"`
	Upper   string  `json:"upper,omitempty"`
	Value   string  `json:"value,omitempty"`
	Text    string  `json:"text,omitempty"`
	Stray   int     `json:"stray_lines,omitempty"`
	Seconds float64 `json:"seconds"`
	// Accountant has the name and version of the accountant, Reproduce a program in its terms that repeats the answer.
	Accountant string `json:"accountant,omitempty"`
	Reproduce  string `json:"reproduce,omitempty"`
}

// NewReport returns the report of results; seed is the seed of the random cases.
func NewReport(program string, o Options, seed *uint64, rs []Result) Report {
	r := Report{Version: 1, Program: program, Command: o.Command, Seed: seed, Summary: Summarize(rs),
		Findings: []FindingReport{}, Cases: []CaseReport{}}
	for original, small := range Findings(rs) {
		r.Findings = append(r.Findings, FindingReport{original.ID, newCaseReport(small), small.Command()})
	}
	for _, c := range rs {
		r.Cases = append(r.Cases, newCaseReport(c))
	}
	return r
}

func newCaseReport(r Result) CaseReport {
	c := CaseReport{ID: r.ID, About: r.About, Request: r.Request(), Verdict: r.Verdict,
		Reply: ReplyReport{r.Reply.Kind, r.Reply.Lower.String(), r.Reply.Upper.String(),
			r.Reply.Value.String(), r.Reply.Text, r.Reply.Stray, r.Reply.Seconds, r.Reply.Accountant, r.Reply.Program},
		Understatement: atLeast(r.Judged.Understatement), Slack: atLeast(r.Judged.Slack),
		Methods: slices.Clone(r.Judged.Methods), Effort: r.Judged.Effort, Reason: r.Judged.Reason}
	if r.Judged.Truth != nil {
		c.Truth = new(shown.BoundsOf(r.Judged.Decimal(reportDigits)))
	}
	return c
}

// Decimal returns decimal ends of the truth, with as many digits beyond so many as it takes
// to see that the answer lies outside.
func (out Judgement) Decimal(digits int) (lo, hi string) {
	if out.Claimed == nil || out.Claimed.Rat == nil {
		return out.Truth.Decimal(digits)
	}
	return decimal.Separating(*out.Truth, out.Claimed.Rat, digits)
}

// atLeast returns a lower bound of a number, in three digits.
func atLeast(x *interval.Interval) string {
	if x == nil {
		return ""
	}
	return Certain{*x}.String()
}

// JSON returns the report as indented JSON that ends with a newline.
func (r Report) JSON() ([]byte, error) {
	return document.Indented(r)
}
