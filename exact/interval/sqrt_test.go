// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/rand/v2"
	"testing"
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
