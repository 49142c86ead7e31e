// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"io"
	"strings"

	"dpverify/certify"
	"dpverify/certify/certificate"
	"dpverify/certify/decimal"
	"dpverify/certify/measured"
	"dpverify/certify/mended"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
)

// A ClaimsText prints outcomes for people.
type ClaimsText struct {
	W     io.Writer
	Style terminal.Style
	Known Baseline

	file       string // of the last claim
	counts     map[certify.Verdict]int
	novel, old []string // what is not as expected
}

// Claim prints one outcome, and remarks on it.
func (t *ClaimsText) Claim(o *certify.Outcome, more ...string) error {
	var b strings.Builder
	c := o.Claim
	if c.File != t.file {
		if t.file != "" {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, t.Style.Set(terminal.Bold, show.Name(c.File)))
		t.file = c.File
	}
	b.WriteString(verdict(t.Style, o.Verdict) + "  " + t.Style.Set(terminal.Bold, ClaimName(c)))
	if s := c.Says(); s != "" {
		b.WriteString("  " + s)
	}
	switch {
	case o.AsExpected() && c.Expect != "":
		b.WriteString("  as expected")
	case c.Expect != "":
		b.WriteString("  " + t.Style.Set(terminal.Red, "✗ expected "+strings.ToUpper(string(c.Expect))))
	}
	switch {
	case o.AsExpected():
	case t.Known.Has(o):
		b.WriteString("  known from the baseline")
		t.old = append(t.old, ClaimName(c))
	default:
		t.novel = append(t.novel, ClaimName(c))
	}
	b.WriteByte('\n')
	margin := strings.Repeat(" ", len("UNDECIDED")+2)
	for _, line := range numbers(o) {
		b.WriteString(margin + line + "\n")
	}
	for _, text := range append(remarks(o), more...) {
		if text == "" {
			continue
		}
		b.WriteString(prose.Paragraph(margin, text))
	}
	if t.counts == nil {
		t.counts = make(map[certify.Verdict]int)
	}
	t.counts[o.Verdict]++
	_, err := io.WriteString(t.W, b.String())
	return err
}

// numbers returns the lines below the verdict, which are not to be broken.
func numbers(o *certify.Outcome) []string {
	var lines []string
	s, _ := o.Claim.Statement.(certify.Point) // what δ and ε are of
	if o.Delta != nil {
		lines = append(lines, fmt.Sprintf("δ(%s) %s", show.Cut(s.Written[0]),
			prose.Member(decimal.Separating(*o.Delta, s.Delta, textDigits))))
	}
	if e := o.LeastEpsilon(); e != nil {
		line := "least ε " + prose.Member(decimal.Separating(*e, s.Epsilon, textDigits))
		if text := slackText(o); text != "" {
			line += ": " + text
		}
		lines = append(lines, line)
	}
	lines = append(lines, divergenceLines(o.Renyi)...)
	if v, ok := o.Claim.Statement.(certify.Value); ok && o.Value != nil {
		lines = append(lines, "the value "+prose.Member(v.Decimal(*o.Value, textDigits)))
	}
	if o.Err != nil {
		lines = append(lines, o.Err.Error())
	}
	return lines
}

// remarks returns the paragraphs below the numbers.
func remarks(o *certify.Outcome) []string {
	texts := []string{measured.Text(o.Measured), mended.Sentence(o.Mended()), o.Claim.Counted()}
	if o.Derivation != nil {
		texts = append(texts, derivationTexts(o.Derivation)...)
	}
	if o.Reason != "" {
		texts = append(texts, o.Reason)
	}
	for _, n := range o.Notes {
		texts = append(texts, "note: "+n)
	}
	return texts
}

// Summary prints the last line.
func (t *ClaimsText) Summary() error {
	total := 0
	for _, n := range t.counts {
		total += n
	}
	if total == 0 {
		return nil
	}
	line := fmt.Sprintf("\n%s: %s", prose.Many(total, "claim", "claims"), certify.Tally(t.counts))
	if len(t.novel) > 0 {
		line += t.Style.Set(terminal.Red, "; "+count(t.novel, "not as expected"))
	}
	if len(t.old) > 0 {
		line += "; " + count(t.old, "known from the baseline")
	}
	_, err := fmt.Fprintln(t.W, line)
	return err
}

// count says how many claims are so, and names the first.
func count(names []string, so string) string {
	return fmt.Sprintf("%d %s: %s", len(names), so, prose.Few(names, 5))
}

// ClaimName returns the id of a claim, or its place if it has none.
func ClaimName(c *certify.Claim) string {
	if c.ID == "" {
		return fmt.Sprintf("line %d", c.Line)
	}
	return show.Name(c.ID)
}

// verdict returns a verdict as it stands in text, padded to equal length.
func verdict(s terminal.Style, v certify.Verdict) string {
	code := map[certify.Verdict]terminal.Code{
		certify.Verified:  terminal.Green,
		certify.Refuted:   terminal.Red,
		certify.Undecided: terminal.Yellow,
		certify.Malformed: terminal.Purple,
		certify.Stated:    terminal.Blue,
	}[v]
	text := strings.ToUpper(string(v))
	return s.Set(code, text) + strings.Repeat(" ", len("UNDECIDED")-len(text))
}

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
