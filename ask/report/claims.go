// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"dpverify/ask/witness"
	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// An About says how a page came about. What is empty is left out.
type About struct {
	Program, Built string // its version, and what it was built from
	By, Date       string // who wrote the page, and when
	Command        string // that writes it again
	Brief          bool   // each claim has a printed page, and the rest is in an annex
}

// A claimView is a claim as a page shows it.
type claimView struct {
	Finding
	Anchor      string
	Source      string
	Note        string
	Says        template.HTML // what was found, in sentences
	Told        template.HTML // the event in sentences
	Written     string        // the short form that was written, if any
	Event       string        // the event as it was read
	InTruth     template.HTML // what is true of the number that is claimed, in a few digits
	Quote       template.HTML // the number to quote
	Slack       template.HTML
	Corner      template.HTML // what was measured
	Measured    template.HTML // and what that says
	Against     bool          // it contradicts the claim or its event
	Stated      string        // what the stated derivation gives
	Derived     []derivedView
	Follows     string // the derivations that give the claimed number
	Assumptions []string
	Methods     []MethodBound
	Plot        template.HTML // our own drawing
	Why         []witness.Line
	SHA256      string
	Bits        uint
}

// Claimed is the claim for people.
func (v claimView) Claimed() template.HTML { return people(v.Finding.Claimed()) }

// A fileView is a file that claims are from.
type fileView struct {
	Name, SHA256 string
	Claims       int
}

// attention is how many claims the beginning of a page points at, at most.
const attention = 20

// Claims returns the outcomes of claims as a page that needs neither scripts nor the
// network. details belong to the findings, in their order, and there may be less of them. The
// numbers are the same as in the JSON output.
func Claims(about About, title string, fs []Finding, details []Detail) ([]byte, error) {
	page := struct {
		Title     string
		About     About
		Claims    []claimView
		Counts    string
		InWords   string
		Attention []claimView
		More      int // claims that need attention as well
		Plain     int // claims without detail
		Files     []fileView
	}{Title: title, About: about}
	counts, against := make(map[certify.Verdict]int), 0
	for i, f := range fs {
		var d Detail
		if i < len(details) {
			d = details[i]
		}
		v := newClaimView(f, d, fmt.Sprintf("claim-%d", i+1))
		counts[f.Verdict]++
		page.Claims = append(page.Claims, v)
		if !d.Examined {
			page.Plain++
		}
		if v.Against {
			against++
		}
		if v.Against || f.Verdict != certify.Verified && f.Verdict != certify.Stated {
			if len(page.Attention) < attention {
				page.Attention = append(page.Attention, v)
			} else {
				page.More++
			}
		}
		name := printable(f.File)
		j := slices.IndexFunc(page.Files, func(x fileView) bool { return x.Name == name })
		if j < 0 {
			j = len(page.Files)
			page.Files = append(page.Files, fileView{Name: name, SHA256: f.Outcome.Claim.SHA256})
		}
		page.Files[j].Claims++
	}
	page.Counts, page.InWords = certify.Tally(counts), inWords(counts)
	if against > 0 {
		page.InWords += " What was measured contradicts " + fmt.Sprintf("%d of them.", against)
	}
	return render("claims", page)
}

func newClaimView(f Finding, d Detail, anchor string) claimView {
	c := f.Outcome.Claim
	v := claimView{Finding: f, Anchor: anchor, Source: printable(c.Source), Note: printable(c.Note), SHA256: c.SHA256,
		Bits: uint(f.Effort.Bits()),
		Says: people(printable(f.Outcome.Words())), Slack: people(slackText(f.Outcome)),
		Corner: people(corner(f.Outcome)), Measured: people(measuredWords(f.Outcome)), Against: contradicted(f.Outcome),
		InTruth: people(inTruth(f.Outcome)), Quote: people(quote(f.Outcome)),
		Stated: stated(f), Methods: d.Methods, Plot: picture(d.Graph), Why: d.Why}
	if c.Err == nil {
		v.Told = people(printable(prose.Sentence(c.MorePrivate, c.LessPrivate)))
		v.Written, v.Event = printable(c.Written), string(mechanism.EncodeEvent(c.LessPrivate))
		v.Assumptions = assumptions(c)
	}
	v.Derived, v.Follows = derivedViews(d.Derivations, f.Outcome.LeastEpsilon()), follows(d.Derivations)
	return v
}

// stated says what the stated derivation gives, in a few digits.
func stated(f Finding) string {
	if f.Derivation == nil || f.Outcome.Derivation.Epsilon == nil {
		return derivation(f.Derivation)
	}
	d := *f.Derivation
	lo, hi := decimal.Separating(*f.Outcome.Derivation.Epsilon, f.Outcome.Derivation.Claimed, fewDigits)
	d.Lo, d.Hi = &lo, &hi
	return derivation(&d)
}

// inWords is the tally for people who do not know the verdicts.
func inWords(counts map[certify.Verdict]int) string {
	all := 0
	var parts []string
	for _, x := range []struct {
		v         certify.Verdict
		one, many string
	}{
		{certify.Verified, "is true", "are true"},
		{certify.Refuted, "is false", "are false"},
		{certify.Undecided, "is open", "are open"},
		{certify.Malformed, "cannot be read", "cannot be read"},
		{certify.Stated, "is only stated", "are only stated"},
	} {
		n := counts[x.v]
		all += n
		switch {
		case n == 1:
			parts = append(parts, "1 "+x.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, x.many))
		}
	}
	if len(parts) == 0 {
		return "There are no claims."
	}
	text := prose.Joined(parts, "and")
	if all == 1 {
		return "The one claim " + strings.TrimPrefix(text, "1 ") + "."
	}
	return fmt.Sprintf("Of %d claims %s.", all, text)
}

// Summary counts outcomes in a line, and names those that are not as expected.
func Summary(outcomes []*certify.Outcome) string {
	counts := make(map[certify.Verdict]int)
	var novel []string
	for _, o := range outcomes {
		counts[o.Verdict]++
		if !o.AsExpected() {
			novel = append(novel, ClaimName(o.Claim))
		}
	}
	text := prose.Many(len(outcomes), "claim", "claims")
	if len(outcomes) > 0 {
		text += ": " + certify.Tally(counts)
	}
	if len(novel) > 0 {
		text += "; " + count(novel, "not as expected")
	}
	return text
}

// quote is the number to quote of a claim about ε at a δ.
func quote(o *certify.Outcome) string {
	s, ok := o.Claim.Statement.(certify.Point)
	e := o.LeastEpsilon()
	if !ok || e == nil || o.Verdict == certify.Stated || e.Hi().IsInf() {
		return ""
	}
	return "ε ≤ " + number.QuoteAbove(e) + " at δ = " + s.Written[1]
}

// inTruth is the number that a claim is about, as far as it was found: the least ε at the
// claimed δ, or the quantity.
func inTruth(o *certify.Outcome) string {
	switch s := o.Claim.Statement.(type) {
	case certify.Point:
		if e := o.LeastEpsilon(); e != nil && o.Verdict != certify.Stated {
			return "least ε " + amount(decimal.Separating(*e, s.Epsilon, fewDigits))
		}
	case certify.Value:
		if o.Value != nil {
			return amount(s.Decimal(*o.Value, fewDigits))
		}
	}
	return ""
}

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
