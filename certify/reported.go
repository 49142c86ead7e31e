// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"encoding/hex"
	"fmt"

	"dpverify/certify/decimal"
	"dpverify/certify/measured"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/show"
)

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

// asExpected reports whether a verdict is the expected one; where nothing is expected, whether a claim is VERIFIED, or
// STATED: then there was nothing to decide.
func asExpected(v Verdict, expect *Verdict) bool {
	if expect != nil {
		return v == *expect
	}
	return v == Verified || v == Stated
}
