// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// full returns n entries of about 2^P/n each, all different from 0 and hardly any two
// neighbours equal, rounded up or down.
func full(n int, prec uint, r Rounding) Vector {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(prec)))
	v := NewVector(n, prec)
	for i := range n {
		m := new(big.Int).Lsh(big.NewInt(1+rng.Int64N(1<<16)), prec)
		m, rest := m.QuoRem(m, big.NewInt(int64(n)<<15), new(big.Int))
		if r == Up && rest.Sign() > 0 || m.Sign() == 0 {
			m.Add(m, big.NewInt(1))
		}
		v.Set(i, m)
	}
	return v
}

// TestWindowsDoNotAlias: every window of a product whose length is one more than a
// cyclic length, at both ends of the product, where aliases would fall.
func TestWindowsDoNotAlias(t *testing.T) {
	for _, n := range []int{49, 65, 97} { // 2n − 1 = 97, 129, 193
		v := full(n, 64, Down)
		total := 2*n - 1
		for _, w := range []int{1, 2, n, total - 1, total} {
			check(t, v, v, 0, w, Down)
			check(t, v, v, total-w, w, Up)
		}
	}
}

// TestWindowsOfShortVectors is the same for the schoolbook.
func TestWindowsOfShortVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 7, 32} {
		a, b := random(rng, n, 70), full(n+1, 70, Up)
		for from := range 2 * n {
			check(t, a, b, from, 1, Up)
			check(t, a, b, from, 2*n-from, Down)
		}
	}
}

// TestSumCarries: the sum of entries that fill their words.
func TestSumCarries(t *testing.T) {
	for _, prec := range []uint{61, 63, 127} {
		v := NewVector(5, prec)
		most := new(big.Int).Lsh(big.NewInt(1), uint(v.Words()*wordBits))
		most.Sub(most, big.NewInt(1))
		for i := range 5 {
			v.Set(i, most)
		}
		if want := new(big.Int).Mul(most, big.NewInt(5)); v.Sum().Cmp(want) != 0 {
			t.Errorf("P = %d: sum %v, want %v", prec, v.Sum(), want)
		}
	}
}

// TestEnoughPrimes: their product exceeds 5/4 of the limit, which is what the
// fractional part in crt.chunk needs, and one prime less would not.
func TestEnoughPrimes(t *testing.T) {
	for _, bits := range []uint{1, 60, 61, 62, 63, 122, 123, 124, 125, 300, 2048} {
		for _, limit := range []*big.Int{
			new(big.Int).Lsh(big.NewInt(1), bits),
			new(big.Int).Quo(new(big.Int).Lsh(big.NewInt(9), bits), big.NewInt(10)),
		} {
			ps := enough(limit)
			product := big.NewInt(1)
			for i, p := range ps {
				if i == len(ps)-1 && i > 0 && new(big.Int).Lsh(product, 2).Cmp(new(big.Int).Mul(limit, big.NewInt(5))) > 0 {
					t.Errorf("%d primes for a limit of %d bits", len(ps), limit.BitLen())
				}
				product.Mul(product, new(big.Int).SetUint64(p.p))
			}
			if product.Lsh(product, 2).Cmp(new(big.Int).Mul(limit, big.NewInt(5))) <= 0 {
				t.Errorf("a limit of %d bits, a product of %d", limit.BitLen(), product.BitLen()-2)
			}
		}
	}
}

// TestDenseProducts: products without a zero entry, of all kinds of lengths, entries
// of one word and of several, rounded both ways. At P = 985 there are 32 primes, whose
// product fills its 31 words.
func TestDenseProducts(t *testing.T) {
	for _, n := range []int{33, 48, 64, 90} {
		for _, prec := range []uint{61, 64, 123, 192, 253, 985} {
			a, b := full(n, prec, Up), full(2*n/3, prec, Down)
			check(t, a, a, 0, 2*n-1, Down)
			check(t, a, b, 0, a.Len()+b.Len()-1, Up)
			check(t, a, a, n/2, n, Down) // the second half of the transform is not all 0
		}
	}
}

// TestStoreRoundsUp: any bit that is cut off counts, in whatever word it is, and what does not fit
// is reported.
func TestStoreRoundsUp(t *testing.T) {
	for _, prec := range []uint{1, 61, 64, 100, 128, 150} {
		for bit := range 5 * 64 {
			x := make([]uint64, 5)
			x[bit/64] = 1 << (bit % 64)
			want := new(big.Int).Lsh(big.NewInt(1), uint(bit))
			for _, r := range []Rounding{Down, Up} {
				v := NewVector(1, prec)
				rounded := round(want, prec, r)
				fits := rounded.BitLen() <= v.Words()*wordBits
				if ok := store(v.slot(0), x, prec, r); ok != fits || ok && v.At(0).Cmp(rounded) != 0 {
					t.Errorf("P = %d: 2^%d is stored as %v, %v", prec, bit, v.At(0), ok)
				}
			}
		}
	}
}
