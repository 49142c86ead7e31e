// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"slices"

	"dpverify/exact/divisor"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// maxShifts bounds the list of shifts that are worth a profile each, maxAlone where nothing else is released.
const (
	maxShifts = 20
	maxAlone  = 64
)

// A shift is the shift of a vector of discrete Gaussian noise: its entries, all > 0, in
// falling order. Signs and order do not matter: noise is symmetric, and independent.
type shift []int64

// product is the pair of the shift.
func (s shift) product(sigma2 *big.Rat) pair.Product {
	var out pair.Product
	for _, x := range s {
		if n := len(out); n > 0 && out[n-1].Pair.(pair.DiscreteGaussian).Sensitivity == x {
			out[n-1].Count++
			continue
		}
		out = append(out, pair.Term{Pair: pair.DiscreteGaussian{Sigma2: sigma2, Sensitivity: x}, Count: 1})
	}
	return out
}

// below reports whether s is nowhere greater than t, entry by entry: then t dominates. A shift
// of symmetric falling noise by less has a profile that is no greater [Sommer, Abfalterer, Zingg
// & Mohammadi 2021, Theorem 15], products keep that, and no shift at all is the least of them.
func (s shift) below(t shift) bool {
	if len(s) > len(t) {
		return false
	}
	for i := range s {
		if s[i] > t[i] {
			return false
		}
	}
	return true
}

// maximalShifts returns the integer vectors s with |s|² ≤ norm2 and at most dimension entries
// (0: any number) that are below no other one: partitions of integers up to norm2 into
// squares. It reports false if there are more than limit.
//
// The search appends the greatest entry first, and of two vectors the later one has the
// smaller entry where they differ first: it never dominates the earlier one. What can still
// be extended by an entry, or raised in the last one, is below what is found that way.
func maximalShifts(norm2 *big.Int, dimension int64, limit int) ([]shift, bool) {
	if dimension == 1 {
		return []shift{{new(big.Int).Sqrt(norm2).Int64()}}, true // at most MaxCount
	}
	if !norm2.IsInt64() {
		return nil, false
	}
	var found []shift
	var extend func(s shift, left int64)
	extend = func(s shift, left int64) {
		most := new(big.Int).Sqrt(big.NewInt(left)).Int64()
		if n := len(s); n > 0 {
			most = min(most, s[n-1])
		}
		full := dimension > 0 && int64(len(s)) == dimension
		if most == 0 || full {
			if !slices.ContainsFunc(found, s.below) {
				found = append(found, slices.Clone(s))
			}
			return
		}
		least := int64(1)
		if dimension > 0 && int64(len(s)) == dimension-1 {
			least = most // the last entry
		}
		for x := most; x >= least && len(found) <= limit; x-- {
			extend(append(s, x), left-x*x)
		}
	}
	extend(nil, norm2.Int64())
	return found, len(found) <= limit
}

// vectorShifts returns the pairs of the shifts of vectors of integers by at most norm2 = ⌊Δ²⌋ ≥ 1 in 2-norm: all that
// matter, if there are not too many, and otherwise some: of as many equal entries as possible, 1, ⌊√norm2⌋, a number
// whose square divides norm2, or as great as fills all dimensions.
func vectorShifts(sigma2 *big.Rat, norm2 *big.Int, dimension int64) (of []pair.Product, all bool) {
	if ss, ok := maximalShifts(norm2, dimension, maxShifts); ok {
		for _, s := range ss {
			of = append(of, s.product(sigma2))
		}
		return of, true
	}
	entries := []*big.Int{big.NewInt(1), new(big.Int).Sqrt(norm2)}
	if dimension > 0 {
		x := new(big.Int).Quo(norm2, big.NewInt(dimension))
		entries = append(entries, x.Sqrt(x))
	}
	for _, g := range divisor.Squares(norm2) {
		entries = append(entries, big.NewInt(g))
	}
	seen := make(map[string]bool)
	for _, x := range entries {
		if x.Sign() == 0 || seen[x.String()] {
			continue
		}
		seen[x.String()] = true
		most := int64(mechanism.MaxCount)
		if dimension > 0 {
			most = dimension
		}
		n := new(big.Int).Quo(norm2, new(big.Int).Mul(x, x))
		if n.Cmp(big.NewInt(most)) > 0 {
			n.SetInt64(most)
		}
		of = append(of, pair.Copies(pair.DiscreteGaussian{Sigma2: sigma2, Sensitivity: x.Int64()}, n.Int64()))
	}
	return of, false
}

// Vectors returns the parameter σ² and |s|² of vectors of unknown length of which an event is copies. term is what
// dominates it, and attained what it attains.
//
// Nothing but such vectors has a guarantee with noise, but more private events are below it, too: batches of a random
// order, of which not all have the record. An event attains every shift of every copy where it attains as many ones as
// there can be, in all copies, and nothing but shifts.
func Vectors(term pair.Term, attained []pair.Product) (sigma2 *big.Rat, norm2 *big.Int, ok bool) {
	z, ok := term.Pair.(pair.ZCDP)
	if !ok || z.Noise == nil {
		return nil, nil, false
	}
	square := new(big.Rat).Mul(z.Rho, new(big.Rat).Add(z.Noise, z.Noise))
	if !square.IsInt() {
		return nil, nil, false
	}
	most := new(big.Int)
	for _, w := range attained {
		sum := new(big.Int)
		for _, t := range w {
			d, ok := t.Pair.(pair.DiscreteGaussian)
			if !ok || d.Sigma2.Cmp(z.Noise) != 0 {
				return nil, nil, false
			}
			if d.Sensitivity == 1 { // a 2, as a group of two has, is not four of them
				sum.Add(sum, big.NewInt(t.Count))
			}
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
	}
	all := new(big.Int).Mul(square.Num(), big.NewInt(term.Count))
	return z.Noise, square.Num(), most.Cmp(all) == 0
}
