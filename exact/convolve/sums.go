// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/bits"
)

// A Rounding is how the entries of a product are rounded to P fraction bits.
type Rounding int

// The roundings.
const (
	Down Rounding = iota
	Up
	// Sums rounds down what entries add up to, from the first to any other: what is cut off from
	// an entry, to 64 bits more, is added to the next one. See carry.
	Sums
)

// fractionOf returns the 64 bits of x below bit prec: ⌊(x mod 2^prec)·2^(64−prec)⌋.
func fractionOf(x []big.Word, prec uint) uint64 {
	f := uint64(0)
	for k, w := range x {
		if at := wordBits*k + 64 - int(prec); at >= 0 {
			f |= uint64(w) << at // 0 from 64 on
		} else {
			f |= uint64(w) >> -at
		}
	}
	return f
}

// carry adds what is cut off from entries to the next ones, of which rest has 64 bits each.
//
// With v_i for the entries before they were rounded, in units, entry i was ⌊v_i⌋, and rest_i ≤ (v_i − ⌊v_i⌋)·2^64.
// Afterwards entries 0 to k add up to Σ ⌊v_i⌋ + ⌊Σ rest_i/2^64⌋ ≤ Σ v_i, for all k, and to more than Σ v_i − 1 −
// (k+1)·2^−64. An entry is at most ⌈v_i⌉: where v_i is an integer, rest_i is 0 and nothing is added.
func carry(v Vector, rest []uint64) {
	sum := uint64(0)
	for i, f := range rest {
		var over uint64
		if sum, over = bits.Add64(sum, f, 0); over != 0 {
			slot := v.slot(i)
			for w := range slot {
				if slot[w]++; slot[w] != 0 {
					break
				}
			}
		}
	}
}

// fractions has room for what is cut off from n entries, if it is carried.
func fractions(n int, r Rounding) []uint64 {
	if r != Sums {
		return nil
	}
	return make([]uint64, n)
}

// Round returns x/2^prec, rounded.
func Round(x *big.Int, prec uint, r Rounding) *big.Int {
	z := new(big.Int).Rsh(x, prec)
	if r == Up && x.Sign() > 0 && x.TrailingZeroBits() < prec {
		z.Add(z, big.NewInt(1))
	}
	return z
}
