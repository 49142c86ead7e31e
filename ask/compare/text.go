// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"dpverify/internal/prose"
)

// Table writes a comparison for people.
func (c *Comparison) Table() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "method\t%s at %s = %s\tagainst it\tremarks\n", c.Of.Symbol, c.Over.Symbol, c.Text)
	lo, hi := c.Least.Decimal(c.Digits)
	remark := strings.Join(c.Least.Methods, ", ")
	if !c.Least.Complete() {
		remark = c.Least.Reason()
	}
	fmt.Fprintf(t, "least %s\t%s\t\t%s\n", c.Of.Symbol, prose.Range(lo, hi), remark)
	// Of what is printed, so many per cent can be seen.
	var missing []string
	for _, m := range c.Rows {
		if m.Reason != "" {
			if !m.Real {
				missing = append(missing, m.Name+": "+m.Reason)
			}
			continue
		}
		lo, hi := m.Value.Decimal(c.Digits)
		d, known := m.Excess(c.Least)
		over := ""
		if known {
			over = inWords(d)
		}
		remark := m.Note
		if !m.Bound {
			remark = strings.TrimPrefix(remark+"; not a bound", "; ")
			if known && c.isBelow(d) {
				remark += ": it is below the least " + c.Of.Symbol
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.Title(), prose.Range(lo, hi), over, remark)
	}
	_ = t.Flush() // a strings.Builder does not fail
	if len(missing) > 0 {
		b.WriteString("\nnot modelled for this mechanism\n")
		for _, s := range missing {
			b.WriteString(prose.Paragraph("  ", s))
		}
	}
	for _, n := range c.Least.Notes {
		b.WriteString(prose.Paragraph("", "note: "+n))
	}
	// The last column leaves blanks behind where it is empty.
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
