// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Noise with density f conditioned on [−r, r], against the same shifted by s: the
// losses are finite on [s − r, r], and
//
//	M(1 + λ) = ∫ f(x)·e^(λL(x)) dx / ∫ f,  over [s − r, r] and over [−r, r].
//
// It is what the extended moments accountant needs (see Extended). For s ≥ 2r the supports
// are disjoint, but for a point, and M = 0.

// noMoment is log M = log 0 of disjoint supports.
func noMoment(interval.Prec, *big.Rat) interval.Interval { return posInf.Neg() }

// truncatedGaussian: L = s(s − 2x)/2σ² tilts the density to one about −λs,
//
//	M(1 + λ) = e^(λ(1+λ)s²/2σ²)·P(s − r ≤ N(−λs, σ²) ≤ r)/P(|N(0, σ²)| ≤ r).
func truncatedGaussian(x pair.Truncated) LogMoment {
	low := new(big.Rat).Sub(x.Sensitivity, x.Radius)
	if low.Cmp(x.Radius) >= 0 {
		return noMoment
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		s := new(big.Rat).Quo(x.Sensitivity, x.Width)
		shift := new(big.Rat).Mul(minusOne(alpha), s) // λs/σ
		e := new(big.Rat).Mul(shift, alpha)
		e.Mul(e, s)
		at := func(r *big.Rat) *big.Rat {
			return new(big.Rat).Add(new(big.Rat).Quo(r, x.Width), shift)
		}
		radius := new(big.Rat).Quo(x.Radius, x.Width)
		num := between(w, at(low), at(x.Radius))
		den := between(w, new(big.Rat).Neg(radius), radius)
		return p.Add(w.Scale(w.Rat(e), -1), w.Sub(w.Log(num), w.Log(den)))
	}
}

// between encloses Φ(b) − Φ(a), a < b, on the side of 0 where it does not cancel more than it must.
func between(p interval.Prec, a, b *big.Rat) interval.Interval {
	if a.Sign() < 0 && b.Sign() <= 0 {
		a, b = new(big.Rat).Neg(b), new(big.Rat).Neg(a)
	}
	return p.Refine(p+32, 8*p+4096, func(w interval.Prec) interval.Interval {
		return w.Sub(w.NormalSF(w.Rat(a)), w.NormalSF(w.Rat(b))).AtLeastZero()
	})
}
