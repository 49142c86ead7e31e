// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import "dpverify/exact/interval"

// A TransformReport is an answer in JSON.
type TransformReport struct {
	Quantity string         `json:"quantity"`
	At       string         `json:"at"`
	Value    ComplexReport  `json:"value"`
	Reverse  *ComplexReport `json:"reverse,omitempty"`
}

// A ComplexReport is an enclosure of a complex number.
type ComplexReport struct {
	ReLo string `json:"re_lo"`
	ReHi string `json:"re_hi"`
	ImLo string `json:"im_lo"`
	ImHi string `json:"im_hi"`
}

// TransformReports are answers in JSON.
type TransformReports struct {
	Version int               `json:"version"`
	Answers []TransformReport `json:"answers"`
}

// Report returns answers in JSON.
func (t Transform) Report(rs []Transformed) TransformReports {
	c := func(z interval.Complex) ComplexReport {
		var r ComplexReport
		r.ReLo, r.ReHi = z.Re.Decimal(max(t.Digits, 2))
		r.ImLo, r.ImHi = z.Im.Decimal(max(t.Digits, 2))
		return r
	}
	out := TransformReports{Version: 1}
	for _, r := range rs {
		x := TransformReport{Quantity: r.Of, At: r.At, Value: c(r.Value)}
		if r.Reverse != nil {
			y := c(*r.Reverse)
			x.Reverse = &y
		}
		out.Answers = append(out.Answers, x)
	}
	return out
}
