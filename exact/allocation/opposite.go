// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/lognormal"
	"dpverify/exact/profile"
)

// Opposite is the allocation of a record to one of t steps of Gaussian noise, where the record is replaced by the
// opposite one, to any number of digits. Under N(0, I) the likelihood ratios of the two are the means of A_i =
// e^{μz_i−μ²/2} and of B_i = e^{−μz_i−μ²/2}, so that
//
//	δ(ε) = E(Σ(A_i − e^ε·B_i))₊/t.
type Opposite struct {
	sum   *lognormal.Exchange
	steps int64
}

// NewOpposite returns the allocation to one of so many steps, of a record at distance μ from none.
func NewOpposite(mu2 *big.Rat, steps int64) Opposite {
	return Opposite{lognormal.NewExchange(mu2, steps), steps}
}

// Profile returns the profile, which is that of the reverse.
func (x Opposite) Profile() profile.Func { return sharpened(maxMeanBits, true, x.delta) }

// Values returns the profile with errors of about 2^−bits, wherever it is.
func (x Opposite) Values(bits interval.Prec) profile.Func {
	return func(ctx context.Context, _ interval.Prec, eps interval.Real) (interval.Interval, error) {
		y, ok, err := x.delta(ctx, bits, eps)
		if !ok || err != nil {
			return profile.Unit(), err
		}
		return y, nil
	}
}

// delta encloses δ(ε), with errors of about 2^−bits. It reports false where ε is not known, or too large.
//
// As the pair is its own reverse, δ(ε) = 1 − e^ε + e^ε·δ(−ε).
func (x Opposite) delta(ctx context.Context, bits interval.Prec, eps interval.Real) (interval.Interval, bool, error) {
	w := max(bits+64, 256) // words want an ε that is known much better than results
	e := eps(w)
	const most = 256
	if !e.IsFinite() || interval.Point(e.Abs().Hi()).LessRat(big.NewRat(most, 1)) != interval.True {
		return e, false, nil
	}
	below := e.Negative() == interval.True
	if below {
		e = e.Neg()
	}
	y, ok, err := x.sum.Price(ctx, bits, e)
	if !ok || err != nil {
		return y, ok, err
	}
	if y = w.Div(y, interval.Int(x.steps)); below {
		fall := w.Exp(e.Neg())
		y = w.Add(w.Sub(interval.Int(1), fall), w.Mul(fall, y))
	}
	return interval.Clamp(y, 0, 1), true, nil
}
