// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math/big"
	"slices"
)

// Limits within which a checker of some hundred bits, and float64, tell numbers apart.
var (
	leastLoss, mostLoss = big.NewRat(1, 1e12), big.NewRat(1e4, 1) // of the distance of noise, in its standard deviations or scales
	leastRate           = big.NewRat(1, 1e15)
	mostFinite          = big.NewRat(350, 1) // of the losses of finite pairs
	leastMass           = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(150), nil))
	leastDelta          = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))
	mostEpsilon         = big.NewRat(5e3, 1)
	mostThreshold       = big.NewRat(1e8, 1)
	mostMirrored        = big.NewRat(50, 1) // of the square of the distance
)

// Ordinary reports that all numbers of a reading and of a claim, of which δ is nil where it has none, are within these limits.
func (r *Reading) Ordinary(eps, delta *big.Rat) bool {
	if new(big.Rat).Abs(eps).Cmp(mostEpsilon) > 0 || delta != nil && delta.Sign() > 0 && delta.Cmp(leastDelta) < 0 {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(r.Parts, r.bases), func(p *Part) bool { return !p.Ordinary(eps) })
}

func (p *Part) Ordinary(eps *big.Rat) bool {
	between := func(x, lo, hi *big.Rat) bool { return x == nil || x.Cmp(lo) >= 0 && x.Cmp(hi) <= 0 }
	rate := func(x *big.Rat) bool {
		return x == nil || x.Cmp(leastRate) >= 0 && (x.Cmp(RatOne) == 0 || new(big.Rat).Sub(RatOne, x).Cmp(leastRate) >= 0)
	}
	least, most := leastLoss, mostLoss
	if p.Kind == Gaussian { // the threshold for e^ε is about ε over the distance
		if far := new(big.Rat).Quo(new(big.Rat).Abs(eps), mostThreshold); far.Cmp(least) > 0 {
			least = far
		}
	}
	means := []*big.Rat{least, most}
	if p.Bumps == nil && p.Kind == Gaussian { // the square
		least, most = new(big.Rat).Mul(least, least), new(big.Rat).Mul(most, most)
	}
	if p.Mirrored { // e^(μ²/2) takes that many bits more
		most = mostMirrored
	}
	if !rate(p.Rate) || !between(p.Shift, least, most) || !between(p.Clamp, new(big.Rat), mostLoss) {
		return false
	}
	for _, b := range p.Bumps {
		if !rate(b.weight) || !between(b.mean, means[0], means[1]) {
			return false
		}
	}
	for _, a := range p.Atoms {
		for _, x := range []*big.Rat{a.P, a.Q} {
			if x.Sign() > 0 && x.Cmp(leastMass) < 0 {
				return false
			}
		}
	}
	return (p.Eps == nil || p.Eps.Sign() == 0 || between(p.Eps, leastLoss, mostFinite)) && between(p.Lambda, leastLoss, mostFinite)
}
