// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

// A Report is what was found, as JSON.
type Report struct {
	Delta       Ends             `json:"delta"`
	Utility     map[string]Ends  `json:"utility"`
	Optimum     *Optimum         `json:"optimum,omitempty"`
	Baselines   []ReportBaseline `json:"baselines"`
	Iterations  int              `json:"iterations"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Seconds     float64          `json:"seconds"`
}

// A ReportBaseline is a Baseline as JSON.
type ReportBaseline struct {
	Name      string  `json:"name"`
	Equal     string  `json:"equal"`
	Parameter float64 `json:"parameter"`
	Delta     float64 `json:"delta"`
	Utility   float64 `json:"utility"`
}

// NewReport returns the report of what was found.
func NewReport(f Found) Report {
	lo, hi := f.Delta.Decimal(Digits)
	r := Report{Delta: Ends{lo, hi}, Utility: map[string]Ends{"l1": f.L1(), "l2": f.L2()}, Iterations: f.Gradients, Interrupted: f.Interrupted, Optimum: f.Optimum, Seconds: f.Took.Seconds(), Baselines: []ReportBaseline{}}
	for _, b := range f.Baselines {
		r.Baselines = append(r.Baselines, ReportBaseline(b))
	}
	return r
}
