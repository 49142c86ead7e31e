// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package cells knows noise by the probabilities of consecutive cells, or of points of a lattice: its shape, and what
// a shift makes of it.
package cells

import "math/big"

// Symmetric reports whether the noise and its mirror image about 0 are the same.
func Symmetric(noise []*big.Rat) bool {
	n := len(noise)
	for i := range n / 2 {
		if noise[i].Cmp(noise[n-1-i]) != 0 {
			return false
		}
	}
	return true
}

// Falling reports whether the noise falls on both sides of 0, in the wide sense.
func Falling(noise []*big.Rat) bool {
	n := len(noise)
	for i := 1; i <= (n-1)/2; i++ {
		if noise[i].Cmp(noise[i-1]) < 0 || noise[n-1-i].Cmp(noise[n-i]) < 0 {
			return false
		}
	}
	return true
}

// Shifted returns the noise and the noise shifted by x ≥ 0 as distributions on one list of
// outcomes, in increasing order; x is in cells, and of a lattice an integer.
//
// With x = k + θ, 0 ≤ θ < 1, the borders of shifted cells cut the cells [j, j+1) at j + θ:
// the first part holds shifted noise of cell j − k − 1, the second of cell j − k.
func Shifted(noise []*big.Rat, x *big.Rat) (p, q []*big.Rat) {
	n := int64(len(noise))
	steps := new(big.Rat).Set(x)
	whole := new(big.Int).Quo(steps.Num(), steps.Denom())
	if !whole.IsInt64() || whole.Int64() > n {
		whole.SetInt64(n) // apart
		steps.SetInt(whole)
	}
	k := whole.Int64()
	zero := new(big.Rat)
	at := func(j int64) *big.Rat {
		if j < 0 || j >= n {
			return zero
		}
		return noise[j]
	}
	part := new(big.Rat).Sub(steps, new(big.Rat).SetInt(whole))
	if part.Sign() == 0 {
		for j := range n + k {
			p, q = append(p, at(j)), append(q, at(j-k))
		}
		return p, q
	}
	rest := new(big.Rat).Sub(big.NewRat(1, 1), part)
	for j := range n + k + 1 {
		p = append(p, new(big.Rat).Mul(part, at(j)), new(big.Rat).Mul(rest, at(j)))
		q = append(q, new(big.Rat).Mul(part, at(j-k-1)), new(big.Rat).Mul(rest, at(j-k)))
	}
	return p, q
}
