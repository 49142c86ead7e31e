// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"

	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// wordDigits is how many digits of a number a sentence has, or more where a verdict needs them.
const wordDigits = 4

// Words says what an outcome means, in sentences for people who do not know the field.
func (o *Outcome) Words() string {
	says := map[Verdict]string{
		Verified:  "The claim is true.",
		Refuted:   "The claim is false.",
		Undecided: "It is open whether the claim is true: neither was proved.",
		Malformed: "The claim cannot be read, and nothing was decided.",
		Stated:    "The claim is only stated: the mechanism is given by nothing but the guarantee that is claimed, so there was nothing to verify.",
	}[o.Verdict]
	s, ok := o.Claim.point()
	least := o.LeastEpsilon()
	if !ok || o.Verdict == Malformed || o.Verdict == Stated || least == nil {
		return says
	}
	lo, hi := SeparatingDecimal(*least, s.Epsilon, wordDigits)
	delta, claimed := show.Cut(s.Written[1]), show.Cut(s.Written[0])
	switch {
	case lo == "inf":
		return says + fmt.Sprintf(" At δ = %s no ε is enough; the claim says %s.", delta, claimed)
	case hi == "inf":
		return says + fmt.Sprintf(" At δ = %s the least ε is at least %s; the claim says %s.", delta, prose.Readable(lo), claimed)
	case lo == hi:
		return says + fmt.Sprintf(" At δ = %s the least ε is %s; the claim says %s.", delta, prose.Readable(lo), claimed)
	}
	return says + fmt.Sprintf(" At δ = %s the least ε is between %s and %s; the claim says %s.", delta, prose.Readable(lo), prose.Readable(hi), claimed)
}
