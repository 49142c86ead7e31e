// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import "dpverify/internal/shown"

// A Report is a comparison in JSON.
type Report struct {
	Version int          `json:"version"`
	Delta   string       `json:"delta,omitempty"`
	Epsilon string       `json:"epsilon,omitempty"` // one of the two: where the other is compared
	Least   shown.Report `json:"least"`
	Methods []RowReport  `json:"methods"`
}

// A RowReport is what one method derives.
type RowReport struct {
	Name       string  `json:"name"`
	RealOrders bool    `json:"real_orders"`
	Source     string  `json:"source"`
	Bound      bool    `json:"bound"`
	Lo         *string `json:"lo"`
	Hi         *string `json:"hi"`
	Reason     string  `json:"reason,omitempty"`
	Note       string  `json:"note,omitempty"`
}

// NewReport returns a comparison in JSON.
func NewReport(c *Comparison) Report {
	out := Report{Version: 1, Least: shown.NewReport(c.Of.Name, c.Text, c.Least, c.Digits)}
	if c.Over == DeltaSide {
		out.Delta = c.Text
	} else {
		out.Epsilon = c.Text
	}
	for _, m := range c.Rows {
		e := RowReport{Name: m.Name, RealOrders: m.Real, Source: m.Source, Bound: m.Bound, Reason: m.Reason, Note: m.Note}
		if m.Reason == "" {
			lo, hi := m.Value.Decimal(c.Digits)
			e.Lo, e.Hi = &lo, &hi
		}
		out.Methods = append(out.Methods, e)
	}
	return out
}
