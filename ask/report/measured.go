// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"strings"

	"dpverify/ask/measure"
	"dpverify/certify"
	"dpverify/certify/measured"
)

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
