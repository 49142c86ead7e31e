// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/bits"
)

// fraction returns the 64 bits of x below bit prec: ⌊(x mod 2^prec)·2^(64−prec)⌋.
func fraction(x []uint64, prec uint) uint64 {
	return fractionBy(func(i int) uint64 {
		if i < 0 || i >= len(x) {
			return 0
		}
		return x[i]
	}, prec)
}

// fractionOf is fraction for words of the machine, of 32 or 64 bits.
func fractionOf(x []big.Word, prec uint) uint64 {
	const per = 64 / wordBits
	return fractionBy(func(i int) uint64 {
		w := uint64(0)
		for k := range per {
			if j := per*i + k; j >= 0 && j < len(x) {
				w |= uint64(x[j]) << (wordBits * k)
			}
		}
		return w
	}, prec)
}

// fractionBy is fraction for a number by its words of 64 bits.
func fractionBy(word func(i int) uint64, prec uint) uint64 {
	top, shift := int(prec/64), prec%64
	return word(top)<<(64-shift) | word(top-1)>>shift // a shift by 64 leaves 0
}

// carry adds what is cut off from entries to the next ones, of which rest has 64 bits each.
//
// With v_i for the entries before they were rounded, in units, entry i was ⌊v_i⌋, and rest_i ≤ (v_i − ⌊v_i⌋)·2^64. Afterwards
// entries 0 to k add up to Σ ⌊v_i⌋ + ⌊Σ rest_i/2^64⌋ ≤ Σ v_i, for all k, and to more than Σ v_i − 1 − (k+1)·2^−64. An entry is at
// most ⌈v_i⌉: where v_i is an integer, rest_i is 0 and nothing is added.
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
