// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"fmt"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

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
