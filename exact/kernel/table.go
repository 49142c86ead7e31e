// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"sync"
)

// digitsOf returns the digits of T·2^−v ≥ 0, and U < 2^(v−14), which they leave. The first has also what is above 1.
// It changes T.
func digitsOf(T *big.Int, v int) (U *big.Int, digits [tableLevels]int) {
	t := new(big.Int)
	for level := range digits {
		s := uint(v - (level+1)*tableBits)
		digits[level] = int(t.Rsh(T, s).Int64())
		T.Sub(T, t.Lsh(t, s))
	}
	return T, digits
}

// expTables have the values f(i/2^7) and f(j/2^14) of f(x) = e^x or e^{ix}, in their parts, computed once for each
// class of scales: as with a constant, the class depends on the scale alone.
type expTables struct {
	mu      sync.Mutex
	byClass map[int]*[tableLevels][][]*big.Int
	size    int                                     // of the first table
	first   func(U *big.Int, v int) []*big.Int      // f(U·2^−v)
	times   func(x, y []*big.Int, v int) []*big.Int // the product, rounded down
}

// tableLoss is the least number of bits that a table has more than what is multiplied with it.
const tableLoss = 24

// tableClass returns the class of a scale, one below a multiple of 256: values below 2 have as many bits.
func tableClass(v int) int { return (v+tableLoss+256)&^255 - 1 }

// of returns tables for products of numbers in scale v, and their own scale.
//
// The parts of an entry err by less than 2^20 units of 2^−24 units of v or less: by less than 2.
func (t *expTables) of(v int) (*[tableLevels][][]*big.Int, uint) {
	class := tableClass(v)
	return t.compute(class), uint(class)
}

// compute returns the tables in a scale. All values are powers of f(2^−14).
//
// Claim. They err by less than 2^20 units, and e^x only downwards.
//
// Proof. Let ρ be the error over |f| in units. f(2^−14) has ρ ≤ 9 of e^x, and ρ ≤ 9·√2 < 13 of e^{ix}, as each part
// is a difference of two sums that are low by less than 9. As |f| ≥ 1, a product has ρ ≤ ρ_x + ρ_y·(1 + 2^−8) + 2, with
// 2 for its rounding and 2^−8 > ρ_x·2^−v. So 128 factors have ρ ≤ 128·16 = 2^11, 202 of those ρ ≤ 202·(2^11 + 10)
// < 2^19, and |f| ≤ 2. ∎
func (t *expTables) compute(v int) *[tableLevels][][]*big.Int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.byClass[v]; ok {
		return known
	}
	step := t.first(new(big.Int).Lsh(oneInt, uint(v-tableLevels*tableBits)), v)
	var out [tableLevels][][]*big.Int
	for level := tableLevels - 1; level >= 0; level-- {
		size := 1 << tableBits
		if level == 0 {
			size = t.size
		}
		values := [][]*big.Int{nil, step} // nothing is multiplied by f(0) = 1
		for len(values) < size {
			values = append(values, t.times(values[len(values)-1], step, v))
		}
		step = t.times(values[size-1], step, v)
		out[level] = values
	}
	if t.byClass == nil {
		t.byClass = make(map[int]*[tableLevels][][]*big.Int)
	}
	t.byClass[v] = &out
	return &out
}
