// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/internal/number"
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
