// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package report writes what certify and audit found for other programs and for
// browsers: JUnit XML, SARIF, annotations of GitHub Actions, and HTML pages that need
// neither scripts nor the network.
//
// Claims are written by anybody: all texts are escaped by the encoders of the
// standard library, and control characters never pass.
package report

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpverify/ask/measure"
	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/measured"
	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/prose"
)

// annotationDigits are the digits of numbers in messages for CI, or as many as tell them from the claim.
const annotationDigits = 4

// A Finding is the outcome of a claim together with what is shown of it.
type Finding struct {
	certify.ClaimReport
	Outcome *certify.Outcome
	// Known says that a baseline has the same failure.
	Known bool
}

// Findings returns the findings of outcomes, beside a baseline, which may be nil.
func Findings(outcomes []*certify.Outcome, known Baseline) []Finding {
	reports := certify.NewReport(outcomes).Claims
	fs := make([]Finding, len(outcomes))
	for i, o := range outcomes {
		fs[i] = Finding{ClaimReport: reports[i], Outcome: o}
		fs[i].Known = !fs[i].AsExpected && known.has(reports[i])
	}
	return fs
}

// NothingVerified reports that the event states the claim: neither a failure nor a
// success, whatever was expected, unless an attack contradicts it.
func (f Finding) NothingVerified() bool {
	return f.Verdict == certify.Stated && !contradicted(f.Outcome)
}

// open reports that a claim is neither true nor false, and nothing was measured against it.
func (f Finding) open() bool { return f.Verdict == certify.Undecided && !contradicted(f.Outcome) }

// Name is the id of the claim, or its line if it has none.
func (f Finding) Name() string {
	if f.ID == "" {
		return fmt.Sprintf("line %d", f.Line)
	}
	return printable(f.ID)
}

// Claimed is the claim in words.
func (f Finding) Claimed() string { return printable(f.Outcome.Claim.Says()) }

// Message says in one line what was found.
func (f Finding) Message() string {
	var parts []string
	head := strings.ToUpper(string(f.Verdict))
	if c := f.Claimed(); c != "" {
		head += " " + c
	}
	parts = append(parts, head)
	s, _ := f.Outcome.Claim.Statement.(certify.Point) // what δ and ε are of
	if d := f.Outcome.Delta; d != nil {
		parts = append(parts, "δ at the claimed ε "+prose.Member(decimal.Separating(*d, s.Delta, annotationDigits)))
	}
	if e := f.Outcome.LeastEpsilon(); e != nil {
		lo, hi := decimal.Separating(*e, s.Epsilon, annotationDigits)
		parts = append(parts, "the least ε at the claimed δ "+prose.Member(lo, hi))
	}
	if text := mended.Sentence(f.Outcome.Mended()); text != "" {
		parts = append(parts, strings.TrimSuffix(text, "."))
	}
	for _, s := range []string{measured.Text(f.Outcome.Measured), f.Reason, f.Error} {
		if s != "" {
			parts = append(parts, printable(s))
		}
	}
	if f.Verdict == certify.Stated {
		parts = append(parts, "nothing was verified: the event states the claim")
	}
	if f.Expect != nil && !f.AsExpected {
		parts = append(parts, "expected "+strings.ToUpper(string(*f.Expect)))
	}
	if f.Known {
		parts = append(parts, "known from the baseline")
	}
	return strings.Join(parts, "; ")
}

// printable replaces what XML cannot hold and what must not reach a terminal or a
// page: control characters and those that reorder text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0,
			r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r == 0xfffe || r == 0xffff:
			return '\uFFFD'
		}
		return r
	}, s)
}

// textDigits is how many significant digits the text output has, or more where a
// verdict needs them.
const textDigits = 8

// Error writes an error for people, and a bug of the engine with all that a report of it needs.
func Error(err error) string {
	var bug *exact.InconsistencyError
	var crash *guard.PanicError
	switch {
	case errors.As(err, &bug):
		return fmt.Sprintf(`verify: INTERNAL ERROR: %v

Two methods contradict each other, so one of them is wrong: nothing that this
version says about this mechanism can be relied on. Please report it with this
command, which shows it again:

  %s
`, err, bug.Reproduce)
	case errors.As(err, &crash):
		return fmt.Sprintf("verify: INTERNAL ERROR: %v\nPlease report it, with the input that it is about.\n", err)
	}
	return fmt.Sprintf("verify: %v\n", err)
}

// A Baseline is the failures of an earlier run. A nil Baseline has none.
type Baseline map[failure]bool

// A failure is a verdict that is not as expected, and on what.
type failure struct {
	file, id    string
	verdict     certify.Verdict
	fingerprint string
}

func failureOf(c certify.ClaimReport) failure {
	return failure{c.File, c.ID, c.Verdict, c.Fingerprint}
}

// ReadBaseline reads the JSON output of an earlier run.
func ReadBaseline(ctx context.Context, path string) (Baseline, error) {
	const most = 256 << 20
	data, err := document.FileContents(ctx, path, most)
	if err != nil {
		return nil, err
	}
	r, err := certify.ReadReport(path, data)
	if err != nil {
		return nil, err
	}
	known := make(Baseline)
	for _, c := range r.Claims {
		if c.AsExpected {
			continue
		}
		known[failureOf(c)] = true
	}
	return known, nil
}

// has reports that the baseline has the same failure: the same verdict on a claim of the same
// file and id that says the same.
func (b Baseline) has(c certify.ClaimReport) bool { return b[failureOf(c)] }

// Has is has for an outcome.
func (b Baseline) Has(o *certify.Outcome) bool {
	return b != nil && b.has(certify.NewReport([]*certify.Outcome{o}).Claims[0])
}

// contradicted reports that an attack contradicts the event of a claim, or a claim that was not refuted.
func contradicted(o *certify.Outcome) bool {
	return !measured.Fits(measured.Report(o.Measured), o.Verdict == certify.Refuted)
}

// corner is the measured one of the three corners of an audit: beside it stand what is claimed and what is true. Empty
// where nothing was measured.
func corner(o *certify.Outcome) string {
	a := o.Measured
	if a == nil {
		return ""
	}
	r := a.Report()
	return "ε ≥ " + r.Epsilon.Lo + " at δ = " + r.At + ", with confidence " + r.Confidence
}

// measuredWords says in sentences what an attack shows; empty where nothing was measured.
func measuredWords(o *certify.Outcome) string {
	a := o.Measured
	if a == nil {
		return ""
	}
	r := a.Report()
	var b strings.Builder
	b.WriteString("An attack shows, with confidence " + r.Confidence + ", that ε at δ = " + r.At +
		" is at least " + r.Epsilon.Lo + ".")
	for _, x := range []struct {
		of string
		*measure.Finding
	}{{"the mechanism as it is described", a.OfEvent}, {"the claim", a.OfClaim}} {
		switch {
		case x.Finding == nil:
		case x.Verdict == measure.Contradicted:
			b.WriteString(" It contradicts " + x.of + ".")
		case x.Verdict == measure.Consistent:
			b.WriteString(" It does not contradict " + x.of + ", which proves nothing.")
		default:
			b.WriteString(" So few canaries could not contradict " + x.of + ".")
		}
	}
	if a.OfEvent != nil && a.OfEvent.Verdict == measure.Contradicted {
		b.WriteString(" Something else ran, or the attack did not keep its conditions.")
	}
	return b.String()
}
