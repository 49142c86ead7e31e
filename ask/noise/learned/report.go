// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import "dpverify/internal/shown"

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
