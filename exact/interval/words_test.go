// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/kernel"
)

// TestFloorSqrt: square roots are those of math/big, of squares and next to them, too.
func TestFloorSqrt(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 30000 {
		m := new(big.Int)
		for range 5 {
			m.Or(m.Lsh(m, 64), new(big.Int).SetUint64(rng.Uint64()))
		}
		m.Rsh(m, uint(rng.IntN(320)))
		if i%2 == 0 {
			m.Add(m.Mul(m, m), big.NewInt(int64(rng.IntN(3)-1)))
		}
		if m.Sign() <= 0 {
			continue
		}
		want := new(big.Int).Sqrt(m)
		square := new(big.Int).Mul(want, want).Cmp(m) == 0
		if s, exact := floorSqrt(m); s.Cmp(want) != 0 || exact != square {
			t.Fatalf("⌊√%d⌋ = %d, %v, want %d, %v", m, s, exact, want, square)
		}
	}
}

// TestWordNodes: the sum over the nodes of erfc in words is that of math/big.
func TestWordNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for bits := 32; bits+8 <= kernel.MaxWordScale; bits += 32 {
		table := gaussNodes(bits)
		for range 200 {
			a := new(big.Float).SetPrec(1 + uint(rng.IntN(300))).SetFloat64(rng.Float64())
			a.Quo(a, big.NewFloat(float64(1+rng.IntN(9))))
			a.SetMantExp(a, rng.IntN(32)-1-a.MantExp(nil))
			lo, hi := table.sum(a, -1)
			wlo, whi := table.sumWords(a)
			if l, h := wlo.Big(), whi.Big(); l.Cmp(lo) != 0 || h.Cmp(hi) != 0 {
				t.Fatalf("%d bits at %v: [%v, %v] in words, [%v, %v]", bits, a, l, h, lo, hi)
			}
		}
	}
	if gaussNodes(kernel.MaxWordScale).words != nil {
		t.Error("nodes in words that have more bits")
	}
}
