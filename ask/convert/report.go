// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"fmt"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

// A TransformReport is an answer in JSON.
type TransformReport struct {
	Quantity string         `json:"quantity"`
	At       string         `json:"at"`
	Value    ComplexReport  `json:"value"`
	Reverse  *ComplexReport `json:"reverse,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
}

// A ComplexReport is an enclosure of a complex number.
type ComplexReport struct {
	ReLo string `json:"re_lo"`
	ReHi string `json:"re_hi"`
	ImLo string `json:"im_lo"`
	ImHi string `json:"im_hi"`
}

// TransformReports are answers in JSON.
type TransformReports struct {
	Version int               `json:"version"`
	Answers []TransformReport `json:"answers"`
}

// Report returns answers in JSON.
func (t Transform) Report(rs []Transformed) TransformReports {
	c := func(z interval.Complex) ComplexReport {
		var r ComplexReport
		r.ReLo, r.ReHi = t.ends(z.Re)
		r.ImLo, r.ImHi = t.ends(z.Im)
		return r
	}
	out := TransformReports{Version: 1}
	for _, r := range rs {
		x := TransformReport{Quantity: r.Of, At: r.At, Value: c(r.Value)}
		if r.Reverse != nil {
			x.Reverse = new(c(*r.Reverse))
		}
		if r.Note != "" {
			x.Notes = []string{r.Note}
		}
		out.Answers = append(out.Answers, x)
	}
	return out
}

// ends are the ends of an enclosure, rounded outward. Each has all digits, as each may be a bound of its own.
func (t Transform) ends(x interval.Interval) (lo, hi string) {
	digits := max(t.Digits, 2)
	if x.IsPoint() {
		return x.Decimal(digits)
	}
	lo, _ = interval.Point(x.Lo()).Decimal(digits)
	_, hi = interval.Point(x.Hi()).Decimal(digits)
	return lo, hi
}

// Text writes answers for people.
func (t Transform) Text(rs []Transformed) string {
	var b strings.Builder
	in := func(x interval.Interval) string {
		return prose.Member(t.ends(x))
	}
	line := func(symbol, at string, z interval.Complex) {
		switch {
		case t.Of == "loss":
			fmt.Fprintf(&b, "%s > %s) %s\n", symbol, at, in(z.Re))
		case z.Im.IsZero():
			fmt.Fprintf(&b, "%s(%s) %s\n", symbol, at, in(z.Re))
		default:
			fmt.Fprintf(&b, "%s(%s): Re %s, Im %s\n", symbol, at, in(z.Re), in(z.Im))
		}
	}
	for _, r := range rs {
		line(map[string]string{"phi": "φ", "renyi": "R", "loss": "P(L"}[r.Of], r.At, r.Value)
		if r.Reverse != nil {
			line("φ′", r.At, *r.Reverse)
		}
		if r.Note != "" {
			b.WriteString(prose.Paragraph("  ", "note: "+r.Note))
		}
	}
	return b.String()
}
