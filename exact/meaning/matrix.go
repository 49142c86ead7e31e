// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
	"dpverify/mechanism"
)

// matrixMeaning: what a record adds to the rows of G is C·u for some participation, which moves the answer by a vector
// of squared norm at most c²·s², with s the sensitivity of the strategy: N(μ, 1) against N(0, 1), μ² = c²·s²/σ². The
// values of a step may depend on what was released before, as the noise is Gaussian [Denisov, McMahan, Rush, Smith &
// Thakurta 2022, Theorem 2.1]. Where s is known from above and below only, so is the pair.
func (r *resolver) matrixMeaning(e mechanism.MatrixMechanism, path string) (meaning, error) {
	if e.Sampling != nil {
		return r.sampledMatrix(e, path)
	}
	lo, hi := strategyMatrix(e.Strategy).Sensitivity(participation.Pattern{MinSeparation: e.MinSeparation,
		MaxParticipations: e.MaxParticipations})
	scale := big.NewRat(r.sensitivity, 1)
	scale.Quo(scale, e.NoiseMultiplier)
	scale.Mul(scale, scale)
	of := func(s2 *big.Rat) pair.Product {
		if s2.Sign() == 0 {
			return nil
		}
		return pair.Copies(pair.Gaussian{Mu2: new(big.Rat).Mul(s2, scale)}, 1)
	}
	m := neutral()
	switch {
	case hi.Sign() == 0:
	case lo.Cmp(hi) == 0:
		m = exactly(of(hi))
	default:
		m = between(of(hi), of(lo))
		r.note("the sensitivity of the strategy of a MatrixMechanismEvent is known from above and below only: its square " +
			"lies " + participation.Between(lo, hi))
	}
	m.traits.places = true
	return m, nil
}

func strategyMatrix(s mechanism.Strategy) participation.Matrix {
	if s.Toeplitz != nil {
		return participation.Toeplitz(int(s.Steps), s.Toeplitz)
	}
	entries := make([]participation.Entry, len(s.Entries))
	for i, e := range s.Entries {
		entries[i] = participation.Entry{Row: int(e.Row), Column: int(e.Column), Value: e.Value}
	}
	return participation.New(int(s.Steps), entries)
}

// sampledMatrix resolves a matrix mechanism whose records take part by coins of their own. See docs/theorems.md, Matrix
// mechanisms with a sampling.
func (r *resolver) sampledMatrix(e mechanism.MatrixMechanism, path string) (meaning, error) {
	m := strategyMatrix(e.Strategy)
	var out meaning
	var err error
	switch e.Sampling.Kind {
	case mechanism.PoissonCyclic:
		out, err = r.cyclicSample(e, m, path)
	case mechanism.BallsInBins:
		out, err = r.ballsInBins(e, m, path)
	default:
		out, err = r.patterns(e, m, path)
	}
	out.traits.places = true
	return out, err
}

// cyclicSample: the columns of one group have no row in common, so that a step of the group, with all rows that it
// moves, is over before the next one: a composition of Poisson samples, at the norms of the columns.
func (r *resolver) cyclicSample(e mechanism.MatrixMechanism, m participation.Matrix, path string) (meaning, error) {
	if w := m.Width(); int64(w) > e.Sampling.Size {
		return r.undefined(e, path, fmt.Sprintf("cyclic samples of %d bands are proved for strategies of as many bands, "+
			"this one has %d: not defined", e.Sampling.Size, w))
	}
	groups, ok := m.Groups(int(e.Sampling.Size))
	if !ok {
		return r.undefined(e, path, "cyclic samples of a strategy with so many different groups of columns are not defined")
	}
	q := e.Sampling.Probability
	per := new(big.Rat).Inv(new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier))
	var of []pair.Product
	for _, norms := range groups {
		var p pair.Product
		for _, n := range norms {
			p = append(p, pair.Copies(r.sampledSum(q, new(big.Rat).Mul(n.Square, per)), n.Count)...)
		}
		of = append(of, p.Merged())
	}
	if q.Sign() == 0 || len(of) == 0 || len(of[0]) == 0 {
		return neutral(), nil
	}
	return exactly(of...), nil
}

// sampledSum is a Poisson sample of rate q > 0 of Gaussian noise on a sum that one record moves by up to μ.
func (r *resolver) sampledSum(q, mu2 *big.Rat) pair.Pair {
	switch {
	case q.Cmp(ratOne) == 0:
		return pair.Gaussian{Mu2: mu2.Mul(mu2, new(big.Rat).SetInt64(r.sensitivity*r.sensitivity))}
	case r.exchange:
		return pair.SampledReplaceGaussian{Rate: q, Mu2: mu2}
	}
	return pair.Sampled{Rate: q, Base: pair.Copies(pair.Gaussian{Mu2: mu2}, 1)}
}

// ballsInBins: the mean over bins of N(m_i, I) against N(0, I), m_i the sum of the columns of the bin, over σ.
func (r *resolver) ballsInBins(e mechanism.MatrixMechanism, m participation.Matrix, path string) (meaning, error) {
	switch {
	case r.exchange:
		return r.undefined(e, path, "balls in bins are defined for a record that is absent: of two records that "+
			"replace each other nothing is proved")
	case m.Negative():
		return r.undefined(e, path, "balls in bins are proved for strategies without negative numbers: take absolute "+
			"values, which is less private; otherwise not defined")
	}
	gram, ok := m.Bins(int(e.Sampling.Size))
	if !ok {
		return r.undefined(e, path, "balls in bins of so many bins or steps are not defined")
	}
	participation.Scale(gram, new(big.Rat).Inv(new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier)))
	if p := pair.NewBins(gram); p != nil {
		return exactly(pair.Copies(p, 1)), nil
	}
	return neutral(), nil
}

// patterns: the mean over patterns π of N(Σ_{t∈π} c_t, I) against N(0, I), c_t the columns over σ.
func (r *resolver) patterns(e mechanism.MatrixMechanism, m participation.Matrix, path string) (meaning, error) {
	s := e.Sampling
	size, steps := s.Size, e.Strategy.Steps
	apart := s.Kind != mechanism.RandomSteps
	no := func(why string) (meaning, error) { return r.undefined(e, path, "sampling "+s.Kind.String()+" "+why) }
	switch w := int64(m.Width()); {
	case r.exchange && (w > 1 || size > 1 || !apart):
		return no("is defined for a record that is absent: of two records that replace each other nothing is proved")
	case apart && size == 1 && w <= 1:
		return r.cyclicSample(e, m, path) // each step by itself
	case m.Negative():
		return no("is proved for strategies without negative numbers: take absolute values; otherwise not defined")
	case apart && s.Probability.Cmp(ratOne) == 0:
		return r.ballsInBins(e, m, path) // in one bin of so many
	case apart && w > size:
		return no(fmt.Sprintf("of %d is proved for strategies of as many bands, this one has %d: not defined", size, w))
	case !apart && size > steps:
		return no(fmt.Sprintf("is not defined: a record cannot be in %d of %d steps", size, steps))
	case apart && s.Probability.Sign() == 0:
		return neutral(), nil
	}
	per := new(big.Rat).Inv(new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier))
	x, ok := pattern.New(pattern.Draw(s.Kind-mechanism.MinSeparation), size, s.Probability, m, steps, per)
	switch {
	case !ok:
		return no("of so many steps and bands is not defined")
	case x.Most.Sign() == 0:
		return neutral(), nil
	case !apart && size == steps:
		least, _ := m.Sensitivity(participation.Pattern{MinSeparation: 1, MaxParticipations: size})
		return between(pair.Copies(pair.Gaussian{Mu2: x.Most}, 1),
			pair.Copies(pair.Gaussian{Mu2: new(big.Rat).Mul(least, per)}, 1)), nil
	case !apart && m.Width() <= 1 && len(x.Rows) == 1:
		return exactly(pair.Copies(pair.Allocation{Base: pair.Gaussian{Mu2: x.Rows[0].Products[0]}, Selected: size,
			Steps: steps}, 1)), nil
	}
	return exactly(pair.Copies(pair.Patterns{Law: x}, 1)), nil
}
