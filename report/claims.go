// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"html/template"

	"dpverify/certify"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A claimView is a claim as a page shows it.
type claimView struct {
	Finding
	Anchor      string
	Source      string
	Note        string
	Event       string
	Slack       string
	Stated      string // what the stated derivation gives
	Assumptions []string
	Methods     []MethodBound
	Plot        template.HTML // our own drawing
	SHA256      string
	Bits        uint
}

// Claims returns the outcomes of claims as a page that needs neither scripts nor the
// network. details belong to the findings, in their order. The numbers are the same as in
// the JSON output.
func Claims(program, title string, fs []Finding, details []Detail) ([]byte, error) {
	page := struct {
		Title, Program string
		Claims         []claimView
		Counts         string
	}{Title: title, Program: program}
	counts := make(map[certify.Verdict]int)
	for i, f := range fs {
		c := f.Outcome.Claim
		v := claimView{Finding: f, Anchor: fmt.Sprintf("claim-%d", i+1), Source: printable(c.Source), Note: printable(c.Note), SHA256: c.SHA256, Bits: uint(f.Effort.Bits())}
		if c.Err == nil {
			v.Event = string(mechanism.EncodeEvent(c.LessPrivate))
			v.Assumptions = assumptions(c)
		}
		v.Slack, v.Stated = slack(f.Outcome), derivation(f.Derivation)
		if i < len(details) {
			v.Methods = details[i].Methods
			v.Plot = picture(details[i].Graph)
		}
		counts[f.Verdict]++
		page.Claims = append(page.Claims, v)
	}
	page.Counts = certify.Tally(counts)
	return render("claims", page)
}

// slack says by how much the claimed ε is too large or too small.
func slack(o *certify.Outcome) string {
	d, ok := o.Slack()
	if !ok {
		return ""
	}
	word := "overstated by"
	if o.Verdict == certify.Refuted {
		word = "understated by"
	}
	switch {
	case d.IsZero():
		return "the claim is tight"
	case d.Lo().IsInf():
		return "no ε is enough"
	case d.Hi().IsInf():
		lo, _ := interval.Point(d.Lo()).Decimal(3)
		return fmt.Sprintf("%s at least %s", word, lo)
	}
	lo, hi := d.Decimal(3)
	if lo == hi {
		return fmt.Sprintf("ε is %s %s", word, lo)
	}
	return fmt.Sprintf("ε is %s %s to %s", word, lo, hi)
}
