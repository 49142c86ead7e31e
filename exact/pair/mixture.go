package pair

import (
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// newGaussianMixture returns the pair of a mixture in units of its standard
// deviation, or nil if all means are 0. One mean is a Gaussian; the mean 0 and
// one other are a Poisson-sampled Gaussian.
func newGaussianMixture(e mechanism.MixtureOfGaussians) Pair {
	type component struct{ mean, prob *big.Rat }
	var cs []component
	for i, c := range e.Sensitivities {
		if e.SamplingProbs[i].Sign() > 0 {
			cs = append(cs, component{new(big.Rat).Quo(c, e.StandardDeviation), new(big.Rat).Set(e.SamplingProbs[i])})
		}
	}
	slices.SortStableFunc(cs, func(a, b component) int { return a.mean.Cmp(b.mean) })
	merged := cs[:1]
	for _, c := range cs[1:] {
		if last := &merged[len(merged)-1]; last.mean.Cmp(c.mean) == 0 {
			last.prob.Add(last.prob, c.prob)
		} else {
			merged = append(merged, c)
		}
	}
	square := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
	switch {
	case len(merged) == 1 && merged[0].mean.Sign() == 0:
		return nil
	case len(merged) == 1:
		return Gaussian{square(merged[0].mean)}
	case len(merged) == 2 && merged[0].mean.Sign() == 0:
		return Sampled{Rate: merged[1].prob, Base: Product{{Gaussian{square(merged[1].mean)}, 1}}}
	}
	var m GaussianMixture
	for _, c := range merged {
		m.Means = append(m.Means, c.mean)
		m.Probs = append(m.Probs, c.prob)
	}
	return m
}
