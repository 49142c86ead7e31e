// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"fmt"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

// digits is how many digits of an enclosure a summary shows.
const digits = 6

// Range prints an enclosure.
func Range(y interval.Interval) string {
	lo, hi := y.Decimal(digits)
	if lo == hi {
		return lo
	}
	return "[" + lo + ", " + hi + "]"
}

// Text is what came of an entry for a terminal. It is the same for equal efforts.
func (o Outcome) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s  %s  %s\n", o.Verdict, o.ID, o.Title)
	for _, s := range o.Statements {
		whose, printed := map[bool]string{true: "ours", false: "stated"}[s.Ours], ""
		if s.Printed != "" {
			printed = fmt.Sprintf(", printed “%s”", s.Printed)
		}
		fmt.Fprintf(&b, "    %-13s  %-6s  %s: %s%s%s\n", s.Verdict, whose, s.Text, Range(s.Enclosure), printed, s.Limits())
	}
	for _, c := range o.Claims {
		text := c.Claim.ID
		if c.Epsilon != nil {
			text += ": least ε " + Range(c.Epsilon.Interval)
		}
		fmt.Fprintf(&b, "    %-13s  %-6s  %s\n", ClaimVerdict(c), "claim", text)
	}
	if o.Note != "" {
		fmt.Fprintf(&b, "    note: %s\n", o.Note)
	}
	return b.String()
}

// Totals says how many entries have which verdict.
func Totals(os []Outcome) string {
	n := make(map[Verdict]int)
	for _, o := range os {
		n[o.Verdict]++
	}
	return fmt.Sprintf("\n%s: %d reproduced, %d not reproduced, %d undecided, %d drawn\n",
		prose.Many(len(os), "entry", "entries"), n[Reproduced], n[NotReproduced], n[Undecided], n[Drawn])
}
