// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

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
		w := 8 + rng.IntN(maxWordScale-7)
		x := number(-w-48, 31)
		if i%8 == 0 { // next to the multiples of log 2
			n := int64(1 + rng.IntN(1<<20))
			f := Prec(w).Mul(Int(n), Prec(w).Ln2())
			x = []*big.Float{f.l(), f.h()}[i%16/8]
			if i%32 < 16 {
				x = new(big.Float).Neg(x)
			}
		}
		lo, hi, n, v := expFixed(x, w, -1)
		wlo, whi, wn, wv := expWords(x, w)
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
		M, k := mantissa(m)
		e := 0
		if i%3 > 0 {
			e = rng.IntN(1<<30) >> rng.IntN(30)
			if i%3 == 1 {
				e = -e
			}
		}
		w = min(w, logSplit)
		lo, hi = logScaled(M, -k, e, w)
		wlo, whi = logWords(M, -k, e, w)
		if l, h := wlo.Big(), whi.Big(); l.Cmp(lo) != 0 || h.Cmp(hi) != 0 {
			t.Fatalf("%d·log 2 + log %v in %d bits: [%v, %v] in words, [%v, %v]", e, m, w, l, h, lo, hi)
		}
	}
}

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
	for bits := 32; bits+8 <= maxWordScale; bits += 32 {
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
	if gaussNodes(maxWordScale).words != nil {
		t.Error("nodes in words that have more bits")
	}
}
