// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package transform encloses transforms of the privacy loss L = log P/Q of a product: characteristic functions at
// real and complex arguments, Rényi divergences of complex orders, and tails.
package transform

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// ErrUnknown says that a transform has no enclosure here.
var ErrUnknown = errors.New("a factor has no transform there: there are closed forms and sums, and Poisson samples " +
	"outside of the orders between 0 and 1, unless their argument is real")

// A Number is complex and exact.
type Number struct{ Re, Im *big.Rat }

// Phi encloses φ(t) = E_P[e^(itL); L < ∞] [Zhu, Dong & Wang 2022, Definition 12]: φ(0) is the mass of finite
// losses. φ′ is the φ of the reversed product.
func Phi(ctx context.Context, p interval.Prec, prod pair.Product, t Number) (interval.Complex, error) {
	return Moment(ctx, p, prod, Number{new(big.Rat).Neg(t.Im), t.Re})
}

// Moment encloses E_P[e^(zL); L < ∞] = Σ p^(1+z)·q^(−z) over outcomes with p, q > 0.
//
// At real z other than 0 and −1 it is e^((q−1)·R_q) of the order q = 1 + z > 0, and of the order 1 − q of the reversed
// product for q < 0; a guarantee has none.
func Moment(ctx context.Context, p interval.Prec, prod pair.Product, z Number) (interval.Complex, error) {
	if prod.IsGuarantee() {
		return interval.Complex{}, errors.New("a guarantee in Rényi divergences has no transform of its own")
	}
	order := new(big.Rat).Add(z.Re, big.NewRat(1, 1))
	if z.Im.Sign() == 0 && z.Re.Sign() != 0 && order.Sign() != 0 {
		if order.Sign() < 0 {
			prod, order = prod.Reverse(), new(big.Rat).Neg(z.Re)
		}
		if f, ok := renyi.Moments(prod); ok {
			return interval.Complex{Re: p.Exp(f(p+32, order))}, nil
		}
	}
	y, ok, err := inversion.MomentOfProduct(ctx, p, prod, z.Re, z.Im)
	if err == nil && !ok {
		err = ErrUnknown
	}
	return y, err
}

// Renyi encloses R_q = log(E_P[e^((q−1)L)])/(q − 1) of a complex order q ≠ 1, with the logarithm of each factor on its
// principal branch: R of a product is the sum over its factors. Where a loss is infinite and Re q > 1 there is none.
func Renyi(ctx context.Context, p interval.Prec, prod pair.Product, q Number) (interval.Complex, error) {
	z := Number{new(big.Rat).Sub(q.Re, big.NewRat(1, 1)), q.Im}
	if z.Re.Sign() == 0 && z.Im.Sign() == 0 {
		return interval.Complex{}, errors.New("the order 1 is a limit, and real")
	}
	w := p + 32
	if m, ok := pair.InfMass(prod); (!ok || m.Sign() > 0) && z.Re.Sign() > 0 {
		return interval.Complex{}, errors.New("a loss may be infinite: orders with a real part above 1 have no divergence")
	}
	var sum interval.Complex
	for _, t := range prod {
		y, err := Moment(ctx, w, pair.Product{{Pair: t.Pair, Count: 1}}, z)
		if err != nil {
			return sum, err
		}
		sum = w.AddC(sum, w.ScaleC(interval.Int(t.Count), w.LogC(y)))
	}
	return p.DivC(sum, interval.Complex{Re: w.Rat(z.Re), Im: w.Rat(z.Im)}), nil
}

// Listed encloses P(L > x) of a product of discrete pairs with at most limit outcomes; false for others.
func Listed(p interval.Prec, prod pair.Product, x *big.Rat, limit int) (interval.Interval, bool) {
	w := p + 32
	os, rest, ok := pair.ProductOutcomes(prod, w, limit)
	if !ok {
		return interval.Interval{}, false
	}
	sum := interval.Union(interval.Int(0), rest)
	for o := range slices.Values(os) {
		switch {
		case o.P.IsZero():
		case o.Q.IsZero():
			sum = w.Add(sum, o.P)
		case o.Exact:
			if o.Loss.Cmp(x) > 0 {
				sum = w.Add(sum, o.P)
			}
		default:
			switch w.Log(w.Div(o.P, o.Q)).LessEqRat(x) {
			case interval.False:
				sum = w.Add(sum, o.P)
			case interval.Unknown:
				sum = w.Add(sum, interval.Union(interval.Int(0), o.P))
			}
		}
	}
	return p.Round(sum), true
}

// Tail encloses P(L > x) of one pair from its profile δ at x − step, x and x + step: with α = e^x and H the profile as
// a function of α, H = P(L > x) − α·Q(L > x), and Q(L > x) is minus the right derivative of the convex H, which lies
// between minus the slopes of the chords on both sides. Of the greatest of several profiles it would be the loss of no
// mechanism.
func Tail(x, step *big.Rat, before, here, after interval.Interval) interval.Interval {
	const w = interval.Prec(256)
	a := w.Exp(w.Rat(x))
	left := w.Exp(w.Rat(new(big.Rat).Sub(x, step)))
	right := w.Exp(w.Rat(new(big.Rat).Add(x, step)))
	least := w.Div(w.Sub(here, after), w.Sub(right, a))
	most := w.Div(w.Sub(before, here), w.Sub(a, left))
	tail := w.Add(here, w.Mul(a, interval.Bounds(least.Lo(), interval.Max(least, most).Hi())))
	return interval.Max(interval.Int(0), interval.Min(interval.Int(1), tail))
}
