// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/internal/testkit"
)

// TestWords: exp and log in words are the integers of math/big.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	// number returns a random number of few or many bits, of any exponent in [low, high).
	number := func(low, high int) *big.Float {
		prec := uint(1 + rng.IntN(500))
		m := new(big.Int)
		for range 8 {
			m.Or(m.Lsh(m, 64), new(big.Int).SetUint64(rng.Uint64()))
		}
		if rng.IntN(4) == 0 {
			m.Not(m.Lsh(oneInt, 500)).Abs(m) // ones
		}
		f := new(big.Float).SetPrec(prec).SetInt(m)
		f.SetMantExp(f, low+rng.IntN(high-low)-f.MantExp(nil))
		if rng.IntN(2) == 0 {
			f.Neg(f)
		}
		return f
	}
	for i := range testkit.Draws(4000, 12000, 12000) {
		w := 8 + rng.IntN(MaxWordScale-7)
		x := number(-w-48, 31)
		if i%8 == 0 { // next to the multiples of log 2
			n := int64(1 + rng.IntN(1<<20))
			m := new(big.Int).Mul(big.NewInt(n), Ln2(w))
			x = new(big.Float).SetPrec(uint(w)).SetInt(m.Add(m, big.NewInt(int64(i%16/8)<<20)))
			x.SetMantExp(x, -w)
			if i%32 < 16 {
				x = new(big.Float).Neg(x)
			}
		}
		lo, hi, n, v := Exp(x, w, -1)
		wlo, whi, wn, wv := ExpWords(x, w)
		if l, h := wlo.Big(), whi.Big(); wn != n || wv != v || l.Cmp(lo) != 0 || h.Cmp(hi) != 0 {
			t.Fatalf("e^%v in %d bits: [%v, %v], %d, %d in words, [%v, %v], %d, %d", x, w, l, h, wn, wv, lo, hi, n, v)
		}

		// m next to 1, or anywhere in [2/3, 4/3)
		m := number(0, 1)
		m.Abs(m)
		if i%2 == 0 {
			m = number(-w, -1)
		}
		if m.Cmp(big.NewFloat(0.5)) < 0 {
			m.Add(new(big.Float).SetPrec(600).SetInt64(1), m)
		} else if m.Cmp(big.NewFloat(0.67)) < 0 {
			m.Add(m, m)
		}
		k := m.MantExp(nil) - int(m.MinPrec())
		M, _ := new(big.Float).SetMantExp(m, -k).Int(nil)
		e := 0
		if i%3 > 0 {
			e = rng.IntN(1<<30) >> rng.IntN(30)
			if i%3 == 1 {
				e = -e
			}
		}
		w = min(w, LogSplit)
		lo, hi = Log(M, -k, e, w)
		wlo, whi = LogWords(M, -k, e, w)
		if l, h := wlo.Big(), whi.Big(); l.Cmp(lo) != 0 || h.Cmp(hi) != 0 {
			t.Fatalf("%d·log 2 + log %v in %d bits: [%v, %v] in words, [%v, %v]", e, m, w, l, h, lo, hi)
		}
	}
}
