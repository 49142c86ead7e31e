// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/transform"
	"dpverify/mechanism"
)

// Why nothing follows.
var (
	errManyPairs = errors.New("many pairs keep a guarantee in Rényi divergences, from two equal distributions on, and " +
		"each has a transform of its own, none of which bounds the others: want a table of one pair")
	errOfPhi = errors.New("φ at finitely many points says of Rényi divergences no more than that a loss may be " +
		"infinite: want a real order above 0")
)

// transforms reports whether a table answers about transforms itself, and not by the pair that it stands for.
func (t Table) transforms(of string) bool {
	switch t.Form {
	case TradeOff:
		return false
	case Profile: // the pair with the greatest profile has transforms, but its loss bounds nothing
		return of == targetLoss
	}
	return true
}

// Compute answers about a transform of what a table stands for.
func (t Table) Compute(ctx context.Context, x Transform) ([]Transformed, error) {
	return x.each(ctx, func(ctx context.Context, z transform.Number) (Transformed, error) {
		return t.transform(ctx, x, z)
	})
}

func (t Table) transform(ctx context.Context, x Transform, z transform.Number) (r Transformed, err error) {
	w := interval.Prec(bitsOf(x.Digits))
	if x.Of == targetLoss {
		if z.Im.Sign() != 0 {
			return r, errRealLoss
		}
		r.Value.Re, r.Note, err = t.loss(ctx, w, z.Re, x.Direction == mechanism.Add)
		return r, err
	}
	switch t.Form {
	case Renyi:
		return r, errManyPairs
	case Phi:
		if x.Of != targetPhi {
			return r, errOfPhi
		}
		if x.Direction == mechanism.Add {
			return r, errors.New("the table is of φ of (P, Q): want remove as the direction")
		}
		r.Value, err = t.phi(w, z)
		return r, err
	}
	if t.Form == LossTail {
		r.Note = betweenPoints
	}
	here := t.lossTable(x.Direction == mechanism.Add)
	if x.Of != targetPhi {
		r.Value, err = here.renyi(w, z)
		return r, err
	}
	there := here
	there.reversed = !here.reversed
	z = transform.Number{Re: new(big.Rat).Neg(z.Im), Im: z.Re} // φ(t) is the moment at it
	if r.Value, err = here.moment(w, z); err != nil {
		return r, err
	}
	back, err := there.moment(w, z)
	if err == nil {
		r.Reverse = &back
	}
	return r, err
}

const ofGuarantee = "the answer covers all mechanisms that keep the guarantee"

// loss encloses P(L > x), or of (Q, P), and says of what.
func (t Table) loss(ctx context.Context, w interval.Prec, x *big.Rat, reversed bool) (y interval.Interval, note string,
	err error) {
	switch t.Form {
	case Renyi, Profile:
		y, err := t.lossOfGuarantee(ctx, w, x)
		return y, ofGuarantee, err
	case Phi:
		for _, p := range t.Points {
			if p.X.Sign() == 0 && p.Y.Cmp(ratOne) < 0 && !reversed {
				return interval.Union(w.Rat(new(big.Rat).Sub(ratOne, p.Y)), interval.Int(1)), fromPhi, nil
			}
		}
		return interval.Union(interval.Int(0), interval.Int(1)), "", errPhi
	case LossTail:
		note = betweenPoints
	}
	return t.lossTable(reversed).tail(w, x), note, nil
}

// lossOfGuarantee encloses P(L > x) of all pairs that keep a guarantee, in either orientation.
//
// For x ≥ 0 equal distributions have 0, so that only the least upper bound counts: the one of P(L ≥ x), except that it
// is 0 where δ(x) = 0. For x < 0 it is 1 − P(L ≤ x): the test S = {L ≤ x} has Q(S) ≥ P(S)·e^−x, which is a test of the
// reversed pair for losses of −x or more, and P(S) is at most e^x times its greatest probability; and equal
// distributions have 1. Losses of −x itself count: randomized response has them.
func (t Table) lossOfGuarantee(ctx context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
	if x.Sign() >= 0 && t.isBounded(x) {
		return interval.Int(0), nil
	}
	most, err := t.greatestLoss(ctx, w, new(big.Rat).Abs(x))
	if err != nil {
		return most, err
	}
	if x.Sign() >= 0 {
		return interval.Union(interval.Int(0), most), nil
	}
	least := w.Sub(interval.Int(1), w.Mul(w.Exp(w.Rat(x)), most))
	return interval.Union(interval.Max(interval.Int(0), least), interval.Int(1)), nil
}

// isBounded reports whether a profile says that no loss is above x: δ(ε) = 0 for an ε ≤ x.
func (t Table) isBounded(x *big.Rat) bool {
	return t.Form == Profile && slices.ContainsFunc(t.Points, func(p Point) bool {
		return p.Y.Sign() == 0 && p.X.Cmp(x) <= 0
	})
}

// sparedBits are what a bisection leaves out: it takes a step for each bit.
const sparedBits = 192

// greatestLoss encloses an upper bound of P(L ≥ x), x ≥ 0, under a guarantee.
//
// Of a profile, for each ε < x: δ(ε) ≥ E_P[(1 − e^(ε−L))₊] ≥ P(L ≥ x)·(1 − e^(ε−x)). With c = e^x it says
// that the line p(1 − α/c) from p = P(L ≥ x) is not above H_α, and conversely max(p(1 − α/c), 1 − α) is a profile that
// keeps the guarantee, if p is the greatest number that all points and their mirror images (e^−ε, 1 − e^−ε + e^−ε·δ)
// admit.
func (t Table) greatestLoss(ctx context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
	if t.Form == Renyi {
		return conversion.LossTail(t.guarantees(), x)(ctx, w-sparedBits)
	}
	most := interval.Int(1)
	for _, p := range t.Points {
		mirror := w.Exp(w.Rat(p.X).Neg())
		for _, b := range []struct {
			eps   *big.Rat
			delta interval.Interval
		}{
			{p.X, w.Rat(p.Y)},
			{new(big.Rat).Neg(p.X), w.Add(w.Sub(interval.Int(1), mirror), w.Mul(mirror, w.Rat(p.Y)))},
		} {
			if b.eps.Cmp(x) < 0 {
				part := w.Sub(interval.Int(1), w.Exp(w.Rat(new(big.Rat).Sub(b.eps, x))))
				most = interval.Min(most, w.Div(b.delta, part))
			}
		}
	}
	return most, nil
}
