// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"strings"

	"dpverify/certify"
	"dpverify/certify/certificate"
	"dpverify/certify/decimal"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
)

// CheckText says for people what the check of a certificate found.
func CheckText(style terminal.Style, cert certificate.Certificate, claim *certify.Claim, k certificate.Check,
	unasked string) []byte {
	code := terminal.Yellow
	switch k.Verdict {
	case certificate.Confirmed:
		code = terminal.Green
	case certificate.Contradicted:
		code = terminal.Red
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n", style.Set(code, strings.ToUpper(string(k.Verdict))), show.Name(cert.ID),
		strings.ToUpper(string(cert.Verdict)))
	fmt.Fprintf(&b, "  certificate  δ(%s) %s by %s at %d bits\n", show.Cut(cert.Claim.Epsilon),
		prose.Member(cert.Delta.Lo, cert.Delta.Hi), strings.Join(cert.Methods, ", "), cert.Precision)
	if k.Delta != nil {
		fmt.Fprintf(&b, "  recomputed   δ(%s) %s\n", show.Cut(cert.Claim.Epsilon),
			prose.Member(decimal.Separating(*k.Delta, claim.Statement.(certify.Point).Delta, textDigits)))
		fmt.Fprintf(&b, "  by other     %s\n", k.How)
	}
	if k.Reason != "" {
		fmt.Fprintf(&b, "  %s\n", k.Reason)
	}
	if unasked != "" {
		b.WriteString(prose.Paragraph("  ", unasked))
	}
	return []byte(b.String())
}
