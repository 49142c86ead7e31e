// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"dpverify/certify"
	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

// slackText says by how much the claimed ε is too large, or too small.
func slackText(o *certify.Outcome) string {
	d, ok := o.Slack()
	if !ok {
		return ""
	}
	word := "overstated"
	if o.Verdict == certify.Refuted {
		word = "understated"
	}
	switch {
	case d.IsZero() && o.Epsilon.Hi().Sign() < 0:
		// The least ε is shown as 0 where it is below.
		return "this δ holds at some ε < 0, too"
	case d.IsZero():
		return "the claim is tight"
	case d.Lo().IsInf():
		return "no ε is enough"
	case d.Hi().IsInf():
		lo, _ := o.Epsilon.Decimal(3)
		return "no ε below " + prose.Readable(lo) + " is enough"
	}
	const p = interval.Prec(64)
	text := word + " by " + prose.About(d)
	if e := o.LeastEpsilon().Interval; e.Positive() == interval.True {
		text += " (" + prose.About(p.Mul(p.Div(d, e), interval.Int(100))) + " %)"
	}
	return text
}
