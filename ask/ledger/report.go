// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"cmp"
	"fmt"
	"strings"

	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
)

// A Report is an account as JSON.
type Report struct {
	Version   int    `json:"version"`
	Data      string `json:"data,omitempty"` // whose account it is, of several
	Team      string `json:"team,omitempty"`
	Relation  string `json:"relation"`
	Direction string `json:"direction"`
	Holds     string `json:"holds"` // for which events
	Epsilon   string `json:"epsilon,omitempty"`
	Delta     string `json:"delta,omitempty"`
	Filter    string `json:"filter,omitempty"` // renyi or gaussian; Order, Theorem and Bound are its own
	Order     string `json:"order,omitempty"`
	Theorem   string `json:"theorem,omitempty"`
	Bound     string `json:"bound,omitempty"`
	// Lines are those that were answered.
	Lines []LineReport      `json:"lines"`
	Left  string            `json:"left,omitempty"` // of the budget: an event that is (left, 0)-DP fits
	Full  *bool             `json:"full,omitempty"` // whether nothing fits any more
	Next  *calibrate.Report `json:"next,omitempty"`
}

// A LineReport is what was found about a line as JSON: about all lines up to it, but Divergence.
type LineReport struct {
	Line       int             `json:"line"`
	ID         string          `json:"id,omitempty"`
	Total      *shown.Report   `json:"total,omitempty"`
	Verdict    certify.Verdict `json:"verdict,omitempty"`
	Reason     string          `json:"reason,omitempty"`     // why it is undecided, or refused whatever is left
	Divergence *shown.Report   `json:"divergence,omitempty"` // of the event, as are Accepted, Spent and Left
	Accepted   *bool           `json:"accepted,omitempty"`   // nil where it is undecided: Reason says why
	Spent      string          `json:"spent,omitempty"`
	Left       string          `json:"left,omitempty"`
}

// NewReport returns an account for JSON.
func NewReport(a *Account) Report {
	r := Report{Version: 1, Relation: a.Relation.String(), Direction: a.Direction.String(), Holds: a.holds(),
		Lines: []LineReport{}}
	switch a.Of.By {
	case Data:
		r.Data = a.Of.Name
	case Team:
		r.Team = a.Of.Name
	}
	if a.Left != nil {
		r.Left = down(a.Left, a.Digits)
	}
	if a.Epsilon != nil {
		r.Epsilon = number.Format(a.Epsilon)
	}
	if a.Delta != nil {
		r.Delta = number.Format(a.Delta)
	}
	for i, t := range a.Totals {
		_, name, at := a.quantity()
		r.Lines = append(r.Lines, LineReport{Line: a.Lines[i].Number, ID: a.Lines[i].ID,
			Total: new(shown.NewReport(name, at, t, a.Digits))})
	}
	for i, o := range a.Outcomes {
		l := LineReport{Line: a.Lines[i].Number, ID: a.Lines[i].ID, Verdict: o.Verdict, Reason: o.Reason}
		if o.Delta != nil {
			l.Total = &shown.Report{
				Quantity: "delta", At: r.Epsilon, Bounds: shown.BoundsOf(o.Delta.Decimal(a.Digits)), Methods: o.Methods,
				Effort:   o.Effort,
				Complete: o.Verdict != certify.Undecided, Reason: o.Reason, Notes: o.Notes,
			}
		}
		r.Lines = append(r.Lines, l)
	}
	if a.Filter != nil {
		r.Filter, r.Theorem, r.Bound = "gaussian", a.Filter.Theorem(), down(a.Filter.Bound, a.Digits)
		if !a.Filter.Gaussian {
			r.Filter, r.Order = "renyi", a.Filter.Order.String()
		}
	}
	for i, s := range a.Steps {
		l := LineReport{
			Line: a.Lines[i].Number, ID: a.Lines[i].ID, Spent: up(s.Spent, a.Digits), Left: down(s.Left, a.Digits),
		}
		if s.Decision != Undecided {
			l.Accepted = new(s.Decision == Accepted)
		} else {
			l.Reason = s.open()
		}
		if !a.Filter.Gaussian {
			l.Divergence = new(shown.NewReport("renyi", a.Filter.Order.String(), s.Answer, a.Digits))
		} else if s.Loss == nil {
			l.Reason = notGaussian
		}
		if s.Refusal != "" {
			l.Reason = s.Refusal
		}
		r.Lines = append(r.Lines, l)
	}
	if a.Next != nil {
		r.Full = &a.Next.Full
		if !a.Next.Full {
			r.Next = new(calibrate.NewReport(a.Next.Question, a.Next.Finding))
		}
	}
	return r
}

// Reports are accounts of several owners as JSON.
type Reports struct {
	Version  int      `json:"version"`
	Accounts []Report `json:"accounts"`
}

// NewReports returns accounts for JSON: one as it is, several in a list.
func NewReports(by Key, accounts []Account) any {
	if by == NoKey {
		return NewReport(&accounts[0])
	}
	out := Reports{Version: 1, Accounts: []Report{}}
	for i := range accounts {
		out.Accounts = append(out.Accounts, NewReport(&accounts[i]))
	}
	return out
}

// Text writes an account for people.
func (a *Account) Text() string {
	var b strings.Builder
	if a.Of.By != NoKey {
		fmt.Fprintf(&b, "%s:\n", a.Of)
	}
	if len(a.Lines) == 0 {
		b.WriteString("no events: ε = 0, δ = 0\n")
	}
	if a.Filter != nil {
		what := fmt.Sprintf("filter of order %s: divergences", a.Filter.Order)
		if a.Filter.Gaussian {
			what = "filter for Gaussian noise: 1/σ²"
		}
		fmt.Fprintf(&b, "(%s, %s)-DP by a %s may add up to %s\n",
			number.Format(a.Epsilon), number.Format(a.Delta), what, prose.Readable(down(a.Filter.Bound, a.Digits)))
	}
	methods := func(names []string) string { return cmp.Or(strings.Join(names, ", "), "no method") }
	for i, t := range a.Totals {
		symbol, _, at := a.quantity()
		fmt.Fprintf(&b, "%s  %s(%s) %s   (%s)\n", a.Lines[i], symbol, at, prose.Member(t.Decimal(a.Digits)),
			methods(t.Methods))
		if !t.Complete() {
			b.WriteString(prose.Paragraph("  ", fmt.Sprintf("wider than the %d digits wanted: %v", a.Digits, t.Lacking)))
		}
	}
	for i, o := range a.Outcomes {
		fmt.Fprintf(&b, "%s  %s", a.Lines[i], verdict(o.Verdict))
		if o.Delta != nil {
			fmt.Fprintf(&b, "  δ(%s) %s   (%s)", number.Format(a.Epsilon), prose.Member(o.Delta.Decimal(a.Digits)),
				methods(o.Methods))
		}
		b.WriteByte('\n')
		if o.Reason != "" {
			b.WriteString(prose.Paragraph("  ", o.Reason))
		}
	}
	for i, s := range a.Steps {
		what := map[Decision]string{Refused: "REFUSED ", Accepted: "ACCEPTED", Undecided: "UNDECIDED"}[s.Decision]
		fmt.Fprintf(&b, "%s  %s  %s, spent ≤ %s, left ≥ %s\n", a.Lines[i], what, a.loss(s),
			prose.Readable(up(s.Spent, a.Digits)), prose.Readable(down(s.Left, a.Digits)))
		if s.Decision == Undecided {
			b.WriteString(prose.Paragraph("  ", s.open()))
		}
		if s.Refusal != "" {
			b.WriteString(prose.Paragraph("  ", s.Refusal))
		}
	}
	if a.Left != nil {
		fmt.Fprintf(&b, "left: an event that is (%s, 0)-DP still fits; --next says how much of another\n",
			prose.Readable(down(a.Left, a.Digits)))
	}
	switch {
	case a.Next == nil:
	case a.Next.Full:
		b.WriteString("next: nothing more fits the budget\n")
	default:
		b.WriteString("next: " + strings.ReplaceAll(strings.TrimSuffix(a.Next.Finding.Text(a.Next.Question), "\n"),
			"\n", "\nnext: ") + "\n")
	}
	b.WriteString(prose.Paragraph("", a.holds()))
	return b.String()
}

// loss says what an event costs.
func (a *Account) loss(s Step) string {
	switch {
	case !a.Filter.Gaussian:
		return fmt.Sprintf("R(%s) %s", a.Filter.Order, prose.Member(s.Answer.Decimal(a.Digits)))
	case s.Loss == nil:
		return notGaussian
	}
	return "1/σ² " + prose.Member(rational(s.Loss).Decimal(a.Digits))
}

// verdict says whether a budget is kept.
func verdict(v certify.Verdict) string {
	switch v {
	case certify.Verified:
		return "VERIFIED within the budget"
	case certify.Refuted:
		return "REFUTED: the budget is exceeded"
	}
	return strings.ToUpper(string(v))
}

// Texts writes accounts for people, each in a part of its own.
func Texts(accounts []Account) string {
	var parts []string
	for i := range accounts {
		parts = append(parts, accounts[i].Text())
	}
	return strings.Join(parts, "\n")
}
