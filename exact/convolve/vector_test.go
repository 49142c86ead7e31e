// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLeadIsTheLeadingBits: of entries of any length.
func TestLeadIsTheLeadingBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, prec := range []uint{1, 63, 64, 128, 200} {
		v := NewVector(3, prec)
		if w, _ := v.Lead(0); w != 0 {
			t.Errorf("the leading bits of 0 are %x", w)
		}
		for n := 1; n <= v.Words()*wordBits; n++ {
			m := new(big.Int)
			for range v.Words() {
				m.Lsh(m, wordBits).Or(m, new(big.Int).SetUint64(uint64(uint(rng.Uint64()))))
			}
			m.SetBit(m.Rsh(m, uint(v.Words()*wordBits-n)), n-1, 1)
			v.Set(1, m)
			w, e := v.Lead(1)
			want := new(big.Int).Lsh(m, 64)
			want.Rsh(want, uint(n))
			if w != want.Uint64() || e != n-64 {
				t.Errorf("prec %d: %x has the leading bits %x at %d", prec, m, w, e)
			}
		}
	}
}

// TestAddIsAddition: entry by entry, with carries through all words, and refused where the sum does not fit.
func TestAddIsAddition(t *testing.T) {
	one := big.NewInt(1)
	for _, prec := range []uint{1, 61, 63, 64, 123, 127, 128, 200} {
		v := NewVector(3, prec)
		most := new(big.Int).Lsh(one, uint(v.Words()*wordBits))
		most.Sub(most, one)
		half := new(big.Int).Rsh(most, 1)
		for _, c := range [][2]*big.Int{
			{new(big.Int), new(big.Int)}, {one, one}, {half, half}, {half, one}, {new(big.Int).Sub(most, one), one}, {one, new(big.Int).Sub(most, one)},
		} {
			v.Set(1, c[0])
			v.Add(1, c[1])
			want := new(big.Int).Add(c[0], c[1])
			if v.At(1).Cmp(want) != 0 || !v.IsZero(0) || !v.IsZero(2) {
				t.Errorf("prec %d: %x + %x = %x", prec, c[0], c[1], v.At(1))
			}
		}
		for _, c := range [][2]*big.Int{{most, one}, {one, most}, {new(big.Int), new(big.Int).Add(most, one)}, {one, big.NewInt(-1)}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("prec %d: %x + %x is no error", prec, c[0], c[1])
					}
				}()
				v.Set(1, c[0])
				v.Add(1, c[1])
			}()
		}
	}
}

// TestWordsOfEntries: three words are added and read as a number of any length is.
func TestWordsOfEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	panics := func(f func()) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		f()
		return false
	}
	value := func(hi, mi, lo uint64) *big.Int {
		n := new(big.Int).SetUint64(hi)
		n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(mi))
		return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(lo))
	}
	fits, refused := 0, 0
	for range 4000 {
		v := NewVector(3, []uint{1, 31, 61, 64, 123, 128, 160, 200, 300}[rng.IntN(9)])
		m := new(big.Int)
		for range v.Words() {
			m.Lsh(m, wordBits).Or(m, new(big.Int).SetUint64(uint64(uint(rng.Uint64()))))
		}
		if rng.IntN(4) == 0 {
			m.Sub(m.Lsh(big.NewInt(1), uint(v.Words()*wordBits)), big.NewInt(1))
		} else {
			m.Rsh(m, uint(rng.IntN(v.Words()*wordBits)))
		}
		v.Set(1, m)
		if want := m.BitLen() > 192; panics(func() { v.LoadWords(1) }) != want {
			t.Fatalf("%x is read in three words: %v", m, want)
		} else if !want {
			if got := value(v.LoadWords(1)); got.Cmp(m) != 0 {
				t.Fatalf("%x is read as %x", m, got)
			}
		}
		hi, mi, lo := rng.Uint64(), rng.Uint64(), rng.Uint64()
		switch rng.IntN(4) {
		case 0:
			hi = 0
		case 1:
			hi, mi = 0, 0
		case 2:
			hi, mi, lo = 0, 0, 1
		}
		sum := value(hi, mi, lo)
		sum.Add(sum, m)
		if want := !v.Fits(sum); panics(func() { v.AddWords(1, hi, mi, lo) }) != want {
			t.Fatalf("%x and %x %x %x in %d words: refused %v", m, hi, mi, lo, v.Words(), !want)
		} else if want {
			refused++
		} else if fits++; v.At(1).Cmp(sum) != 0 || !v.IsZero(0) || !v.IsZero(2) {
			t.Fatalf("%x and %x %x %x are %x", m, hi, mi, lo, v.At(1))
		}
	}
	if fits < 500 || refused < 500 {
		t.Errorf("%d sums fit, %d do not", fits, refused)
	}
}
