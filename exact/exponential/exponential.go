// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package exponential says where a sum of exponentials on the line is positive, and where it is negative.
package exponential

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Coefficient is c_k, which is not 0, by its sign and an enclosure of log|c_k|.
type Coefficient struct {
	Log      interval.Interval
	Negative bool
}

// Signs are those of a sum between gaps, in ascending order: Of[i] is the sign of F everywhere from the upper end of
// Gaps[i−1], or −∞, to the lower end of Gaps[i], or ∞. In gaps nothing is known.
type Signs struct {
	Gaps []interval.Interval
	Of   []Sign
}

// SignsOf returns the signs of F(x) = Σ_k c_k·e^{λ_k·x}, of at least one term and with λ_1 < λ_2 < …, at a working
// precision. It reports false where that does not tell them even far out.
//
// Zeros are looked for in float64 first. Where each of these gaps is known to have one zero, they are made narrower at
// the working precision; otherwise the whole is done at that precision.
func SignsOf(w interval.Prec, coefficients []Coefficient, rates []*big.Rat) (Signs, bool) {
	s := sum[interval.Interval]{arithmetic: intervals{w}}
	for i, c := range coefficients {
		s.terms = append(s.terms, term[interval.Interval]{c.Log, c.Negative, rates[i], w.Rat(rates[i])})
	}
	rough := sum[double.Interval]{arithmetic: doubles{}}
	for _, t := range s.terms {
		rough.terms = append(rough.terms, term[double.Interval]{double.Of(t.log), t.negative, t.rate, double.Of(t.slope)})
	}
	if r, ok := rough.signs(); ok {
		if out, ok := narrow(s, r); ok {
			return out, true
		}
	}
	full, ok := s.signs()
	return Signs{full.gaps, full.of}, ok
}

// narrow is Signs from what is known in float64.
func narrow(s sum[interval.Interval], r signs[double.Interval]) (out Signs, ok bool) {
	out.Of = r.of
	for i, g := range r.gaps {
		if !r.single[i] {
			return out, false
		}
		lo, hi := s.root(double.Point(g.Lo).Exact(), double.Point(g.Hi).Exact(), r.of[i])
		out.Gaps = append(out.Gaps, interval.Union(lo, hi))
	}
	return out, true
}
