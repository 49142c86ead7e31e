// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"encoding/hex"
	"fmt"

	"dpverify/certify/decimal"
	"dpverify/certify/measured"
	"dpverify/certify/mended"
	"dpverify/exact"
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

// check checks that a claim of a report, of the right kinds, is one that newClaimReport could have written. The error
// is a *document.FieldError, with the field's name inside of the claim.
func (c ClaimReport) check() error {
	invalid := func(field, value, want string) error {
		return &document.FieldError{Field: field, Value: value, Want: want}
	}
	if c.Line < 0 {
		return invalid("line", fmt.Sprint(c.Line), "an integer >= 0")
	}
	if _, err := parseVerdict(string(c.Verdict)); err != nil {
		return invalid("verdict", show.Value(string(c.Verdict)), wantVerdict)
	}
	if c.Expect != nil {
		if _, err := parseVerdict(string(*c.Expect)); err != nil {
			return invalid("expect", show.Value(string(*c.Expect)), wantVerdict+", or null")
		}
	}
	if want := asExpected(c.Verdict, c.Expect) && c.Fits(); c.AsExpected != want {
		return invalid("as_expected", fmt.Sprint(c.AsExpected), fmt.Sprintf("%t of the verdict %s", want, c.Verdict))
	}
	for _, sum := range []hashField{{"claim_sha256", c.Fingerprint}, {"asides_sha256", c.Asides}} {
		if hash, err := hex.DecodeString(sum.hex); err != nil || len(hash) != 32 && sum != (hashField{"asides_sha256", ""}) {
			return invalid(sum.name, show.Value(sum.hex), "64 hexadecimal digits")
		}
	}
	if c.Effort < 0 || c.Effort > exact.MaxEffort {
		return invalid("effort", fmt.Sprint(c.Effort), fmt.Sprintf("an integer in [0, %d]", exact.MaxEffort))
	}
	return c.checkBounds()
}

// A hashField is a field with a hash.
type hashField struct{ name, hex string }

// checkBounds is check for all enclosures.
func (c ClaimReport) checkBounds() error {
	type named struct {
		name string
		*Bounds
	}
	all := []named{{"delta", c.Delta}, {"epsilon", c.Epsilon}, {"value", c.Value}}
	for i := range c.Renyi {
		all = append(all, named{fmt.Sprintf("renyi[%d]", i), &c.Renyi[i].Bounds})
	}
	if d := c.Domination; d != nil {
		all = append(all, named{"domination.delta", &d.Delta}, named{"domination.pld", &d.Bound})
	}
	if d := c.Derivation; d != nil && d.Lo != nil && d.Hi != nil {
		all = append(all, named{"derivation", &Bounds{Lo: *d.Lo, Hi: *d.Hi}})
	}
	for _, b := range all {
		if b.Bounds == nil {
			continue
		}
		ends, err := decimal.ParseEnds(b.Lo, b.Hi)
		if err != nil {
			return fmt.Errorf("%s.%w", b.name, err)
		}
		if ends.Lo.Cmp(ends.Hi) > 0 {
			return &document.FieldError{Field: b.name, Value: fmt.Sprintf("[%s, %s]", show.Value(b.Lo),
				show.Value(b.Hi)), Want: "lo <= hi"}
		}
	}
	return nil
}

// Fits is that of the outcome.
func (c ClaimReport) Fits() bool { return measured.Fits(c.Measured, c.Verdict == Refuted) }
