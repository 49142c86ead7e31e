// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/lognormal"
	"dpverify/exact/profile"
)

// Mean is the allocation of a record to one of t steps of a Gaussian pair at distance μ, to any number of digits: the
// likelihood ratio is the mean A = S/t of t lognormal variables under Q^t, so that
//
//	δ_remove(ε) = E(A − e^ε)₊ = 1 − e^ε + π(e^ε),  δ_add(ε) = E(1 − e^ε·A)₊ = e^ε·π(e^{−ε}),  π(α) = E(tα − S)₊/t.
type Mean struct {
	sum   *lognormal.Sum
	steps int64
}

// NewMean returns the allocation to one of so many steps.
func NewMean(mu2 *big.Rat, steps int64) Mean { return Mean{lognormal.New(mu2, steps), steps} }

// maxMeanBits bounds the working precision.
const maxMeanBits = 1 << 11

// Profile returns the profile of the allocation, or of its reverse.
func (m Mean) Profile(reversed bool) profile.Func { return m.ProfileFrom(maxMeanBits, reversed) }

// ProfileFrom is Profile; of values below 2^−scale it says no more than that, or little more.
func (m Mean) ProfileFrom(scale int, reversed bool) profile.Func {
	return sharpened(scale, false, func(ctx context.Context, bits interval.Prec,
		eps interval.Real) (interval.Interval, bool, error) {
		return m.delta(ctx, bits, eps, reversed)
	})
}

// sharpened is the profile that delta encloses with errors of about 2^−bits, to so many digits as are asked for, unless
// the value is below 2^−scale. Early, it first asks for what values next to 1 need.
func sharpened(scale int, early bool, delta func(ctx context.Context, bits interval.Prec,
	eps interval.Real) (interval.Interval, bool, error)) profile.Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		best := profile.Unit()
		// As much as 1 − e^ε cancels, as a rule.
		bits := p + 24
		if e := eps(64).Abs(); e.LessRat(big.NewRat(maxMeanBits, 2)) == interval.True {
			n, _ := e.Hi().Int64()
			bits += 2 * interval.Prec(n)
		}
		usual := bits
		if early {
			bits = p + 6
		}
		for bits <= maxMeanBits {
			if err := ctx.Err(); err != nil {
				return best, err
			}
			y, ok, err := delta(ctx, bits, eps)
			if err != nil || !ok {
				return best, err
			}
			if both, agree := interval.Intersect(best, p.Round(y)); agree {
				best = both
			}
			short := int(p) + 2 - y.RelativeBits(int(p)+8)
			if short <= 0 || y.Hi().Sign() == 0 || y.Hi().MantExp(nil) < -scale {
				break
			}
			switch {
			case short < int(p):
				bits += interval.Prec(short) + 8
			case bits < usual:
				bits = usual
			default:
				bits *= 2
			}
		}
		return best, nil
	}
}

// delta encloses δ(ε), with errors of about 2^−bits. It reports false where ε is not known, or too large.
func (m Mean) delta(ctx context.Context, bits interval.Prec, eps interval.Real, reversed bool) (interval.Interval,
	bool, error) {
	e := eps(bits + 32)
	const most = 1 << 16
	if !e.IsFinite() || interval.Point(e.Abs().Hi()).LessRat(big.NewRat(most, 1)) != interval.True {
		return e, false, nil
	}
	w := bits + 32
	at, steps := e, interval.Int(m.steps)
	if reversed {
		at = e.Neg()
	}
	y, ok, err := m.sum.Put(ctx, bits, w.Mul(steps, w.Exp(at)))
	if !ok || err != nil {
		return y, ok, err
	}
	y = w.Div(y, steps)
	if reversed {
		return interval.Clamp(w.Mul(w.Exp(e), y), 0, 1), true, nil
	}
	return interval.Clamp(w.Sub(y, w.Expm1(e)), 0, 1), true, nil
}
