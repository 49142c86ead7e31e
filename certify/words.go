// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"slices"
	"strings"

	"dpverify/certify/decimal"
	"dpverify/certify/mended"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// wordDigits is how many digits of a number a sentence has, or more where a verdict needs them.
const wordDigits = 4

// Words says what an outcome means, in sentences for people who do not know the field.
func (o *Outcome) Words() string {
	return strings.TrimSpace(o.found() + " " + mended.Sentence(o.Mended()))
}

// found is Words without what would be true.
func (o *Outcome) found() string {
	says := map[Verdict]string{
		Verified:  "The claim is true.",
		Refuted:   "The claim is false.",
		Undecided: "It is open whether the claim is true: neither was proved.",
		Malformed: "The claim cannot be read, and nothing was decided.",
		Stated: "The claim is only stated: the mechanism is given by nothing but the guarantee that is claimed, so " +
			"there was nothing to verify.",
	}[o.Verdict]
	if said := o.beyond(); said != "" {
		return says + " " + said
	}
	s, ok := o.Claim.Point()
	least := o.LeastEpsilon()
	if !ok || o.Verdict == Malformed || o.Verdict == Stated || least == nil {
		return says
	}
	lo, hi := decimal.Separating(*least, s.Epsilon, wordDigits)
	delta, claimed := show.Cut(s.Written[1]), show.Cut(s.Written[0])
	switch {
	case s.Epsilon.Sign() < 0 && o.Delta != nil: // the least ε is shown from 0 on
		lo, hi := decimal.Separating(*o.Delta, s.Delta, wordDigits)
		return says + fmt.Sprintf(" δ(%s) is %s; the claim says %s.", claimed, prose.Between(lo, hi), delta)
	case lo == "inf":
		return says + fmt.Sprintf(" At δ = %s no ε is enough; the claim says %s.", delta, claimed)
	case hi == "inf":
		return says + fmt.Sprintf(" At δ = %s the least ε is at least %s; the claim says %s.", delta,
			prose.Readable(lo), claimed)
	}
	return says + fmt.Sprintf(" At δ = %s the least ε is %s; the claim says %s.", delta, prose.Between(lo, hi), claimed)
}

// beyond is the sentence about a claim that is no (ε, δ), where numbers were reached.
func (o *Outcome) beyond() string {
	switch s := o.Claim.Statement.(type) {
	case Value:
		if o.Value == nil {
			return ""
		}
		what := symbols[s.Quantity] + "(" + s.writtenAt + ")"
		switch s.Quantity {
		case "gdp":
			what = "The least μ"
		case "tv":
			what = "The " + symbols[s.Quantity]
		}
		return fmt.Sprintf("%s is %s; the claim says %s.", what, prose.Between(decimal.Separating(*o.Value, s.border(),
			wordDigits)), s)
	case Renyi:
		for _, b := range o.Renyi {
			if o.Verdict == Refuted && b.Divergence.LessEqRat(b.Value) == interval.False {
				lo, hi := decimal.Separating(b.Divergence, b.Value, wordDigits)
				return fmt.Sprintf("The Rényi divergence of order %s is %s; the claim says at most %s.",
					show.Cut(number.Format(b.Order)), prose.Between(lo, hi), show.Cut(number.Format(b.Value)))
			}
		}
	}
	return ""
}

// Mended says what a refuted claim has to say to be true, in its own digits: each number alone, with the others as they
// are. It is empty where no number is enough, and for every other outcome.
func (o *Outcome) Mended() (out []mended.Number) {
	if o.Verdict != Refuted {
		return nil
	}
	in := mended.Format{Binary64: o.Claim.binary64}
	switch s := o.Claim.Statement.(type) {
	case Point:
		eps, delta := show.Cut(s.Written[0]), show.Cut(s.Written[1])
		least := o.Epsilon
		if s.Epsilon.Sign() >= 0 {
			least = o.LeastEpsilon()
		}
		return slices.Concat(in.Upper("ε", " at δ = "+delta, s.Written[0], least, nil),
			in.Upper("δ", " at ε = "+eps, s.Written[1], o.Delta, one))
	case Value:
		if s.Upper != nil {
			what, _, _ := strings.Cut(s.String(), " ≤")
			return in.Upper(what, "", s.written, o.Value, nil)
		}
	case Renyi:
		for _, b := range o.Renyi {
			if b.Divergence.LessEqRat(b.Value) == interval.False {
				out = append(out, in.Upper("R("+show.Cut(number.Format(b.Order))+")", "", number.Format(b.Value),
					&b.Divergence, nil)...)
			}
		}
		return out
	}
	return o.mended
}
