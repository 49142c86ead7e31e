// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// clampedGaussian is Σ p^α·q^(1−α) for clamped Gaussian noise. With t the shift, where both have
// densities, x > 0 or x > t,
//
//	f(x)^a·f(x − t)^(1−a) = e^(−a(1−a)t²/2σ²)·(density of N(µ + (1−a)t, σ²) at x),
//
// a = α, and a = 1 − α reversed. Shift-then-clamp has the atoms F(0) and F(−t) besides.
func clampedGaussian(x pair.Clamped) LogMoment {
	t, mu := new(big.Rat).Quo(x.Shift, x.Width), new(big.Rat).Quo(x.Location, x.Width)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		a := alpha
		if x.Reversed {
			a = new(big.Rat).Sub(ratOne, alpha)
		}
		b := new(big.Rat).Sub(ratOne, a)
		mean := new(big.Rat).Mul(b, t)
		mean.Add(mean, mu)
		e := new(big.Rat).Mul(a, b)
		e.Mul(e, t)
		e.Mul(e, t)
		low := mean.Neg(mean) // from x = 0
		if !x.ShiftFirst {
			low.Add(low, t)
		}
		scale := w.Scale(w.Rat(e), -1).Neg()
		tail := w.NormalSF(w.Rat(low))
		if !x.ShiftFirst {
			return p.Round(w.Add(scale, w.Log(tail)))
		}
		atomP := w.NormalCDF(w.Rat(new(big.Rat).Neg(mu)))
		atomQ := w.NormalCDF(w.Rat(new(big.Rat).Neg(new(big.Rat).Add(mu, t))))
		logAtom := w.Add(w.Mul(w.Rat(a), w.Log(atomP)), w.Mul(w.Rat(b), w.Log(atomQ)))
		// log(e^y + e^z) from the greater of the two.
		rest := w.Add(scale, w.Log(tail))
		top := interval.Max(logAtom, rest)
		if !top.IsFinite() {
			return p.Round(w.Log(w.Add(w.Exp(logAtom), w.Exp(rest))))
		}
		return p.Round(w.Add(top, w.Log(w.Add(w.Exp(w.Sub(logAtom, top)), w.Exp(w.Sub(rest, top))))))
	}
}
