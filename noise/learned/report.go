// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"dpverify/exact/interval"
)

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

// Ends are the ends of an enclosure, in decimals rounded outward.
type Ends struct {
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// An Optimum bounds what is least, δ or the utility loss, of any symmetric falling noise of the range. Certified.
type Optimum struct {
	Lo string `json:"lo"`
}

// A ReportBaseline is a Baseline as JSON.
type ReportBaseline struct {
	Name      string  `json:"name"`
	Equal     string  `json:"equal"`
	Parameter float64 `json:"parameter"`
	Delta     float64 `json:"delta"`
	Utility   float64 `json:"utility"`
}

// Digits is how many significant digits enclosures are printed with.
const Digits = 12

// NewReport returns the report of what was found.
func NewReport(f Found) Report {
	lo, hi := f.Delta.Decimal(Digits)
	r := Report{Delta: Ends{lo, hi}, Utility: map[string]Ends{"l1": f.L1(), "l2": f.L2()}, Iterations: f.Gradients, Interrupted: f.Interrupted, Optimum: f.Optimum, Seconds: f.Took.Seconds(), Baselines: []ReportBaseline{}}
	for _, b := range f.Baselines {
		r.Baselines = append(r.Baselines, ReportBaseline(b))
	}
	return r
}

const precision = interval.Prec(128)

// L1 encloses E|X|.
func (f Found) L1() Ends { return ends(precision.Rat(f.First)) }

// L2 encloses (E X²)^½.
func (f Found) L2() Ends { return ends(precision.Sqrt(precision.Rat(f.Second))) }

func ends(x interval.Interval) Ends {
	lo, hi := x.Decimal(Digits)
	return Ends{lo, hi}
}
