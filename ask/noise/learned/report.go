// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import "dpverify/ask"

// A Report is what was found, as JSON.
type Report struct {
	Delta       ask.Bounds            `json:"delta"`
	Utility     map[string]ask.Bounds `json:"utility"`
	Optimum     *Optimum              `json:"optimum,omitempty"`
	Baselines   []Baseline            `json:"baselines"`
	Iterations  int                   `json:"iterations"`
	Interrupted bool                  `json:"interrupted,omitempty"`
	Seconds     float64               `json:"seconds"`
}

// NewReport returns the report of what was found.
func NewReport(f Found) Report {
	return Report{
		Delta: ask.BoundsOf(f.Delta.Decimal(Digits)), Utility: map[string]ask.Bounds{"l1": f.L1(), "l2": f.L2()},
		Optimum: f.Optimum, Baselines: append([]Baseline{}, f.Baselines...),
		Iterations: f.Gradients, Interrupted: f.Interrupted, Seconds: f.Took.Seconds(),
	}
}
