// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"math/big"

	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/document"
	"dpverify/exact"
	"dpverify/exact/interval"
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
	if r.Version != reportVersion || r.Claims == nil {
		return r, fmt.Errorf("%s: version = %d, want %s, version %d", show.Name(name), r.Version, want, reportVersion)
	}
	return r, nil
}

// A ClaimReport is the outcome of one claim.
type ClaimReport struct {
	ID         string   `json:"id"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Verdict    Verdict  `json:"verdict"`
	Expect     *Verdict `json:"expect"`
	AsExpected bool     `json:"as_expected"`
	// Fingerprint identifies a claim that is not as expected, for baselines.
	Fingerprint string            `json:"claim_sha256,omitempty"`
	Delta       *Bounds           `json:"delta"`
	Epsilon     *Bounds           `json:"epsilon"`
	Renyi       []RenyiReport     `json:"renyi,omitempty"`
	Domination  *DominationReport `json:"domination,omitempty"`
	Value       *Bounds           `json:"value,omitempty"`
	Methods     []string          `json:"methods"`
	Effort      exact.Effort      `json:"effort"`
	Derivation  *DerivationReport `json:"derivation"`
	Reason      string            `json:"reason,omitempty"`
	Error       string            `json:"error,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
}

// Bounds are the decimal ends of an enclosure.
type Bounds struct {
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// A DerivationReport says whether the stated derivation gives the claim. Where it is
// not modelled, Status says so, Reason why, and the rest is null.
type DerivationReport struct {
	Name       string          `json:"name"`
	Status     string          `json:"status"` // "modelled" or "not modelled"
	Lo         *string         `json:"lo"`
	Hi         *string         `json:"hi"`
	Implies    *bool           `json:"implies"`    // null: open
	Reproduces *bool           `json:"reproduces"` // null: open
	Rounding   derive.Rounding `json:"rounding,omitempty"`
	Digits     *int            `json:"digits"`
	Reason     string          `json:"reason,omitempty"`
	Note       string          `json:"note,omitempty"`
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
	digits := d.Digits
	r.Status, r.Lo, r.Hi, r.Digits = "modelled", &lo, &hi, &digits
	r.Implies, r.Reproduces, r.Rounding = truth(d.Implies), truth(d.Reproduces), d.Rounding
	return r
}

// truth is null where the answer is open.
func truth(t interval.Truth) *bool {
	if t == interval.Unknown {
		return nil
	}
	b := t == interval.True
	return &b
}

// reportDigits is how many significant digits the JSON output has, or more where
// a verdict needs them.
const reportDigits = 20

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
		ID:         c.ID,
		File:       c.File,
		Line:       c.Line,
		Verdict:    o.Verdict,
		AsExpected: o.AsExpected(),
		Methods:    o.Methods,
		Effort:     o.Effort,
		Reason:     o.Reason,
		Notes:      o.Notes,
	}
	if !r.AsExpected {
		r.Fingerprint = c.Fingerprint
	}
	if c.Statement != nil {
		c.Statement.report(&r, o)
	}
	if r.Methods == nil {
		r.Methods = []string{}
	}
	if c.Expect != "" {
		r.Expect = &c.Expect
	}
	r.Derivation = newDerivationReport(o.Derivation)
	if o.Err != nil {
		r.Error = o.Err.Error()
	}
	return r
}

// NewBounds returns the ends of an enclosure in decimals, on the side of the claimed number on which it is; nil for none.
func NewBounds(e *exact.Enclosure, claimed *big.Rat) *Bounds {
	if e == nil {
		return nil
	}
	lo, hi := decimal.Separating(*e, claimed, reportDigits)
	return &Bounds{lo, hi}
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
