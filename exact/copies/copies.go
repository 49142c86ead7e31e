// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package copies has what draws with replacement attain: how often a record is drawn among others that are all equal,
// and what noise on a sum shows of it.
package copies

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
)

// maxCopies bounds the copies of a record that are counted.
const maxCopies = 24

// A seen is what is told of noise on copies of a record to one who hears between which of some places the output is. K
// copies are at k·up under P and at k·down under Q, in units of the noise.
type seen struct {
	tail     func(w interval.Prec, x *big.Rat) interval.Interval // P(noise > x)
	up, down *big.Rat
	from, to func(most *big.Rat) *big.Rat // the places, of so many copies
	cells    int64
}

// OfLaplace is Σ P(K = k)·Lap(ks, 1) against Lap(0, 1), in cells: all others are what the record is replaced by.
func OfLaplace(e mechanism.SampledWithReplacement, shift *big.Rat) pair.Product {
	return seen{laplaceTail, shift, new(big.Rat), func(*big.Rat) *big.Rat { return new(big.Rat) },
		func(most *big.Rat) *big.Rat { return most }, 64}.of(e)
}

// Opposite is Σ P(K = k)·N(2kμ, 1) against Σ P(K = k)·N(kμ, 1), in cells: a null record replaces one to which all
// others are opposite.
func Opposite(e mechanism.SampledWithReplacement, mu *big.Rat) pair.Product {
	const beyond = 5
	reach := big.NewRat(beyond, 1)
	return seen{func(w interval.Prec, x *big.Rat) interval.Interval { return fixed.NormalSF(w, w.Rat(x)) },
		new(big.Rat).Mul(mu, big.NewRat(2, 1)), mu, func(*big.Rat) *big.Rat { return big.NewRat(-beyond, 1) },
		func(most *big.Rat) *big.Rat { return new(big.Rat).Add(most, reach) }, 192}.of(e)
}

// laplaceTail is P(Lap(0, 1) > x).
func laplaceTail(w interval.Prec, x *big.Rat) interval.Interval {
	tail := w.Scale(w.Exp(w.Rat(new(big.Rat).Neg(new(big.Rat).Abs(x)))), -1)
	if x.Sign() < 0 {
		return w.Sub(interval.Int(1), tail)
	}
	return tail
}

// of rounds all probabilities but those of one cell, down under P and up under Q, where more copies than are counted
// may be anywhere. That cell has what is missing, and the least ratio: it has no part in any best test but everything.
// So every H_α is rounded down. It is nil where the ratio of what is missing is not the least one.
func (x seen) of(e mechanism.SampledWithReplacement) pair.Product {
	const bits = 160
	const w = interval.Prec(bits + 32)
	masses, rest := pair.WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}.Copies(w, maxCopies)
	most := int64(len(masses))
	for most > 1 && masses[most-1].LessRat(interval.Pow2(-48)) == interval.True {
		most--
	}
	some := interval.Int(0)
	for _, m := range masses {
		some = w.Add(some, m)
	}
	none := interval.Max(interval.Int(0), w.Sub(interval.Int(1), w.Add(rest, some)))
	last := new(big.Rat).Mul(x.up, big.NewRat(most, 1))
	from, to := x.from(last), x.to(last)
	above := func(unit *big.Rat, i int64) interval.Interval { // the probability beyond the place i
		place := new(big.Rat).Mul(new(big.Rat).Sub(to, from), big.NewRat(i, x.cells))
		place.Add(place, from)
		if unit.Sign() == 0 {
			return x.tail(w, place)
		}
		all := w.Mul(none, x.tail(w, place))
		for k, m := range masses {
			all = w.Add(all, w.Mul(m, x.tail(w, new(big.Rat).Sub(place, new(big.Rat).Mul(unit, big.NewRat(int64(k)+1, 1))))))
		}
		return all
	}
	unit := new(big.Int).Lsh(big.NewInt(1), bits)
	least := 0
	var p, q []*big.Rat
	within, without := interval.Int(1), interval.Int(1)
	for i := range x.cells + 2 {
		under, over := interval.Int(0), interval.Int(0) // beyond the cell
		if i <= x.cells {
			under, over = above(x.up, i), above(x.down, i)
		}
		inP, inQ := w.Sub(within, under), w.Sub(without, over)
		if x.down.Sign() > 0 {
			inQ = w.Add(inQ, rest)
		}
		p = append(p, new(big.Rat).SetFrac(interval.FloorScaled(interval.Max(interval.Int(0), inP), bits), unit))
		q = append(q, new(big.Rat).SetFrac(interval.CeilScaled(interval.Max(interval.Int(0), inQ), bits), unit))
		if within, without = under, over; new(big.Rat).Mul(p[i], q[least]).Cmp(new(big.Rat).Mul(p[least], q[i])) < 0 {
			least = int(i)
		}
	}
	p[least], q[least] = big.NewRat(1, 1), big.NewRat(1, 1)
	for i := range p {
		if i != least {
			p[least].Sub(p[least], p[i])
			q[least].Sub(q[least], q[i])
		}
	}
	for i := range p {
		if p[least].Sign() < 0 || q[least].Sign() <= 0 ||
			new(big.Rat).Mul(p[least], q[i]).Cmp(new(big.Rat).Mul(p[i], q[least])) > 0 {
			return nil
		}
	}
	return pair.Copies(pair.NewFinite(p, q), 1)
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
