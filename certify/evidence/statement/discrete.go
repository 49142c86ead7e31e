// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"
	"slices"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A DiscreteGaussian pair is discrete Gaussian noise and the same shifted, by its masses: of the integers up to Reach,
// from below, and of all beyond.
type DiscreteGaussian struct {
	Variance     *big.Rat
	Shift, Reach int64
	masses, sums []Mass // sums are of the masses from each one on
	losses       []float64
}

// Greatest is unknown: losses have no bound.
func (p *DiscreteGaussian) Greatest() (loss, infinite *big.Rat) { return nil, nil }

// Outcomes are the masses in a direction.
func (p *DiscreteGaussian) Outcomes(d mechanism.Direction) []Mass {
	var out []Mass
	for _, m := range p.masses {
		out = append(out, m.In(d))
	}
	return out
}

// Profile is Σ (p − αq)₊, of losses that rise in the order of the masses, in either direction.
func (p *DiscreteGaussian) Profile(_ mechanism.Direction, alpha fixed.Real) fixed.Real {
	i, _ := slices.BinarySearch(p.losses, LogOf(alpha))
	h := Three.Sub(p.sums[i].P, Three.Mul(alpha, p.sums[i].Q))
	if h.Positive() == interval.True {
		return h
	}
	return fixed.Int(0)
}

// A SampledDiscrete pair is a Poisson sample of discrete Gaussian noise.
type SampledDiscrete struct {
	*DiscreteGaussian
	Rate *big.Rat
}

// Profile is γH(α'), α' = (α − (1−γ))/γ, or 1 − α, in the direction remove.
func (p SampledDiscrete) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	if d == mechanism.Add {
		return exchanged(p, alpha)
	}
	return sampledProfile(p.DiscreteGaussian, p.Rate, alpha)
}

func (p *DiscreteGaussian) sample(rate *big.Rat) SampledDiscrete {
	masses := make([]Mass, len(p.masses))
	for i, m := range p.masses {
		masses[i] = sampledAbove(rate, m)
	}
	return SampledDiscrete{&DiscreteGaussian{p.Variance, p.Shift, p.Reach, masses, p.sums, p.losses}, rate}
}

// newDiscreteGaussian is noise of a variance, shifted by s: the integers up to s + last, and one atom for all beyond,
// whose loss may be anything. It reports false where there are more outcomes than a checker takes.
func newDiscreteGaussian(variance *big.Rat, s int64) (*DiscreteGaussian, bool) {
	last := int64(math.Sqrt(200*math.Min(number.Float64(variance), 1e6))) + 2
	reach := last + s
	if 2*reach >= MaxOutcomes {
		return nil, false
	}
	weight := func(x int64) fixed.Real {
		return Three.Exp(Three.Rat(new(big.Rat).Quo(big.NewRat(-x*x, 2), variance)))
	}
	rest := Three.Scale(Three.Mul(Three.Rat(variance), weight(last)), 1)
	sum := rest
	p := &DiscreteGaussian{Variance: variance, Shift: s, Reach: reach}
	for x := -reach; x <= reach; x++ {
		m := Mass{weight(x - s), weight(x)}
		sum = Three.Add(sum, m.Q)
		p.masses = append(p.masses, m)
	}
	p.masses = append(p.masses, Mass{rest, fixed.Int(0)})
	for i, m := range p.masses {
		p.masses[i] = Mass{Three.Div(m.P, sum), Three.Div(m.Q, sum)}
		p.losses = append(p.losses, LogOf(p.masses[i].P)-LogOf(p.masses[i].Q))
	}
	p.sums = make([]Mass, len(p.masses)+1)
	for i, m := range slices.Backward(p.masses) {
		p.sums[i] = Mass{Three.Add(p.sums[i+1].P, m.P), Three.Add(p.sums[i+1].Q, m.Q)}
	}
	return p, true
}
