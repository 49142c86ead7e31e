// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/inversion/aliases"
)

// A line is R(s_j)/(s_j(s_j − 1)), s_j = −λ + ijh, j = 0 … terms, h = 2π/T.
type line struct {
	parameters
	values []interval.Complex
	moment interval.Interval // at least M(−κ)^n
	beyond interval.Interval // at least |R(−λ + it)|, |t| ≥ W
	clear  interval.Interval // at least φ₀(−κ)^n, of rate
}

// newLine returns the line of parameters. It is nil where some rule has none, or words do not hold it.
func (s Steps) newLine(ctx context.Context, c parameters) (*line, error) {
	if !c.valid() || s.Kind == Added {
		return nil, nil
	}
	w := c.prec
	fine, rough := s.at(w), s.at(coarse)
	h := c.turn(w)
	far := coarse.Mul(interval.Int(int64(c.terms)), h)
	var parts [2][]interval.Complex
	var rules [2]rule
	for p := range parts {
		lay := fine.layout(part(p), c.split, c.lambda, far, c.bits)
		r, ok := fine.rule(part(p), c.split, c.lambda, far.Upper(), lay)
		if !ok {
			return nil, nil
		}
		var err error
		if parts[p], err = r.waves(ctx, w, h, c.terms); parts[p] == nil || err != nil {
			return nil, err
		}
		rules[p] = r
	}
	l := &line{parameters: c}
	first := rules[hit].zero
	b := interval.Min(first, rough.fall(c, first, interval.Point(far.Lo())))
	l.beyond = coarse.Mul(interval.Int(s.N), b)
	l.beyond = coarse.Mul(l.beyond, coarse.PowInt(coarse.Add(rules[clear].zero, b), s.N-1)).Upper()
	least := func(p part, kappa *big.Rat) (y interval.Interval, ok bool) { // of M or φ₀, to the n
		lay := rough.layout(p, c.split, kappa, interval.Int(0), int(coarse)/2)
		r, ok := rough.rule(p, c.split, kappa, interval.Int(0), lay)
		return coarse.PowInt(r.zero, s.N).Upper(), ok
	}
	var ok, known bool
	l.moment, ok = least(whole, c.kappa)
	if l.clear, known = least(clear, c.rate); !ok || !known {
		return nil, nil
	}
	lambda := w.Rat(c.lambda)
	for j, z := range parts[clear] {
		misses, all := z, w.AddC(z, parts[hit][j])
		r := w.SubC(w.PowIntC(all, s.N), w.PowIntC(misses, s.N))
		at := interval.Complex{Re: lambda.Neg(), Im: w.Mul(interval.Int(int64(j)), h)}
		l.values = append(l.values, w.DivC(r, w.MulC(at, w.SubC(at, interval.Complex{Re: one}))))
	}
	return l, nil
}

// delta encloses δ(ε), by (1) of package inversion and the bounds of package aliases, and the rest of split.
func (l *line) delta(ctx context.Context, eps interval.Real) (y interval.Interval, err error) {
	w := l.prec
	e := eps(w)
	theta := w.Mul(l.turn(w), e)
	var sum interval.Interval
	for j := len(l.values) - 1; j >= 0; j-- {
		if err := ctx.Err(); err != nil {
			return y, err
		}
		z, v := w.ExpI(w.Mul(interval.Int(int64(j)), theta)), l.values[j]
		term := w.Sub(w.Mul(z.Re, v.Re), w.Mul(z.Im, v.Im))
		if j > 0 {
			term = w.Scale(term, 1)
		}
		sum = w.Add(sum, term)
	}
	sum = w.Div(w.Mul(sum, w.Exp(w.Mul(w.Rat(l.lambda), e).Neg())), w.Rat(l.period))
	left, shrink := aliases.Left(w, one, l.lambda, l.period)
	right := aliases.Right(w, l.moment, l.lambda, l.kappa, l.period, e)
	cut := aliases.Truncation(w, l.beyond, l.lambda, l.turn(w), l.terms, e)
	low := w.Sub(sum, w.Add(cut, w.Add(left, right)))
	high := w.Mul(interval.Max(interval.Int(0), w.Add(sum, cut)), shrink)
	rest := aliases.Markov(w, l.clear, l.rate, e)
	return interval.Clamp(interval.Bounds(low.Lo(), w.Add(high, rest).Hi()), 0, 1), nil
}
