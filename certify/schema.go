// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"math/big"

	"dpverify/ask/measure"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/internal/shown"
)

// A ClaimReport is the outcome of one claim.
type ClaimReport struct {
	ID         string   `json:"id"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Verdict    Verdict  `json:"verdict"`
	Expect     *Verdict `json:"expect"`
	AsExpected bool     `json:"as_expected"`
	// Fingerprint and Asides identify what was decided, as those of the Claim do, for baselines and merged results.
	Fingerprint string            `json:"claim_sha256"`
	Asides      string            `json:"asides_sha256,omitempty"`
	Delta       *Bounds           `json:"delta"`
	Epsilon     *Bounds           `json:"epsilon"`
	Renyi       []RenyiReport     `json:"renyi,omitempty"`
	Domination  *DominationReport `json:"domination,omitempty"`
	Measured    *measure.Report   `json:"measured,omitempty"`
	Value       *Bounds           `json:"value,omitempty"`
	Mended      []mended.Report   `json:"mended,omitempty"`
	Counted     string            `json:"counted,omitempty"`
	Methods     []string          `json:"methods"`
	Effort      exact.Effort      `json:"effort"`
	Derivation  *DerivationReport `json:"derivation"`
	Reason      string            `json:"reason,omitempty"`
	Error       string            `json:"error,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
}

// Bounds are the decimal ends of an enclosure.
type Bounds = shown.Bounds

// reportDigits is how many significant digits the JSON output has, or more where
// a verdict needs them.
const reportDigits = 20

// NewBounds returns the ends of an enclosure in decimals, on the side of the claimed number on which it is; nil for
// none.
func NewBounds(e *exact.Enclosure, claimed *big.Rat) *Bounds {
	if e == nil {
		return nil
	}
	lo, hi := decimal.Separating(*e, claimed, reportDigits)
	return &Bounds{Lo: lo, Hi: hi}
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

// A RenyiReport is a Rényi divergence of a claim about them.
type RenyiReport struct {
	Order string `json:"order"`
	Value string `json:"value"`
	Bounds
}

// A DominationReport is where a distribution of losses is worst.
type DominationReport struct {
	Epsilon string `json:"epsilon"`
	Delta   Bounds `json:"delta"` // of the event
	Bound   Bounds `json:"pld"`   // of the distribution
	Points  int    `json:"points"`
}
