// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// derivationTexts says which ε the stated derivation gives.
func derivationTexts(d *certify.Derivation) []string {
	if d.Epsilon == nil {
		return []string{fmt.Sprintf("derivation %s is not modelled: %s", show.Name(show.Cut(d.Name)), d.NotModelled)}
	}
	line := fmt.Sprintf("derivation %s gives ε %s: ", d.Name, prose.Member(decimal.Separating(*d.Epsilon, d.Claimed,
		textDigits)))
	switch {
	case d.Reproduces == interval.True && d.Rounding == derive.NotRounded:
		line += "the claim exactly"
	case d.Reproduces == interval.True:
		line += "the claim, rounded (" + string(d.Rounding) + ")"
	case d.Implies == interval.True:
		line += "it implies the claim"
	case d.Implies == interval.False:
		line += "it does not yield the claim"
	default:
		line += "open whether it yields the claim"
	}
	if d.Reproduces != interval.True && d.Digits > 0 {
		line += "; they agree to " + prose.Many(d.Digits, "digit", "digits")
	}
	texts := []string{line}
	if d.Note != "" {
		texts = append(texts, "  "+d.Note)
	}
	return texts
}

// divergenceLines says what the divergences of a claim about them are.
func divergenceLines(bounds []certify.DivergenceBound) []string {
	var lines []string
	for _, b := range bounds {
		lines = append(lines, fmt.Sprintf("R(%s) %s, claimed %s", number.Format(b.Order),
			prose.Member(decimal.Separating(b.Divergence, b.Value, textDigits)), number.Format(b.Value)))
	}
	return lines
}
