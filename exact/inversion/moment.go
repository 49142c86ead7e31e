// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Moment encloses E_P[e^(zL); L < ∞] of one pair at z = re + i·im.
// This is its characteristic function at −iz, and its moment of the complex order 1 + z.
// Moment reports false where that is not known here.
//
// The value is M(−z), and a factor has M(s) on lines with Re s ≤ 0. Elsewhere the reversed pair may have it:
// Σ p^(1+z)·q^(−z) is E_Q[e^(z′L′)] with L′ = −L and z′ = −1 − z.
// Closed forms and finite sums are the same everywhere.
//
// For −1 ≤ re ≤ 0, each outcome that a sum leaves out adds at most |p^(1+z)·q^(−z)| ≤ max(p, q).
// For other re nothing is known about it.
func Moment(
	ctx context.Context, p interval.Prec, x pair.Pair, re, im *big.Rat,
) (z interval.Complex, ok bool, err error) {
	if im.Sign() > 0 { // M(s̄) is the conjugate of M(s)
		z, ok, err = Moment(ctx, p, x, re, new(big.Rat).Neg(im))
		return z.Conj(), ok, err
	}
	f, ok := newFactor(x)
	if !ok {
		return z, false, nil
	}
	switch f.(type) {
	case closedForm, discrete:
	default:
		minusOne := big.NewRat(-1, 1)
		switch {
		case re.Sign() >= 0:
		case re.Cmp(minusOne) <= 0:
			if f, ok = newFactor(x.Reverse()); !ok {
				return z, false, nil
			}
			re = new(big.Rat).Sub(minusOne, re)
			// im changes its sign: the answer is the conjugate of the one with the same sign.
			defer func() { z = z.Conj() }()
		default:
			return z, false, nil
		}
	}
	f = f.at(p)
	_, lost := f.infinite()
	if !lost.IsZero() && (re.Sign() > 0 || re.Cmp(big.NewRat(-1, 1)) < 0) {
		return z, false, nil
	}
	w := p + 64
	line, err := f.line(ctx, p, re, w.Rat(im).Neg(), 1)
	if err != nil || line == nil {
		return z, false, err
	}
	z = line[1]
	if !lost.IsZero() {
		more := w.Scale(lost, 1)
		both := interval.Union(more.Neg(), more)
		z = interval.Complex{Re: p.Add(z.Re, both), Im: p.Add(z.Im, both)}
	}
	return z, true, nil
}

// MomentOfProduct is Moment of a product: the moments of its factors multiply.
func MomentOfProduct(
	ctx context.Context, p interval.Prec, prod pair.Product, re, im *big.Rat,
) (interval.Complex, bool, error) {
	out := interval.Complex{Re: one}
	for _, t := range prod {
		w := p + interval.Prec(3*bits.Len64(uint64(t.Count))) + 16
		z, ok, err := Moment(ctx, w, t.Pair, re, im)
		if !ok || err != nil {
			return out, false, err
		}
		out = p.MulC(out, w.PowIntC(z, t.Count))
	}
	return out, true, nil
}
