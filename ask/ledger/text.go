// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"cmp"
	"fmt"
	"strings"

	"dpverify/certify"
	"dpverify/internal/number"
	"dpverify/internal/prose"
)

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
