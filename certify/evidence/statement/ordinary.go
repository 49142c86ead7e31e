// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math/big"
	"slices"
)

// Limits within which a checker of some hundred bits, and float64, tell numbers apart.
var (
	leastLoss     = big.NewRat(1, 1e12) // of the distance of noise, in its standard deviations or scales
	mostLoss      = big.NewRat(1e4, 1)
	leastRate     = big.NewRat(1, 1e15)
	mostFinite    = big.NewRat(350, 1) // of the losses of finite pairs
	leastMass     = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(150), nil))
	leastDelta    = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(300), nil))
	mostEpsilon   = big.NewRat(5e3, 1)
	mostThreshold = big.NewRat(1e8, 1)
	mostMirrored  = big.NewRat(50, 1) // of the square of the distance
)

// Ordinary reports that all numbers of a reading and of a claim, of which δ is nil where it has none, are within these
// limits.
func (r *Reading) Ordinary(eps, delta *big.Rat) bool {
	if new(big.Rat).Abs(eps).Cmp(mostEpsilon) > 0 || delta != nil && delta.Sign() > 0 && delta.Cmp(leastDelta) < 0 {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(r.Parts, r.bases), func(p *Part) bool { return !p.ordinary(eps) })
}

func between(x, lo, hi *big.Rat) bool { return x.Cmp(lo) >= 0 && x.Cmp(hi) <= 0 }

func ordinaryRate(x *big.Rat) bool {
	return x.Cmp(leastRate) >= 0 && (x.Cmp(RatOne) == 0 || new(big.Rat).Sub(RatOne, x).Cmp(leastRate) >= 0)
}

// leastMean is the least distance of Gaussian noise: the threshold for e^ε is about ε over it.
func leastMean(eps *big.Rat) *big.Rat {
	if far := new(big.Rat).Quo(new(big.Rat).Abs(eps), mostThreshold); far.Cmp(leastLoss) > 0 {
		return far
	}
	return leastLoss
}

func (g Gaussian) ordinary(eps *big.Rat) bool {
	return g.atMost(eps, new(big.Rat).Mul(mostLoss, mostLoss))
}

func (g Gaussian) atMost(eps, most *big.Rat) bool {
	least := leastMean(eps)
	return between(g.Square, new(big.Rat).Mul(least, least), most)
}

func (m Mirrored) ordinary(eps *big.Rat) bool { // e^(μ²/2) takes that many bits more
	return ordinaryRate(m.Rate) && m.atMost(eps, mostMirrored)
}

func (p Mixture) ordinary(eps *big.Rat) bool {
	least := leastMean(eps)
	return !slices.ContainsFunc(p.Bumps, func(b bump) bool {
		return !ordinaryRate(b.weight) || !between(b.mean, least, mostLoss)
	})
}

func (n shifted) ordinary(*big.Rat) bool { return between(n.Shift, leastLoss, mostLoss) }

func (c Clamped) ordinary(eps *big.Rat) bool {
	return c.Noise.ordinary(eps) && between(c.Clamp, new(big.Rat), mostLoss)
}

func (s Sampled) ordinary(eps *big.Rat) bool {
	return ordinaryRate(s.Rate) && s.Divisible.ordinary(eps)
}

func (p Truncated) ordinary(eps *big.Rat) bool { return p.Near.ordinary(eps) && p.Far.ordinary(eps) }

func (as Atoms) ordinary(*big.Rat) bool {
	small := func(x *big.Rat) bool { return x.Sign() > 0 && x.Cmp(leastMass) < 0 }
	return !slices.ContainsFunc(as, func(a Atom) bool { return small(a.P) || small(a.Q) })
}

// ordinaryLoss is about the greatest loss of a finite pair, nil if it is not known.
func ordinaryLoss(x *big.Rat) bool {
	return x == nil || x.Sign() == 0 || between(x, leastLoss, mostFinite)
}

func (g Guarantee) ordinary(eps *big.Rat) bool { return g.Atoms.ordinary(eps) && ordinaryLoss(g.Eps) }

func (p SampledFinite) ordinary(eps *big.Rat) bool {
	return p.Atoms.ordinary(eps) && ordinaryLoss(p.loss)
}

func (p DiscreteLaplace) ordinary(eps *big.Rat) bool {
	loss, _ := p.Greatest()
	return p.Atoms.ordinary(eps) && ordinaryLoss(loss) && between(p.Lambda, leastLoss, mostFinite)
}

func (p *DiscreteGaussian) ordinary(*big.Rat) bool { return true }
func (p SampledDiscrete) ordinary(*big.Rat) bool   { return ordinaryRate(p.Rate) }

func (p Promise) ordinary(*big.Rat) bool { return between(p.Rho, leastLoss, mostFinite) }
