// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/mechanism"
)

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
		return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
	}
	out.traits.places = true
	return out, err
}

// cyclicSample: the columns of one group have no row in common, so that a step of the group, with all rows that it moves,
// is over before the next one: a composition of Poisson samples, at the norms of the columns.
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
	per := new(big.Rat).Inv(new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier))
	for i, row := range gram {
		for j, x := range row[:i+1] {
			gram[i][j] = new(big.Rat).Mul(x, per)
			gram[j][i] = gram[i][j]
		}
	}
	if p := pair.NewBins(gram); p != nil {
		return exactly(pair.Copies(p, 1)), nil
	}
	return neutral(), nil
}
