// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

// TestExpTables: entries are as near to their values as said, in scales of all classes.
func TestExpTables(t *testing.T) {
	for _, v := range []int{16, 231, 232, 400, 488, 700} {
		two := big.NewInt(2)
		entry := func(t *expTables, level, digit int) (parts []*big.Int) {
			table, scale := t.of(v)
			for _, x := range table[level][digit] {
				parts = append(parts, new(big.Int).Rsh(x, scale-uint(v)))
			}
			return parts
		}
		for level := range tableLevels {
			x := func(digit int) *big.Rat { return testkit.Scaled(big.NewInt(int64(digit)), (level+1)*tableBits) }
			for digit := 1; digit < len(realTables.compute(tableClass(v))[level]); digit += 7 {
				lo, hi := testkit.Exp(x(digit), v+20)
				n := entry(&realTables, level, digit)[0]
				testkit.CheckFixed(t, "an entry of e^x", n, new(big.Int).Add(n, two), v, lo, hi)
			}
			for digit := 1; digit < len(circleTables.compute(tableClass(v))[level]); digit += 7 {
				z := entry(&circleTables, level, digit)
				checkDisc(t, "an entry of e^{ix}", z[0], z[1], two, v, newCirclePoint(x(digit), v+20))
			}
		}
	}
}
