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
	"dpverify/mechanism/argument"
)

// TradeOff encloses the trade-off function f(x) of the event, 0 ≤ x ≤ 1: the least type II
// error of a test, of type I error at most x, between the outputs on neighbouring data; of
// the orientations and, for a guarantee, of the mechanisms that satisfy it, the least.
//
// The trade-off function of a pair is the dual of its profile (profile.ToTradeOff), and falls
// as the profile rises. So f is at least the least one of the products that bound the
// event's profile from above, and at most the function of any product that bounds it from below.
//
// The enclosure has about bits settled leading bits if the effort allows it.
func (p *Profile) TradeOff(ctx context.Context, x *big.Rat, bits int) (Result, error) {
	if err := cmp.Or(argument.Number("x", x, new(big.Rat), big.NewRat(1, 1)), checkBits(bits)); err != nil {
		return Result{}, err
	}
	ctx, r := p.question.limit(ctx), p.result()
	exactly := big.NewRat(1, 1) // the value, while all are known to be rational
	// −f rises with the profile.
	bounds, err := p.tests(ctx)
	if err != nil {
		return r, err
	}
	y, err := p.greatest(bounds, interval.Int(-1), " of −f", nil, func(b method.Bound,
		_ interval.Interval) (interval.Interval, error) {
		y, v, err := p.tradeOffOf(ctx, b, x, bits)
		if v == nil || !b.Lower || !b.Upper {
			exactly = nil
		} else if exactly != nil && v.Cmp(exactly) < 0 {
			exactly = v
		}
		return y.Neg(), err
	})
	if err != nil {
		return r, p.reproducible(err, "tradeoff --alpha="+number.Format(x))
	}
	r.Interval = y.Neg()
	if exactly != nil {
		r.Interval, r.Value, r.Methods = p.solver.Effort.Bits().Rat(exactly), exactly, []string{"infinite-loss"}
	}
	return r, nil
}

// tradeOffOf encloses the trade-off function of one product, with its value where that is
// known to be rational: f(0) = 1 − Q(P = 0), because a test without type I errors rejects
// only outcomes that P never gives. As f falls, that is an upper bound at all x.
func (p *Profile) tradeOffOf(ctx context.Context, b method.Bound, x *big.Rat,
	bits int) (interval.Interval, *big.Rat, error) {
	if b.Pointwise {
		return profile.Unit(), nil, nil
	}
	w := p.solver.Effort.Bits()
	most := interval.Int(1)
	if m, ok := pair.InfMass(b.Prod.Reverse()); ok {
		v := new(big.Rat).Sub(big.NewRat(1, 1), m)
		if most = w.Rat(v); x.Sign() == 0 {
			return most, v, nil
		}
	}
	y, err := profile.ToTradeOffBits(func(ctx context.Context, _ interval.Prec,
		eps interval.Real) (interval.Interval, error) {
		return p.solver.Delta(ctx, b.Sol, w, eps)
	}, bits)(ctx, w, x)
	return interval.Min(y, most), nil, err
}

// tests are the bounds of what tests of the outputs can do. Where an event may be between its alternatives, its
// trade-off function is at least the one of the greatest of their profiles, which is their lower convex hull, and at
// most each of theirs that is attained.
func (p *Profile) tests(ctx context.Context) ([]method.Bound, error) {
	bs, ok := p.problem.Tests(p.question.Direction)
	if !ok {
		return p.bounds, nil
	}
	out, err := p.solved(ctx, method.Bound{Upper: true, Lower: bs.Attained}, bs.Upper)
	if err != nil {
		return nil, err
	}
	for _, b := range p.bounds {
		if b.Lower && !bs.Attained {
			b.Upper = false
			out = append(out, b)
		}
	}
	return out, nil
}
