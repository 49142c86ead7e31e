// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

const (
	// maxGroupMixture bounds groups in a Poisson sample: a mixture has a mean for each number of records.
	maxGroupMixture = 64
	// maxGroupResponse bounds groups under a guarantee of (ε, δ), whose pair has an outcome for each record.
	maxGroupResponse = 1 << 12
	// maxGroupXi bounds groups under a guarantee of (ξ, ρ) with ξ > 0, by the length of a harmonic number.
	maxGroupXi = 1 << 8
)

// groupMeaning: what k records see of one factor. docs/theorems.md, "Groups of records", has the proofs.
func (r *resolver) groupMeaning(e mechanism.Group, path string) (meaning, error) {
	k := e.Size
	size := new(big.Rat).SetInt64(k)
	less := func(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, size) }
	more := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, size) }
	tooLarge := func(most int64) (meaning, error) {
		return meaning{}, &mechanism.ParamError{Path: shown(path), Class: e.ClassName(), Field: "size", Value: fmt.Sprint(k),
			Want: fmt.Sprintf("at most %d for %s", most, e.Event.ClassName())}
	}
	of := func(moved mechanism.Event) (meaning, error) {
		m, err := r.factor(moved, path)
		m.traits.group = true
		return m, err
	}
	switch x := e.Event.(type) {
	case mechanism.NonPrivate:
		return of(x)
	case mechanism.Gaussian:
		return of(x.Scaled(less(big.NewRat(1, 1))))
	case mechanism.Laplace:
		return of(mechanism.Laplace{NoiseMultiplier: less(x.NoiseMultiplier)})
	case mechanism.SingleEpochTreeAggregation:
		x.NoiseMultiplier = less(x.NoiseMultiplier)
		return of(x)
	case mechanism.MatrixMechanism:
		if x.Sampling != nil {
			break // each record of the group has its own coins
		}
		x.NoiseMultiplier = less(x.NoiseMultiplier)
		return of(x)
	case mechanism.ExponentialMechanism:
		return of(mechanism.ExponentialMechanism{Epsilon: more(x.Epsilon)})
	case mechanism.PermuteAndFlip:
		return of(mechanism.PermuteAndFlip{Epsilon: more(x.Epsilon)})
	case mechanism.Truncated:
		x.Sensitivity = more(x.Sensitivity)
		return of(x)
	case mechanism.Clamped:
		x.Shift = more(x.Shift)
		return of(x)
	case mechanism.AdditiveNoise:
		if x.Kind == mechanism.Lattice {
			steps := new(big.Rat).Quo(x.Sensitivity, x.Cell)
			floor := new(big.Int).Quo(steps.Num(), steps.Denom())
			x.Sensitivity = new(big.Rat).Mul(x.Cell, new(big.Rat).SetInt(floor))
		}
		x.Sensitivity = more(x.Sensitivity)
		return of(x)
	case mechanism.DiscreteLaplace:
		if x.Sensitivity > mechanism.MaxCount/k {
			return tooLarge(mechanism.MaxCount / x.Sensitivity)
		}
		x.Sensitivity *= k
		return of(x)
	case mechanism.Binomial:
		if x.Sensitivity > mechanism.MaxCount/k {
			return tooLarge(mechanism.MaxCount / x.Sensitivity)
		}
		x.Sensitivity *= k
		return of(x)
	case mechanism.DiscreteGaussian:
		most := big.NewRat(mechanism.MaxCount, 1)
		if x.Sensitivity.Cmp(ratOne) > 0 {
			most.Quo(most, x.Sensitivity)
		}
		if size.Cmp(most) > 0 {
			return tooLarge(1)
		}
		m := discreteGaussianGroup(x, k)
		m.traits.group = true
		return m, nil
	case mechanism.EpsilonDelta:
		m, ok := groupResponseMeaning(x.Epsilon, x.Delta, k)
		if !ok {
			return tooLarge(maxGroupResponse)
		}
		return m, nil
	case mechanism.ZCDP:
		if x.Xi.Sign() > 0 && k > maxGroupXi {
			return tooLarge(maxGroupXi)
		}
		m := zcdpGroup(x, k)
		m.traits.group = true
		return m, nil
	case mechanism.PoissonSampled:
		return r.sampledGroup(e, x, path)
	case mechanism.SampledWithoutReplacement:
		return r.undefined(e, path, "a group in a sample without replacement is not proved")
	case mechanism.SampledWithReplacement:
		return r.undefined(e, path, "a group in a sample with replacement is not proved")
	case mechanism.Shuffled:
		return r.undefined(e, path, "a group among shuffled reports is not proved")
	case mechanism.TruncatedSubsampledGaussian:
		return r.undefined(e, path, "a group in a truncated sample is not proved")
	case mechanism.RepeatAndSelect: // each run is what the group sees of one
		x.Event = mechanism.Group{Event: x.Event, Size: e.Size}
		return r.repeated(x, path+".event")
	case mechanism.RandomAllocation:
		return r.undefined(e, path, "a group in a random allocation is not proved")
	case mechanism.Maximum:
		return r.undefined(e, path, "a group around a maximum of mechanisms is not defined: put the groups inside of it")
	case mechanism.RandomizedResponse, mechanism.MixtureOfGaussians, mechanism.FinitePair, mechanism.HistogramPair,
		mechanism.GaussianPair, mechanism.GaussianMixturePair, mechanism.ThresholdedNoise:
		return r.undefined(e, path, "what a group sees of "+e.Event.ClassName()+" is not defined: it is about one record")
	}
	return r.undefined(e, path, "what a group sees of "+e.Event.ClassName()+" is not proved")
}

// groupResponseMeaning: see GroupResponse. For ε = 0 it is (0, kδ).
func groupResponseMeaning(eps, delta *big.Rat, k int64) (meaning, bool) {
	var m meaning
	switch {
	case delta.Cmp(ratOne) == 0 || eps.Sign() == 0:
		all := new(big.Rat).Mul(delta, new(big.Rat).SetInt64(k))
		if all.Cmp(ratOne) > 0 || delta.Cmp(ratOne) == 0 {
			all = ratOne
		}
		if m = neutral(); all.Sign() > 0 {
			m = exactly(pair.Copies(pair.Response{Eps: new(big.Rat), Delta: all}, 1))
		}
	case k > maxGroupResponse:
		return m, false
	default:
		g := pair.GroupResponse{Eps: eps, Delta: delta, Size: k}
		m = attainedPointwise(pair.Copies(g, 1), g.Coins()...)
	}
	m.traits.group = true
	return m, true
}

// zcdpGroup: (k·H_k·ξ, k²ρ)-zCDP with H_k = Σ 1/i [Bun & Steinke 2016, Proposition 27]. A Gaussian moves k times as
// far, beside one answer of randomized response that one of the records changes.
func zcdpGroup(e mechanism.ZCDP, k int64) meaning {
	if e.Rho.Sign() == 0 && e.Xi.Sign() == 0 {
		return neutral()
	}
	square := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(k), big.NewInt(k)))
	rho, xi := square.Mul(square, e.Rho), new(big.Rat)
	if e.Xi.Sign() > 0 {
		for i := range k {
			xi.Add(xi, big.NewRat(k, i+1))
		}
		xi.Mul(xi, e.Xi)
	}
	var below pair.Product
	if rho.Sign() > 0 {
		below = append(below, pair.Term{Pair: pair.Gaussian{Mu2: new(big.Rat).Add(rho, rho)}, Count: 1})
	}
	if e.Xi.Sign() > 0 {
		below = append(below, pair.Term{Pair: pair.Response{Eps: e.Xi, Delta: new(big.Rat)}, Count: 1})
	}
	return between(pair.Copies(pair.ZCDP{Rho: rho, Xi: xi}, 1), below)
}

// sampledGroup: a Poisson sample has Bin(k, q) of the records of a group. With j of them, and the same of all others,
// Gaussian noise of distance μ has no test of the level Φ(−t) with a power above Φ(jμ − t), so that the mixture of
// N(jμ, 1) against N(0, 1) dominates; it is attained by records of one direction.
func (r *resolver) sampledGroup(e mechanism.Group, sample mechanism.PoissonSampled, path string) (meaning, error) {
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
	case mechanism.ReplaceOne:
		return r.undefined(e, path, "a group in a Poisson sample is not proved")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	factors, err := composition.Factors(sample.Event)
	if err != nil {
		return meaning{}, err
	}
	mu2 := new(big.Rat)
	for _, f := range factors {
		g, ok := f.Event.(mechanism.Gaussian)
		if !ok {
			return r.undefined(e, path, "a group in a Poisson sample for "+f.Event.ClassName()+" is not proved")
		}
		mu := new(big.Rat).Inv(g.Variance())
		mu2.Add(mu2, mu.Mul(mu, new(big.Rat).SetInt64(f.Count)))
	}
	mu := new(big.Rat).SetFrac(new(big.Int).Sqrt(mu2.Num()), new(big.Int).Sqrt(mu2.Denom()))
	if new(big.Rat).Mul(mu, mu).Cmp(mu2) != 0 {
		return r.undefined(e, path, "a group in a Poisson sample for Gaussians whose distances, taken together, are no "+
			"rational number is not supported")
	}
	k, q := e.Size, sample.SamplingProbability
	if k > maxGroupMixture {
		return meaning{}, &mechanism.ParamError{Path: shown(path), Class: e.ClassName(), Field: "size", Value: fmt.Sprint(k),
			Want: fmt.Sprintf("at most %d for a Poisson sample", maxGroupMixture)}
	}
	m := exactly(pair.Copies(pair.NewBinomialMixture(k, q, mu), 1))
	m.traits.group = true
	return m, nil
}

// discreteGaussianGroup: k records move a vector of integers by a sum of k shifts. If these are too many to list, each
// has |s| ≤ k·⌊Δ²⌋^½, which ρ = k²·⌊Δ²⌋/2σ² bounds, and k times one shift is one of them.
func discreteGaussianGroup(e mechanism.DiscreteGaussian, k int64) meaning {
	norm2 := new(big.Rat).Mul(e.Sensitivity, e.Sensitivity)
	n := new(big.Int).Quo(norm2.Num(), norm2.Denom())
	if n.Sign() == 0 {
		return neutral()
	}
	sigma2 := e.Sigma2()
	if single, ok := maximalShifts(n, e.Dimension, maxShifts); ok {
		if sums, ok := sumsOfShifts(single, k, e.Dimension); ok {
			var of []pair.Product
			for _, s := range sums {
				of = append(of, s.product(sigma2))
			}
			return exactly(of...)
		}
	}
	single, _ := vectorShifts(sigma2, n, e.Dimension)
	var some []pair.Product
	for _, p := range single {
		var moved pair.Product
		for _, t := range p {
			d := t.Pair.(pair.DiscreteGaussian)
			d.Sensitivity *= k
			moved = append(moved, pair.Term{Pair: d, Count: t.Count})
		}
		some = append(some, moved)
	}
	rho := new(big.Rat).SetInt(n)
	rho.Quo(rho, new(big.Rat).Add(sigma2, sigma2))
	size := new(big.Rat).SetInt64(k)
	return between(pair.Copies(pair.ZCDP{Rho: rho.Mul(rho, size.Mul(size, size)), Xi: new(big.Rat)}, 1), some...)
}
