// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/internal/number"
	"dpverify/internal/prose"
)

// Text writes a finding for people.
func (f Finding) Text(q Question) string {
	var b strings.Builder
	line := func(c *Candidate) {
		o := c.Outcome
		fmt.Fprintf(&b, "%s = %s  %s", q.Field, c.Text, strings.ToUpper(string(o.Verdict)))
		if o.Delta != nil {
			fmt.Fprintf(&b, "  δ(%s) %s   (%s)", number.Format(q.Epsilon),
				prose.Member(o.Delta.Decimal(ask.DefaultDigits)), strings.Join(o.Methods, ", "))
		}
		if o.Reason != "" {
			fmt.Fprintf(&b, "\n  %s", o.Reason)
		}
		b.WriteByte('\n')
	}
	if f.Best != nil {
		line(f.Best)
	}
	if f.Next != nil {
		line(f.Next)
	}
	if f.Ended != "" {
		b.WriteString(f.Ended + "\n")
	}
	if f.Note != "" {
		b.WriteString(prose.Paragraph("", "note: "+f.Note))
	}
	return b.String()
}
