// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"cmp"
	"fmt"
	"strings"

	"dpverify/ask/audit"
	"dpverify/certify/decimal"
	"dpverify/exact/method"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/vectors"
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

// Noted says in which known ways accountants fail at a question: flags of the test vectors, and what each means.
type Noted func(vectors.Test) (flags []string, meanings map[string]vectors.Note, err error)

// AuditMarkdown renders an audit in Markdown: each finding as an issue that can be filed with the authors of the
// accountant, with the program of its adapter that repeats the answer, then what was answered, then why the rest was
// not.
func AuditMarkdown(r audit.Report, results []audit.Result, noted Noted) ([]byte, error) {
	var b strings.Builder
	s := r.Summary
	fmt.Fprintf(&b, "# Audit of `%s`\n\n", code(strings.Join(r.Command, " ")))
	for _, x := range results {
		if x.Reply.Accountant != "" {
			fmt.Fprintf(&b, "Accountant: %s. ", markdown(x.Reply.Accountant))
			break
		}
	}
	fmt.Fprintf(&b, "Judged by dpverify %s. %s: %d sound, %d unsound, %d undecided.\n", markdown(r.Program),
		prose.Many(s.Asked, "question", "questions"), s.Sound, s.Unsound, s.Undecided)
	for _, small := range audit.Findings(results) {
		if err := finding(&b, small, noted); err != nil {
			return nil, err
		}
	}
	b.WriteString("\n## What was answered\n\n| question | quantity | answer | truth | verdict |\n|---|---|---|---|---|\n")
	for _, x := range results {
		if x.Verdict == audit.Unjudged || x.Judged.Truth == nil {
			continue
		}
		lo, hi := x.Judged.Decimal(textDigits)
		fmt.Fprintf(&b, "| `%s` | %s(%s) | %s | %s | %s |\n", code(x.ID), x.Quantity.Symbol(), number.Format(x.At),
			said(x.Reply), prose.Member(lo, hi), x.Verdict)
	}
	if len(s.Reasons) > 0 {
		fmt.Fprintf(&b, "\n<details>\n<summary>Without an answer: %s</summary>\n\n| questions | | reason |\n|---|---|---|\n",
			strings.Join(s.FailuresInWords(), ", "))
		for _, x := range s.Reasons {
			fmt.Fprintf(&b, "| %d | %s | %s |\n", x.Count, x.Kind, markdown(x.Text))
		}
		b.WriteString("\n</details>\n")
	}
	return []byte(b.String()), nil
}

// finding renders one unsound answer.
func finding(b *strings.Builder, x audit.Result, noted Noted) error {
	j := x.Judged
	bound, wrong := "an upper bound", "below"
	if j.Side == audit.Lower {
		bound, wrong = "a lower bound", "above"
	}
	asked := fmt.Sprintf("%s(%s)", x.Quantity.Symbol(), number.Format(x.At))
	fmt.Fprintf(b, "\n## %s: %s of %s is %s the truth", cmp.Or(markdown(x.Reply.Accountant), "The accountant"), bound,
		asked, wrong)
	if u := j.Understatement; u != nil {
		fmt.Fprintf(b, " by %s, at least", prose.Percent(*u))
	}
	fmt.Fprintf(b, "\n\n%s, relation %s.\n\n", markdown(prose.Event(x.Event)), x.Relation)
	if x.Reply.Program != "" {
		fmt.Fprintf(b, "```python\n%s\n```\n\nIt prints", strings.ReplaceAll(x.Reply.Program, "```", "` ` `"))
	} else {
		fmt.Fprintf(b, "The accountant was asked `%s`, and says", code(string(x.Request())))
	}
	lo, hi := twoMore(j)
	fmt.Fprintf(b, " %s. The truth: %s %s.\n\n", markdown(j.Claimed.String()), asked, prose.Member(lo, hi))
	for _, name := range j.Methods {
		for _, m := range method.All {
			if m.Name == name {
				fmt.Fprintf(b, "- Bounded by `%s`: %s; bounds from %s. docs/theorems.md has the theorems.\n", name,
					m.Applies, m.Bounds)
			}
		}
	}
	flags, meanings, err := noted(asTest(x))
	if err != nil {
		return err
	}
	for _, f := range flags {
		fmt.Fprintf(b, "- A question with the flag `%s`: %s Effect, where an accountant fails at it: %s.\n", f,
			meanings[f].Description, meanings[f].Effect)
	}
	fmt.Fprintf(b, "- Recomputed by\n\n```\n%s\n```\n", x.Command())
	return nil
}

// twoMore returns decimal ends of the truth with two digits more than it takes to see that the answer lies outside.
func twoMore(j audit.Judgement) (lo, hi string) {
	if j.Claimed.Rat == nil {
		return j.Decimal(textDigits)
	}
	lo, hi = decimal.Separating(*j.Truth, j.Claimed.Rat, 2)
	return decimal.Separating(*j.Truth, j.Claimed.Rat, max(significant(lo), significant(hi))+2)
}

// significant counts the significant digits of a decimal.
func significant(s string) int {
	mantissa, _, _ := strings.Cut(s, "e")
	return len(strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0"))
}

// said is what an accountant said, in one cell.
func said(r audit.Reply) string {
	var words []string
	if r.Lower != nil {
		words = append(words, "≥ "+r.Lower.String())
	}
	if r.Upper != nil {
		words = append(words, "≤ "+r.Upper.String())
	}
	if r.Value != nil {
		words = append(words, r.Value.String())
	}
	return markdown(strings.Join(words, ", "))
}

// markdownEscapes make a text of the outside mean itself, also in a cell of a table.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", ">",
	"&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "\n", " ")

func markdown(s string) string { return markdownEscapes.Replace(s) }

// code is a text of the outside between backquotes.
func code(s string) string { return strings.NewReplacer("`", "'", "|", "¦", "\n", " ").Replace(s) }

// asTest is a finding as a test vector: a question, and an enclosure of its answer.
func asTest(x audit.Result) vectors.Test {
	lo, hi := x.Judged.Decimal(textDigits)
	format := "decimal"
	if x.Binary64 {
		format = "binary64"
	}
	return vectors.Test{Event: mechanism.EncodeEvent(x.Event), Relation: x.Relation.String(),
		Direction: mechanism.Both.String(),
		Quantity:  string(x.Quantity), At: number.Format(x.At), NumberFormat: format, Lo: lo, Hi: hi}
}
