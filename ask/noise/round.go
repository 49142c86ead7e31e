// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"math/big"
)

// Bits is the precision of rounded masses: they are multiples of 2^−Bits.
const Bits = 128

// Round returns the masses of all 2N cells: half masses, up to a factor, rounded to multiples of
// 2^−Bits, exactly symmetric, with sum exactly 1, and falling if the half masses are.
//
// ⌊w_k·2^(Bits−1)/Σw⌋ falls with w_k, and what is missing to the sum, less than one unit a
// cell, goes to the cell next to 0, which is the greatest. Float64 values are taken exactly.
func Round(half []float64) []*big.Rat {
	const scale = 1074 // every float64 is a multiple of 2^−1074
	ws := make([]*big.Int, len(half))
	total := new(big.Int)
	for k, x := range half {
		f := new(big.Float).SetMantExp(big.NewFloat(x), scale)
		ws[k], _ = f.Int(nil)
		total.Add(total, ws[k])
	}
	left := new(big.Int).Lsh(big.NewInt(1), Bits-1)
	for _, w := range ws {
		w.Quo(w.Lsh(w, Bits-1), total)
		left.Sub(left, w)
	}
	ws[0].Add(ws[0], left)
	unit := new(big.Int).Lsh(big.NewInt(1), Bits)
	n := len(ws)
	masses := make([]*big.Rat, 2*n)
	for k, w := range ws {
		m := new(big.Rat).SetFrac(w, unit)
		masses[n+k], masses[n-1-k] = m, m
	}
	return masses
}
