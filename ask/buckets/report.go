// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package buckets

import (
	"fmt"
	"math/big"
	"strings"
	"text/tabwriter"

	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/prose"
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

// Text writes what was found for people.
func (f *Finding) Text() string {
	var b strings.Builder
	for _, t := range f.Trees {
		fmt.Fprintf(&b, "%s (%s)\n  %d buckets, %s, u = %s, P(bucket ∞) %s\n", t.Product, t.bounds(), 2*t.N()+1,
			factorText(t.Eta()), number.Format(t.U()), prose.Member(t.Infinite().Decimal(3)))
		tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for i, x := range t.At {
			fmt.Fprintf(tw, "  ε = %s\n", f.EpsText[i])
			fmt.Fprintf(tw, "    δ_low\t%s\n    δ_up\t%s\n    δ_typical\t%s\n    no EC\t%s\n", f.below(x.Lower),
				f.above(x.Upper), f.above(x.Typical), f.above(x.Uncorrected))
			fmt.Fprintf(tw, "    real EC\t%s\n    virtual EC\t%s\n    PDP\t%s\n", f.member(x.Real), f.member(x.Virtual),
				f.above(x.PDP))
		}
		for i, x := range t.Renyi {
			fmt.Fprintf(tw, "  R(%s)\t%s\n", f.OrdersText[i], f.member(x))
		}
		_ = tw.Flush() // a strings.Builder does not fail
	}
	for i := range f.Eps {
		lo, hi := f.Bounds(i)
		fmt.Fprintf(&b, "δ(%s) %s\n", f.EpsText[i], prose.Member(f.below(lo), f.above(hi)))
	}
	return b.String()
}

// bounds says which side of the mechanism's profile a tree is about.
func (t Tree) bounds() string {
	switch {
	case t.Upper && t.Lower:
		return "both sides"
	case t.Upper:
		return "upper bounds"
	}
	return "lower bounds"
}

// factorText writes the bucket factor; its logarithm in full if that is short.
func factorText(eta *big.Rat) string {
	const p = interval.Prec(192)
	near, _ := p.Exp(p.Rat(eta)).Decimal(12)
	if s := number.Format(eta); len(s) <= 24 {
		return "f = e^" + s + " = " + near + "…"
	}
	return "f = " + near + "…"
}

// above and below write one-sided bounds, safe in the last digit.
func (f *Finding) above(x *big.Float) string {
	_, hi := interval.Point(x).Decimal(f.Digits)
	return hi
}

func (f *Finding) below(x *big.Float) string {
	lo, _ := interval.Point(x).Decimal(f.Digits)
	return lo
}

// member writes an enclosure.
func (f *Finding) member(x interval.Interval) string {
	lo, hi := x.Decimal(f.Digits)
	if lo == hi {
		return lo
	}
	return "[" + lo + ", " + hi + "]"
}
