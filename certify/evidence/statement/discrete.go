// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"
	"slices"

	"dpverify/exact/fixed"
	"dpverify/internal/number"
)

// discreteGaussian is discrete Gaussian noise of a variance, shifted by s, by its masses: at the integers up to s +
// last, and one atom for all beyond, whose loss may be anything. It reports false where there are more outcomes than
// a checker takes.
func discreteGaussian(variance *big.Rat, s int64) (*Part, bool) {
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
	p := &Part{Kind: Discrete}
	for x := -reach; x <= reach; x++ {
		m := mass{weight(x - s), weight(x)}
		sum = Three.Add(sum, m.Q)
		p.masses = append(p.masses, m)
	}
	p.masses = append(p.masses, mass{rest, fixed.Int(0)})
	for i, m := range p.masses {
		p.masses[i] = mass{Three.Div(m.P, sum), Three.Div(m.Q, sum)}
		p.losses = append(p.losses, LogOf(p.masses[i].P)-LogOf(p.masses[i].Q))
	}
	p.sums = make([]mass, len(p.masses)+1)
	for i, m := range slices.Backward(p.masses) {
		p.sums[i] = mass{Three.Add(p.sums[i+1].P, m.P), Three.Add(p.sums[i+1].Q, m.Q)}
	}
	return p, true
}
