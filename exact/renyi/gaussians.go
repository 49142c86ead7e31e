// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// gaussians is ∫ p^α·q^(1−α) of N(0, σ²) against N(s, τ²) [Gil, Alajaji & Linder 2013]. Let v = ατ² + (1−α)σ². If v >
// 0,
//
//	log ∫ = ½·log(σ^(2(1−α))·τ^(2α)/v) − α(1−α)s²/2v.
//
// Otherwise the integral diverges, as its exponent does not fall.
func gaussians(g pair.Gaussians) LogMoment {
	p2, q2, s2 := new(big.Rat).Mul(g.SigmaP, g.SigmaP), new(big.Rat).Mul(g.SigmaQ, g.SigmaQ),
		new(big.Rat).Mul(g.Shift, g.Shift)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		other := new(big.Rat).Sub(ratOne, alpha)
		v := new(big.Rat).Add(new(big.Rat).Mul(alpha, q2), new(big.Rat).Mul(other, p2))
		if v.Sign() <= 0 {
			return posInf
		}
		w := p + 32
		logs := w.Add(w.Mul(w.Rat(other), w.Log(w.Rat(p2))), w.Mul(w.Rat(alpha), w.Log(w.Rat(q2))))
		logs = w.Sub(logs, w.Log(w.Rat(v)))
		e := new(big.Rat).Mul(alpha, other)
		e.Quo(e.Mul(e, s2), v)
		return p.Round(w.Scale(w.Sub(logs, w.Rat(e)), -1))
	}
}

// relativeEntropyOfGaussians is log(τ/σ) + (σ² + s²)/2τ² − ½.
func relativeEntropyOfGaussians(p interval.Prec, g pair.Gaussians) interval.Interval {
	w := p + 32
	second := new(big.Rat).Mul(g.SigmaP, g.SigmaP)
	second.Add(second, new(big.Rat).Mul(g.Shift, g.Shift))
	second.Quo(second, new(big.Rat).Mul(g.SigmaQ, g.SigmaQ))
	second.Sub(second, ratOne)
	return p.Round(atLeastZero(w.Add(w.Log(w.Rat(new(big.Rat).Quo(g.SigmaQ, g.SigmaP))), w.Scale(w.Rat(second), -1))))
}

// greatestOfGaussians: σ < τ, see closed.PairTails: log(τ/σ) + s²/2(τ² − σ²).
func greatestOfGaussians(p interval.Prec, g pair.Gaussians) interval.Interval {
	w := p + 16
	d := new(big.Rat).Mul(g.SigmaQ, g.SigmaQ)
	d.Sub(d, new(big.Rat).Mul(g.SigmaP, g.SigmaP))
	half := new(big.Rat).Mul(g.Shift, g.Shift)
	half.Quo(half, d.Add(d, d))
	return p.Round(w.Add(w.Log(w.Rat(new(big.Rat).Quo(g.SigmaQ, g.SigmaP))), w.Rat(half)))
}
