// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"fmt"
	"io"

	"dpverify/certify"
	"dpverify/exact/interval"
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

// WriteText writes what came of an entry for a terminal. It is the same for equal efforts.
func (o Outcome) WriteText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%-14s  %s  %s\n", o.Verdict, o.ID, o.Title); err != nil {
		return err
	}
	for _, s := range o.Statements {
		whose := "stated"
		if s.Ours {
			whose = "ours"
		}
		printed := ""
		if s.Printed != "" {
			printed = fmt.Sprintf(", printed “%s”", s.Printed)
		}
		if _, err := fmt.Fprintf(w, "    %-13s  %-6s  %s: %s%s%s\n", s.Verdict, whose, s.Text, Range(s.Enclosure), printed, s.Limits()); err != nil {
			return err
		}
	}
	for _, c := range o.Claims {
		text := c.Claim.ID
		if c.Epsilon != nil {
			text += ": least ε " + Range(c.Epsilon.Interval)
		}
		if _, err := fmt.Fprintf(w, "    %-13s  %-6s  %s\n", claimVerdict(c), "claim", text); err != nil {
			return err
		}
	}
	if o.Note != "" {
		if _, err := fmt.Fprintf(w, "    note: %s\n", o.Note); err != nil {
			return err
		}
	}
	return nil
}

// WriteTotals writes how many entries have which verdict.
func WriteTotals(w io.Writer, os []Outcome) error {
	n := make(map[Verdict]int)
	for _, o := range os {
		n[o.Verdict]++
	}
	entries := "entries"
	if len(os) == 1 {
		entries = "entry"
	}
	_, err := fmt.Fprintf(w, "\n%d %s: %d reproduced, %d not reproduced, %d undecided, %d drawn\n",
		len(os), entries, n[Reproduced], n[NotReproduced], n[Undecided], n[Drawn])
	return err
}

// ClaimVerdict is the verdict on a published claim in the words of this package.
func ClaimVerdict(c *certify.Outcome) Verdict { return claimVerdict(c) }
