// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"fmt"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
)

// Text writes for people what was found for a wish, and to which files: csv is empty if there is one.
func (f Found) Text(w Wish, path, csv string) string {
	var b strings.Builder
	lo, hi := f.Delta.Decimal(Digits)
	l1, l2 := f.L1(), f.L2()
	fmt.Fprintf(&b, "δ(%s) %s\nE|X| %s\n(E X²)^½ %s\n", number.Format(w.Epsilon), prose.Member(lo, hi),
		prose.Member(l1.Lo, l1.Hi), prose.Member(l2.Lo, l2.Hi))
	if f.Optimum != nil {
		least := "δ(" + number.Format(w.Epsilon) + ")"
		if w.Delta != nil {
			least = w.Norm.String()
		}
		fmt.Fprintf(&b, "certified: no symmetric falling noise of the range has %s < %s\n", least, f.Optimum.Lo)
	}
	if f.Interrupted {
		b.WriteString("interrupted: the best so far\n")
	}
	for _, equal := range []string{"utility", "delta"} {
		first := true
		for _, x := range f.Baselines {
			if x.Equal != equal {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\nestimated, at equal %-8s parameter        δ             %s\n", equal, w.Norm)
				first = false
			}
			fmt.Fprintf(&b, "  %-25s %-16.6g %-13.6g %.6g\n", x.Name, x.Parameter, x.Delta, x.Utility)
		}
	}
	fmt.Fprintf(&b, "\nwritten to %s", path)
	if csv != "" {
		fmt.Fprintf(&b, " and %s", csv)
	}
	b.WriteByte('\n')
	return b.String()
}

// A Report is what was found, as JSON.
type Report struct {
	Delta       shown.Bounds            `json:"delta"`
	Utility     map[string]shown.Bounds `json:"utility"`
	Optimum     *Optimum                `json:"optimum,omitempty"`
	Baselines   []Baseline              `json:"baselines"`
	Iterations  int                     `json:"iterations"`
	Interrupted bool                    `json:"interrupted,omitempty"`
	Seconds     float64                 `json:"seconds"`
}

// NewReport returns the report of what was found.
func NewReport(f Found) Report {
	return Report{
		Delta: shown.BoundsOf(f.Delta.Decimal(Digits)), Utility: map[string]shown.Bounds{"l1": f.L1(), "l2": f.L2()},
		Optimum: f.Optimum, Baselines: append([]Baseline{}, f.Baselines...),
		Iterations: f.Gradients, Interrupted: f.Interrupted, Seconds: f.Took.Seconds(),
	}
}
