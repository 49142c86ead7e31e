// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"strings"

	"dpverify/ask/audit"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// AuditText renders an audit for people.
func AuditText(r audit.Report, results []audit.Result) []byte {
	var b strings.Builder
	s := r.Summary
	for original, small := range audit.Findings(results) {
		fmt.Fprintf(&b, "UNSOUND  %s\n", original.ID)
		if original.About != "" {
			fmt.Fprintf(&b, "  about     %s\n", original.About)
		}
		fmt.Fprintf(&b, "  question  %s\n", small.Request())
		j := small.Judged
		fmt.Fprintf(&b, "  answer    %s %s\n", j.Side, show.Cut(j.Claimed.String()))
		fmt.Fprintf(&b, "  truth     %s(%s) %s\n", small.Quantity.Symbol(), number.Format(small.At),
			prose.Member(j.Decimal(textDigits)))
		if u := j.Understatement; u != nil {
			fmt.Fprintf(&b, "  off by    %s of the truth, at least\n", prose.Percent(*u))
		}
		fmt.Fprintf(&b, "  shows it  %s\n\n", small.Command())
	}
	questions := fmt.Sprintf("%d questions", s.Asked)
	if r.Seed != nil {
		questions += fmt.Sprintf(" (seed %d)", *r.Seed)
	}
	fmt.Fprintf(&b, "%-16s%s\n", "asked", questions)
	rounding := ""
	if s.Rounding > 0 {
		rounding = fmt.Sprintf(" (%d of them by at most 1e-9 of the truth)", s.Rounding)
	}
	fmt.Fprintf(&b, "%-16s%d sound, %d unsound%s, %d undecided", "answers", s.Sound, s.Unsound, rounding, s.Undecided)
	if s.Unjudged > 0 {
		fmt.Fprintf(&b, ", %d estimates", s.Unjudged)
	}
	b.WriteByte('\n')
	failures := s.FailuresInWords()
	if s.Stray > 0 {
		failures = append(failures, fmt.Sprintf("%d stray lines", s.Stray))
	}
	if len(failures) > 0 {
		fmt.Fprintf(&b, "%-16s%s\n", "no answer", strings.Join(failures, ", "))
	}
	const most = 20
	for i, x := range s.Reasons {
		if i == most {
			fmt.Fprintf(&b, "  and %d other reasons, which the JSON has\n", len(s.Reasons)-most)
			break
		}
		fmt.Fprintf(&b, "  %4d %-14s%s (first %s)\n", x.Count, x.Kind, x.Text, x.First)
	}
	if s.Worst != nil {
		fmt.Fprintf(&b, "%-16s%s of the truth left out, at least\n", "worst", prose.Percent(s.Worst.Interval))
	}
	if s.MedianSlack != nil {
		fmt.Fprintf(&b, "%-16smedian %s, worst %s (%s), at least\n", "slack of ε",
			prose.Readable(s.MedianSlack.String()), prose.Readable(s.WorstSlack.String()), s.WorstCase)
	}
	if s.Seconds != nil {
		fmt.Fprintf(&b, "%-16smedian %.3g s, longest %.3g s\n", "time", s.Seconds.Median, s.Seconds.Longest)
	}
	if s.CPU != nil {
		fmt.Fprintf(&b, "%-16saccountant %.3g s, verify %.3g s\n", "processor time", s.CPU.Accountant, s.CPU.Verify)
	}
	return []byte(b.String())
}

// Audit returns an audit as a page.
func Audit(r audit.Report) ([]byte, error) {
	return render("audit", struct {
		R                            audit.Report
		Title, CommandLine, Failures string
	}{r, "Audit of an accountant", printable(strings.Join(r.Command, " ")),
		strings.Join(r.Summary.FailuresInWords(), ", ")})
}
