// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package quadrature has rules for integrals of waves, with bounds of their errors,
// and sums of waves at many t at once.
//
// A moment transform M(−λ + it) = ∫ e^{−itL} f, of a loss L and a weight f ≥ 0, is such an integral.
// Which rule has which error is known where f is known: Rule only carries the error, Fejer proves one.
package quadrature

import (
	"context"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Rule is a sum Σ_k weight_k·e^{−itL_k}, with an upper bound of its distance from M(−λ + it) for all |t| up to
// the t that it was made for.
type Rule struct {
	Weights, Losses []interval.Interval
	Err             interval.Interval
	Lacks           Lacks
	Errs            []interval.Interval // bounds as Err at t = jh of a line, or nil
}

// AtZero encloses M(−λ), the value at t = 0.
func (q Rule) AtZero(p interval.Prec) interval.Interval {
	y := interval.Int(0)
	for _, x := range q.Weights {
		y = (p + 16).Add(y, x)
	}
	return p.Add(y, interval.Union(q.Err.Neg(), q.Err)).AtLeastZero()
}

// MostProducts is how many products of nodes and points a line may take.
func MostProducts(p interval.Prec) int {
	most := 0
	if p > 640 { // somebody waits for hundreds of digits, which take nodes and points in proportion to their bits
		most = 32 * int(p) * int(p)
	}
	size := (int(p)+48)/64 + 1 // a product takes some 10 ns for each of its size² words: these are 5 s, about
	return max(1<<29/(size*size), min(1<<29, 1<<26*int(p)/110)/(int(p)/16+1), most)
}

// Line encloses M(−λ + ijh), j = 0 … n. It is nil if that costs too much.
func (q Rule) Line(ctx context.Context, p interval.Prec, h interval.Interval, n int) ([]interval.Complex, error) {
	if len(q.Losses)*(n+1) > MostProducts(p) {
		return nil, nil
	}
	w := p + 48
	theta := make([]interval.Interval, len(q.Losses))
	for k, l := range q.Losses {
		theta[k] = w.Mul(h, l)
	}
	lacks := q.Lacks
	if lacks == nil {
		lacks = make(Lacks, n+1)
	}
	out, err := fallingSum(ctx, p, q.Weights, theta, lacks[:n+1])
	e := q.Err
	for j := range out {
		if q.Errs != nil {
			e = q.Errs[j]
		}
		off := interval.Union(e.Neg(), e)
		out[j] = p.AddC(out[j], interval.Complex{Re: off, Im: off})
	}
	return out, err
}

// Double rounds a rule to double precision.
func (q Rule) Double() DoubleRule {
	r := DoubleRule{Unit: q.AtZero(coarse)}
	for k, w := range q.Weights {
		r.Weights = append(r.Weights, double.Of(coarse.Div(w, r.Unit)))
		r.Losses = append(r.Losses, double.Of(q.Losses[k]))
	}
	r.Err = double.Of(coarse.Div(q.Err, r.Unit)).Hi
	return r
}
