// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"

	"dpverify/certify"
)

// derivation says which ε the stated derivation gives, and whether that is the claim: all
// that the JSON output says of it. It is empty if none is stated.
func derivation(d *certify.DerivationReport) string {
	switch {
	case d == nil:
		return ""
	case d.Lo == nil || d.Hi == nil:
		return d.Name + " is not modelled: " + d.Reason
	}
	text := fmt.Sprintf("%s gives ε in [%s, %s]: ", d.Name, *d.Lo, *d.Hi)
	text += answer(d.Implies, "it implies the claim", "it does not yield the claim",
		"open whether it implies the claim") + ", "
	text += answer(d.Reproduces, "the claim is that value ("+string(d.Rounding)+")",
		"the claim is not that value, rounded", "open whether the claim is that value, rounded")
	if d.Digits != nil {
		text += fmt.Sprintf("; digits in common: %d", *d.Digits)
	}
	if d.Note != "" {
		text += "; " + d.Note
	}
	return text
}

func answer(b *bool, yes, no, open string) string {
	switch {
	case b == nil:
		return open
	case *b:
		return yes
	}
	return no
}
