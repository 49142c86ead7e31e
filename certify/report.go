// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"

	"dpverify/certify/decimal"
	"dpverify/certify/measured"
	"dpverify/certify/mended"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/show"
)

// reportVersion is the version of the JSON output.
const reportVersion = 1

// A Report is the JSON output. It holds nothing that depends on the clock.
type Report struct {
	Version int           `json:"version"`
	Claims  []ClaimReport `json:"claims"`
}

// ReadReport reads the JSON output.
func ReadReport(name string, data []byte) (Report, error) {
	const want = "the JSON output of verify certify"
	var r Report
	if err := document.Unmarshal(name, data, want, &r); err != nil {
		return r, err
	}
	if r.Version != reportVersion {
		return r, fmt.Errorf("%s: version = %d, want %s, version %d", show.Name(name), r.Version, want, reportVersion)
	}
	for i, c := range r.Claims {
		if err := c.check(); err != nil {
			return r, fmt.Errorf("%s: claims[%d].%w", show.Name(name), i, err)
		}
	}
	return r, nil
}

func newDerivationReport(d *Derivation) *DerivationReport {
	if d == nil {
		return nil
	}
	r := &DerivationReport{Name: d.Name, Status: "not modelled", Reason: d.NotModelled, Note: d.Note}
	if d.Epsilon == nil {
		return r
	}
	lo, hi := decimal.Separating(*d.Epsilon, d.Claimed, reportDigits)
	r.Status, r.Lo, r.Hi, r.Digits = "modelled", &lo, &hi, new(d.Digits)
	r.Implies, r.Reproduces, r.Rounding = truth(d.Implies), truth(d.Reproduces), d.Rounding
	return r
}

// truth is null where the answer is open.
func truth(t interval.Truth) *bool {
	if t == interval.Unknown {
		return nil
	}
	return new(t == interval.True)
}

// NewReport returns the report of outcomes, in their order.
func NewReport(outcomes []*Outcome) Report {
	r := Report{Version: reportVersion, Claims: make([]ClaimReport, len(outcomes))}
	for i, o := range outcomes {
		r.Claims[i] = newClaimReport(o)
	}
	return r
}

func newClaimReport(o *Outcome) ClaimReport {
	c := o.Claim
	r := ClaimReport{
		ID:          c.ID,
		File:        c.File,
		Line:        c.Line,
		Fingerprint: c.Fingerprint, Asides: c.Asides,
		Verdict:    o.Verdict,
		AsExpected: o.AsExpected(),
		Methods:    o.Methods,
		Effort:     o.Effort,
		Reason:     o.Reason,
		Notes:      o.Notes,
		Mended:     mended.Reports(o.Mended()),
		Counted:    c.Counted(),
		Measured:   measured.Report(o.Measured),
	}
	if c.Statement != nil {
		c.Statement.report(&r, o)
	}
	if r.Methods == nil {
		r.Methods = []string{}
	}
	r.Expect = c.expected()
	r.Derivation = newDerivationReport(o.Derivation)
	if o.Err != nil {
		r.Error = o.Err.Error()
	}
	return r
}

// IsOf reports that a claim is the one that was decided, in all that its report depends on.
func (r ClaimReport) IsOf(c *Claim) bool {
	return r.Fingerprint == c.Fingerprint && r.Asides == c.Asides
}

// JSON returns the report as indented JSON that ends with a newline.
func (r Report) JSON() ([]byte, error) {
	return document.Indented(r)
}

// Tally counts the verdicts of a report.
func (r Report) Tally() map[Verdict]int {
	counts := make(map[Verdict]int)
	for _, c := range r.Claims {
		counts[c.Verdict]++
	}
	return counts
}
