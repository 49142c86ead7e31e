// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package words

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestWordQuotients: quotients in words are those of math/big, of digits that make a first guess too large, too.
func TestWordQuotients(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	digits := func(n int) (z Int) {
		for i := range n {
			switch rng.IntN(4) {
			case 0:
				z[i] = ^uint64(0) << rng.IntN(64)
			case 1:
				z[i] = 1 << rng.IntN(64)
			case 2:
				z[i] = rng.Uint64()
			}
		}
		return z
	}
	asked := 0
	for range 60000 {
		x, y, s := digits(1+rng.IntN(len(Int{}))), digits(1+rng.IntN(len(Int{}))), rng.IntN(Bits)
		x[len(x)-1] >>= 1 // not negative
		y[len(y)-1] >>= 1
		if y.IsZero() {
			continue
		}
		want := new(big.Int).Lsh(x.Big(), uint(s))
		if want.Quo(want, y.Big()); want.BitLen() >= Bits {
			continue
		}
		asked++
		if got := x.QuoShifted(s, &y).Big(); got.Cmp(want) != 0 {
			t.Fatalf("⌊%x·2^%d/%x⌋ = %x, want %x", x.Big(), s, y.Big(), got, want)
		}
	}
	if asked < 15000 {
		t.Errorf("%d quotients", asked)
	}
}
