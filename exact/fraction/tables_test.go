// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	"flag"
	"math/big"
	"testing"

	"dpverify/exact/kernel"
	"dpverify/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite tables.bin")

// TestTables computes every word of tables.bin again by exact/kernel, with 320 bits.
func TestTables(t *testing.T) {
	testkit.Table(t, "tables.bin", tablesBin, makeTables(), *update)
}

// makeTables returns the words of the tables, in the order of forTables.
func makeTables() []uint64 {
	var out []uint64
	// put appends ⌊x·2^(64n)⌋.
	put := func(x truth, n int) { out = append(out, wordsOf(x, n)...) }
	ln2 := kernel.Ln2(reference)
	put(truth{ln2, new(big.Int).Add(ln2, big.NewInt(2)), reference}, 4)
	for i := range int64(256) {
		put(minusLog(big.NewInt(i+257), 9).scaled(8-64), 1)
	}
	for i := range int64(256) {
		if i < expFirst {
			put(expOfScaled(big.NewInt(i), 8).scaled(-2), 3)
		} else {
			out = append(out, 0, 0, 0)
		}
	}
	for _, s := range []int{16, 24} {
		for i := range int64(256) {
			put(expm1Of(big.NewInt(i), s), 3)
		}
	}
	factorial := func(k int64) int64 { return new(big.Int).MulRange(1, k).Int64() }
	for _, c := range []func(int64) int64{factorial, func(k int64) int64 { return k }} {
		for k := int64(3); k <= 7; k++ {
			words := 2
			if k > 5 {
				words = 1
			}
			inverse := new(big.Int).Lsh(big.NewInt(1), reference)
			inverse.Quo(inverse, big.NewInt(c(k)))
			put(truth{inverse, inverse, reference}, words)
		}
	}
	return out
}

// wordsOf returns the n words of ⌊x·2^(64n)⌋, most significant first.
func wordsOf(x truth, n int) []uint64 {
	floor := func(m *big.Int) *big.Int {
		if s := 64*n - x.v; s >= 0 {
			return new(big.Int).Lsh(m, uint(s))
		}
		return new(big.Int).Rsh(m, uint(x.v-64*n))
	}
	lo, hi := floor(x.lo), floor(x.hi)
	if lo.Cmp(hi) != 0 || lo.Sign() < 0 || lo.BitLen() > 64*n {
		panic("a word of a table is not known, or does not fit")
	}
	var out []uint64
	for k := n - 1; k >= 0; k-- {
		d := new(big.Int).Rsh(lo, uint(64*k))
		out = append(out, d.And(d, new(big.Int).SetUint64(1<<64-1)).Uint64())
	}
	return out
}
