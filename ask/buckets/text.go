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
