// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestSumsAreRoundedDown: all entries up to one add up to no more than their exact values, and to less than one unit
// less; no entry is more than its value rounded up. At 2 to 8 bits nearly everything is cut off.
func TestSumsAreRoundedDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, prec := range []uint{2, 3, 4, 5, 6, 7, 8, 61, 64, 70, 128} {
		for _, n := range []int{1, 5, 40, 70, 200} {
			a, b := random(rng, n, prec), random(rng, n+3, prec)
			total := a.n + b.n - 1
			exact := naive(a, b, 0, total, Down)
			whole := func(v Vector) Vector { // with so many bits that nothing is cut off
				w := NewVector(v.n, 2*prec)
				for i := range v.n {
					w.Set(i, new(big.Int).Lsh(v.At(i), prec))
				}
				return w
			}
			fine := naive(whole(a), whole(b), 0, total, Down) // in units of 2^(−2·prec)
			everyUnit(func() {
				c, err := Window(t.Context(), a, b, 0, total, Sums)
				if err != nil {
					t.Fatal(err)
				}
				left, one := new(big.Int), new(big.Int).Lsh(big.NewInt(1), prec)
				for i := range total {
					left.Add(left, fine[i]).Sub(left, new(big.Int).Lsh(c.At(i), prec))
					if left.Sign() < 0 || new(big.Int).Sub(left, big.NewInt(int64(i+1))).Cmp(one) >= 0 {
						t.Fatalf("P = %d, length %d, %s: entries 0 to %d leave %v/%v units", prec, n, best.name, i, left, one)
					}
					if more := new(big.Int).Sub(c.At(i), exact[i]); more.Sign() < 0 || more.Cmp(big.NewInt(1)) > 0 {
						t.Fatalf("P = %d, length %d, %s: entry %d is %v, %v rounded down", prec, n, best.name, i, c.At(i), exact[i])
					}
				}
			})
		}
	}
}

// TestFractions: the 64 bits below a bit.
func TestFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for _, prec := range []uint{1, 8, 61, 63, 64, 65, 100, 127, 128, 191, 250} {
		for range 40 {
			value := new(big.Int)
			for range 5 {
				value.Lsh(value, 64).Or(value, new(big.Int).SetUint64(rng.Uint64()))
			}
			want := new(big.Int).Rsh(new(big.Int).Lsh(value, 64), prec).Uint64()
			if got := fractionOf(value.Bits(), prec); got != want {
				t.Errorf("P = %d: %x has the fraction %x by words of the machine, want %x", prec, value, got, want)
			}
		}
	}
}
