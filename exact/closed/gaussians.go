// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// gaussiansTails: N(0, σ²) against N(s, τ²), σ ≠ τ. With d = σ² − τ², completing the square gives the loss at x as
//
//	L(x) = a(x − c)² + l₀,  a = d/2σ²τ²,  c = sσ²/d,  l₀ = log(τ/σ) − s²/2d.
//
// With r = √max(0, (ε − l₀)/a), it exceeds ε
//
//	for σ > τ where |x − c| > r, everywhere but at c if ε ≤ l₀,
//	for σ < τ where |x − c| < r, nowhere if ε ≥ l₀.
//
// c is to be taken about 0 and in units of σ under P, about s and in units of τ under Q, where c − s = sτ²/d.
// Where r is known by an enclosure that begins at 0, both masses are the masses of r in it.
func gaussiansTails(g pair.Gaussians) Tails {
	square := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
	p2, q2 := square(g.SigmaP), square(g.SigmaQ)
	d := new(big.Rat).Sub(p2, q2)
	inverse := new(big.Rat).Mul(p2, q2) // 1/a
	inverse.Add(inverse, inverse)
	inverse.Quo(inverse, d)
	shifted := new(big.Rat).Quo(square(g.Shift), d)
	shifted.Mul(shifted, big.NewRat(1, 2))
	ratio := new(big.Rat).Quo(g.SigmaQ, g.SigmaP)
	centre := new(big.Rat).Quo(g.Shift, d)
	atP, atQ := new(big.Rat).Mul(centre, g.SigmaP), new(big.Rat).Mul(centre, g.SigmaQ) // c/σ and (c − s)/τ
	outside := d.Sign() > 0
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		l0 := w.Sub(w.Log(w.Rat(ratio)), w.Rat(shifted))
		r := w.Sqrt(interval.Max(zero, w.Mul(w.Sub(eps.Interval, l0), w.Rat(inverse))))
		mass := func(at, sigma *big.Rat) interval.Interval {
			c := w.Rat(new(big.Rat).Abs(at)) // the normal law is symmetric
			z := w.Div(r, w.Rat(sigma))
			near, far := w.Sub(z, c), fixed.NormalSF(w, w.Add(c, z))
			switch {
			case outside:
				return unitPart(w.Add(fixed.NormalSF(w, near), far))
			case near.Negative() == interval.True:
				return unitPart(w.Sub(fixed.NormalSF(w, near.Neg()), far))
			}
			return unitPart(w.Sub(w.Sub(one, fixed.NormalSF(w, near)), far))
		}
		return mass(atP, g.SigmaP), mass(atQ, g.SigmaQ)
	}
}
