// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package iterates bounds what the last point of noisy gradient descent shows, by shifted interpolation [Bok, Su &
// Altschuler 2024]. docs/theorems.md has the proof, *The last iterate*.
package iterates

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A descent is an event in units of what one record may move.
type descent struct {
	c       *big.Rat
	batches int64
	z       *big.Rat // the diameter
}

// Distance returns bounds of μ²: (N(μ, 1), N(0, 1)) dominates the event where a record moves a step by at most so many
// times C, and the least one is dominated by some event of the class, in the limit of many dimensions if points are
// constrained.
func Distance(e mechanism.LastIterate, sensitivity int64) (most, least *big.Rat) {
	s := big.NewRat(sensitivity, 1)
	unit := s.Mul(s, s)
	unit.Quo(unit, new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier))
	uses := (e.Steps-1)/e.Batches + 1
	d := descent{c: e.Contraction, batches: e.Batches, z: new(big.Rat)}
	most, least = d.square(uses)
	if e.Diameter != nil {
		least = big.NewRat(1, 1)
		d.z = new(big.Rat).Quo(e.Diameter, big.NewRat(sensitivity, 1))
		if high, _ := d.square(choose(d.c, d.z, d.batches, uses)); uses > 1 && high.Cmp(most) < 0 {
			most = high
		}
	}
	return most.Mul(most, unit), new(big.Rat).Mul(least, unit)
}

// prec is the precision of what is irrational, or too long.
const prec = interval.Prec(256)

// square bounds the square of μσ where n uses count, the first one from a distance of z, with the last one in the last
// step.
//
// The shift before the last step is M = q·z + c^(b−1)·(1−q)/(1−c^b), q = c^(b(n−1)), with b batches, and Σ = (1 −
// q²)/(1−c²) the variance of the noise until then. If M ≥ cΣ all of it is spread over all steps, (cM + 1)²/(c²Σ + 1);
// otherwise the last one is by itself, 1 + M²/Σ. If z = 0 the first is attained in any case, and the second one if M ≤
// cΣ; it bounds in any case, as (cM + 1)² ≤ (M²/Σ + 1)·(c²Σ + 1).
func (d descent) square(n int64) (high, low *big.Rat) {
	one := interval.Int(1)
	c, z := prec.Rat(d.c), prec.Rat(d.z)
	shift, noise := z, interval.Int(0)
	switch {
	case n == 1:
	case d.c.Sign() == 0:
		shift, noise = interval.Int(0), one
		if d.batches == 1 {
			shift = one
		}
	case d.c.Cmp(big.NewRat(1, 1)) == 0:
		shift = prec.Add(z, interval.Int(n-1))
		noise = prec.Mul(interval.Int(d.batches), interval.Int(n-1))
	default:
		const w = prec + 64
		log := w.Log1p(w.Rat(new(big.Rat).Sub(d.c, big.NewRat(1, 1))))   // of c
		power := func(k interval.Interval) (q, rest interval.Interval) { // c^k and 1 − c^k
			x := w.Mul(k, log)
			return w.Exp(x), w.Expm1(x).Neg()
		}
		b := interval.Int(d.batches)
		q, rest := power(w.Mul(b, interval.Int(n-1)))
		last, _ := power(interval.Int(d.batches - 1))
		_, turn := power(b)
		_, twice := power(interval.Int(2))
		shift = w.Add(w.Mul(q, w.Rat(d.z)), w.Div(w.Mul(last, rest), turn))
		noise = w.Div(w.Mul(rest, w.Add(one, q)), twice)
	}
	together := prec.Div(prec.Sqr(prec.Add(prec.Mul(c, shift), one)), prec.Add(prec.Mul(prec.Sqr(c), noise), one))
	low = rational(together.Lower())
	if noise.IsZero() || prec.Mul(c, noise).LessEq(shift) == interval.True {
		return rational(together.Upper()), low
	}
	apart := prec.Add(one, prec.Div(prec.Sqr(shift), noise))
	if shift.LessEq(prec.Mul(c, noise)) == interval.True {
		low = rational(apart.Lower())
	}
	return rational(apart.Upper()), low
}

// rational returns the value of an interval of one finite number.
func rational(x interval.Interval) *big.Rat {
	r, _, ok := x.Rationals()
	if !ok {
		panic("iterates: internal error: a shift is not finite")
	}
	return r
}
