// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shown

import (
	"cmp"
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/internal/prose"
)

// ofNoUse says that a δ of at least 1 excludes nothing, and asks whether an exponent has lost its sign.
func ofNoUse(delta string) string {
	text := "δ is a bound of probabilities: with 1 or more every ε will do."
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(delta), "e"); ok && !strings.HasPrefix(exponent, "-") {
		text += fmt.Sprintf(" Is %se-%s meant?", mantissa, strings.TrimPrefix(exponent, "+"))
	}
	return text
}

// Text writes answers for people: a line each, and what there is to say of it. The quantity is
// written as its symbol, and the numbers at which it is asked for as they were.
func Text(symbol string, at []string, answers []ask.Answer, digits int) string {
	var b strings.Builder
	for i, a := range answers {
		fmt.Fprintf(&b, "%s(%s) %s   (%s)\n", symbol, at[i], prose.Member(a.Decimal(digits)),
			cmp.Or(strings.Join(a.Methods, ", "), "no method"))
		if symbol == "ε" && at[i] != "0" && a.Interval.Hi().Sign() > 0 && a.Interval.IsFinite() {
			fmt.Fprintf(&b, "  to quote: ε ≤ %s at δ = %s\n", a.Quote(ask.KindEpsilon.Name), at[i])
		}
		if symbol == "ε" && a.Interval.Hi().IsInf() && a.Interval.Hi().Signbit() {
			b.WriteString(prose.Paragraph("  ", ofNoUse(at[i])))
		}
		if !a.Complete() {
			b.WriteString(prose.Paragraph("  ", fmt.Sprintf("wider than the %d digits wanted: %v", digits, a.Lacking)))
		}
		for _, n := range a.Notes {
			b.WriteString(prose.Paragraph("  ", "note: "+n))
		}
	}
	return b.String()
}
