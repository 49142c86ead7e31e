// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package copies has what draws with replacement attain: how often a record is drawn among others that are all equal,
// and what noise on a sum shows of it.
package copies

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
)

// maxCopies bounds the copies of a record that are counted.
const maxCopies = 24

// OfLaplace returns what is seen of the mixture Σ P(K = k)·Lap(ks, 1) against Lap(0, 1) by one who is told between
// which of some places the output is. Its ratios rise along the line, from the first cell on. All probabilities but the
// first are rounded, down under P and up under Q; the first cell has what is missing, and has no part in any best test
// but everything.
func OfLaplace(e mechanism.SampledWithReplacement, shift *big.Rat) pair.Product {
	const bits, cells = 160, 64
	const w = interval.Prec(bits + 32)
	x := pair.WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}
	masses, rest := x.Copies(w, maxCopies)
	most := int64(len(masses))
	for most > 1 && masses[most-1].LessRat(interval.Pow2(-48)) == interval.True {
		most--
	}
	none := interval.Max(interval.Int(0), w.Sub(interval.Int(1), w.Add(rest, sum(w, masses))))
	at := func(i int64) *big.Rat { return new(big.Rat).Mul(shift, big.NewRat(i*most, cells)) }
	above := func(place *big.Rat, k int64) interval.Interval { // the probability under Lap(ks, 1)
		d := new(big.Rat).Sub(place, new(big.Rat).Mul(shift, big.NewRat(k, 1)))
		tail := w.Scale(w.Exp(w.Rat(new(big.Rat).Neg(new(big.Rat).Abs(d)))), -1)
		if d.Sign() < 0 {
			return w.Sub(interval.Int(1), tail)
		}
		return tail
	}
	unit := new(big.Int).Lsh(big.NewInt(1), bits)
	p, q := []*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}
	for i := range int64(cells + 1) {
		within := func(k int64) interval.Interval {
			if i == cells {
				return above(at(i), k)
			}
			return interval.Max(interval.Int(0), w.Sub(above(at(i), k), above(at(i+1), k)))
		}
		under := w.Mul(none, within(0))
		for k, m := range masses {
			under = w.Add(under, w.Mul(m, within(int64(k+1))))
		}
		p = append(p, new(big.Rat).SetFrac(interval.FloorScaled(under, bits), unit))
		q = append(q, new(big.Rat).SetFrac(interval.CeilScaled(within(0), bits), unit))
		p[0].Sub(p[0], p[i+1])
		q[0].Sub(q[0], q[i+1])
	}
	for i := range p {
		if p[0].Sign() < 0 || q[0].Sign() <= 0 || new(big.Rat).Mul(p[0], q[i]).Cmp(new(big.Rat).Mul(p[i], q[0])) > 0 {
			return nil
		}
	}
	return pair.Copies(pair.NewFinite(p, q), 1)
}

func sum(w interval.Prec, xs []interval.Interval) interval.Interval {
	s := interval.Int(0)
	for _, x := range xs {
		s = w.Add(s, x)
	}
	return s
}

// OfGaussian is the mixture Σ P(K = k)·N(kμ, 1) against N(0, 1), with as many of its parts as are worth while.
func OfGaussian(e mechanism.SampledWithReplacement, mu *big.Rat) pair.Product {
	x := pair.WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}
	const bits = 96
	masses, _ := x.Copies(bits, maxCopies)
	none := big.NewRat(1, 1)
	means, probs := []*big.Rat{new(big.Rat)}, []*big.Rat{none}
	for i, m := range masses {
		p := new(big.Rat).SetFrac(interval.FloorScaled(m, bits), new(big.Int).Lsh(big.NewInt(1), bits))
		means, probs = append(means, new(big.Rat).Mul(mu, new(big.Rat).SetInt64(int64(i+1)))), append(probs, p)
		none.Sub(none, p)
	}
	if p := pair.NewGaussianMixture(normals.New(means, probs), normals.Standard()); p != nil {
		return pair.Copies(p, 1)
	}
	return nil
}
