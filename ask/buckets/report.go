// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package buckets

import (
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Report is a finding in JSON.
type Report struct {
	Version int            `json:"version"`
	Answers []AnswerReport `json:"answers,omitempty"`
	Trees   []TreeReport   `json:"trees"`
	Cost
}

// An AnswerReport is the enclosure of the mechanism's δ at an ε.
type AnswerReport struct {
	Epsilon string `json:"epsilon"`
	Lo      string `json:"lo"`
	Hi      string `json:"hi"`
}

// A TreeReport is the answer of the buckets of one product.
type TreeReport struct {
	Product  string         `json:"product"`
	Upper    bool           `json:"bounds_from_above"`
	Lower    bool           `json:"bounds_from_below"`
	Buckets  int            `json:"buckets"`
	Eta      string         `json:"log_factor"`
	U        string         `json:"u"`
	Infinite [2]string      `json:"infinity"`
	At       []BoundsReport `json:"at,omitempty"`
	Renyi    []MomentReport `json:"renyi,omitempty"`
}

// A BoundsReport is their answer at an ε.
type BoundsReport struct {
	Epsilon     string    `json:"epsilon"`
	Lower       string    `json:"delta_low"`
	Upper       string    `json:"delta_up"`
	Typical     string    `json:"delta_typical"`
	Uncorrected string    `json:"no_error_correction"`
	Real        [2]string `json:"real_error_correction"`
	Virtual     [2]string `json:"virtual_error_correction"`
	PDP         string    `json:"pdp"`
}

// A MomentReport is a Rényi divergence.
type MomentReport struct {
	Order string `json:"order"`
	Lo    string `json:"lo"`
	Hi    string `json:"hi"`
}

// A Cost is what it took.
type Cost struct {
	Seconds   float64 `json:"seconds"`
	CPU       float64 `json:"cpu_seconds"`
	PeakBytes int64   `json:"peak_bytes"`
}

// NewReport returns a finding in JSON, with its cost.
func NewReport(f *Finding, spent Cost) Report {
	ends := func(x interval.Interval) [2]string { lo, hi := x.Decimal(f.Digits); return [2]string{lo, hi} }
	out := Report{Version: 1, Cost: spent}
	for i, s := range f.EpsText {
		lo, hi := f.Bounds(i)
		out.Answers = append(out.Answers, AnswerReport{s, f.below(lo), f.above(hi)})
	}
	for _, t := range f.Trees {
		row := TreeReport{Product: t.Product, Upper: t.Upper, Lower: t.Lower, Buckets: 2*t.N() + 1,
			Eta: number.Format(t.Eta()), U: number.Format(t.U()), Infinite: ends(t.Infinite())}
		for i, x := range t.At {
			row.At = append(row.At, BoundsReport{f.EpsText[i], f.below(x.Lower), f.above(x.Upper), f.above(x.Typical),
				f.above(x.Uncorrected), ends(x.Real), ends(x.Virtual), f.above(x.PDP)})
		}
		for i, x := range t.Renyi {
			e := ends(x)
			row.Renyi = append(row.Renyi, MomentReport{f.OrdersText[i], e[0], e[1]})
		}
		out.Trees = append(out.Trees, row)
	}
	return out
}
