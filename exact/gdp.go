// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"cmp"
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// GaussianDP encloses the least μ ≥ 0 such that a test between the outputs on neighbouring data is no better than one
// between N(0, 1) and N(μ, 1), for all type I errors α in [alphaMin, 1 − alphaMin], 0 < alphaMin ≤ 1/2; about bits
// leading bits if the effort allows it.
//
// The trade-off function of the event is the least one of its orientations and mechanisms, so that μ is the greatest of
// theirs; it rises with the profile. It is ∞ where f is 0 at 1 − alphaMin: the mass of infinite loss is alphaMin or
// more.
func (p *Profile) GaussianDP(ctx context.Context, alphaMin *big.Rat, bits int) (Result, error) {
	if err := cmp.Or(argument.Number("alpha_min", alphaMin, new(big.Rat), big.NewRat(1, 2)),
		checkBits(bits)); err != nil {
		return Result{}, err
	}
	if alphaMin.Sign() == 0 {
		return Result{}, &mechanism.ParamError{Field: "alpha_min", Value: "0", Want: "a number in (0, 1/2]"}
	}
	ctx = p.question.limit(ctx)
	if p.solver.Draft != Settled {
		bits = min(bits, method.DraftBits)
	}
	r := p.result()
	bounds, err := p.tests(ctx)
	if err != nil {
		return r, err
	}
	y, err := p.greatest(bounds, interval.Int(0), " of μ", nil, func(b method.Bound,
		_ interval.Interval) (interval.Interval, error) {
		return p.gaussianDPOf(ctx, b, alphaMin, bits)
	})
	if err != nil {
		return r, p.reproducible(err, "gdp --alpha-min="+number.Format(alphaMin))
	}
	r.Interval = y
	return r, nil
}

// gaussianDPOf encloses the μ of one product: the μ of a Gaussian is its own.
func (p *Profile) gaussianDPOf(ctx context.Context, b method.Bound, alphaMin *big.Rat,
	bits int) (interval.Interval, error) {
	if b.Pointwise {
		return interval.Union(interval.Int(0), interval.PosInf()), nil
	}
	w := p.solver.Effort.Bits()
	if mu2, rest := b.Prod.Gaussians(); len(rest) == 0 {
		return w.Sqrt(w.Rat(mu2)), nil
	}
	if m, ok := pair.InfMass(b.Prod); ok && m.Cmp(alphaMin) >= 0 {
		return interval.PosInf(), nil
	}
	return profile.GaussianDP(ctx, w, bits, func(ctx context.Context, _ interval.Prec,
		eps interval.Real) (interval.Interval, error) {
		return p.solver.Delta(ctx, b.Sol, w, eps)
	}, alphaMin)
}
