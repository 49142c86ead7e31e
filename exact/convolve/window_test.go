// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/internal/testkit"
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
// fractional part in crt.go needs, and one prime less would not.
func TestEnoughPrimes(t *testing.T) {
	for _, bits := range []uint{1, 48, 49, 50, 51, 99, 100, 149, 150, 300, 2048, 25600, 40000} {
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

// TestMaxIsTheGreatest: wherever it is, and if words agree.
func TestMaxIsTheGreatest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	for _, prec := range []uint{1, 63, 64, 128, 200} {
		if NewVector(0, prec).Max().Sign() != 0 || NewVector(3, prec).Max().Sign() != 0 {
			t.Error("the greatest of nothing, or of zeros")
		}
		for range 50 {
			v := NewVector(7, prec)
			want := new(big.Int)
			for i := range v.n {
				for k := range v.slot(i) {
					v.slot(i)[k] = big.Word(rng.IntN(3))
				}
				if m := v.At(i); m.Cmp(want) > 0 {
					want = m
				}
			}
			if got := v.Max(); got.Cmp(want) != 0 {
				t.Fatalf("P = %d: %v, want %v", prec, got, want)
			}
		}
	}
}

// TestGreatestEntries: entries that attain the bound by which primes are chosen, at every alias, in both roles.
func TestGreatestEntries(t *testing.T) {
	for _, prec := range []uint{61, 100, 128} {
		for _, n := range []int{48, 96, 128} { // cyclic lengths
			a, b := NewVector(n, prec), NewVector(n, prec)
			m := new(big.Int).Lsh(big.NewInt(1), prec-7)
			for i := range n {
				a.Set(i, m)
				b.Set(i, big.NewInt(int64(i)))
			}
			b.Set(n/3, new(big.Int).Lsh(big.NewInt(1), prec-1))
			check(t, a, a, n/2, n, Down)
			check(t, a, a, n-1, 1, Up)
			check(t, a, b, n/2, n/2, Down)
			check(t, b, a, n-1, 1, Up)
			check(t, b, b, 0, n, Up)
			limit := greatest(a.Sum(), a.Max(), b.Sum(), b.Max())
			if want := new(big.Int).Mul(m, b.Sum()); limit.Cmp(want) != 0 || greatest(b.Sum(), b.Max(), a.Sum(), a.Max()).Cmp(want) != 0 {
				t.Errorf("P = %d, length %d: entries up to %v, want %v", prec, n, limit, want)
			}
		}
	}
}

// narrow returns a copy of v without room for 1.
func narrow(v Vector) Vector {
	out := NewNarrow(v.n, v.prec)
	for i := range v.n {
		out.Set(i, v.At(i))
	}
	return out
}

// TestNarrowVectors: they hold what fits them, and no product is stored in one that may not hold it.
func TestNarrowVectors(t *testing.T) {
	for _, prec := range []uint{61, 64, 65, 123, 128, 192} {
		most := new(big.Int).Lsh(big.NewInt(1), prec)
		v := NewVector(70, prec)
		v.Set(33, new(big.Int).Sub(most, big.NewInt(1)))
		v.Set(69, big.NewInt(3))
		w := narrow(v)
		if (w.Words() < v.Words()) != (prec%64 == 0) || w.Len() != 70 || w.Sum().Cmp(v.Sum()) != 0 || w.Max().Cmp(v.Max()) != 0 || w.Fits(most) == (prec%64 == 0) {
			t.Errorf("P = %d: %d words for %d", prec, w.Words(), v.Words())
		}
		for i := range 70 {
			if w.At(i).Cmp(v.At(i)) != 0 {
				t.Errorf("P = %d: entry %d is %v, want %v", prec, i, w.At(i), v.At(i))
			}
		}
		check(t, v, w, 0, 139, Up)
		check(t, w.Slice(30, 36), w.Slice(40, 70), 0, 35, Up)
		v.Set(33, most)
		for _, u := range []Vector{v.Slice(33, 34), v} { // by the schoolbook and by transforms
			got, err := WindowIn(t.Context(), w.Clone(), u, v, u.Len()/2, 70, Up)
			if err != nil || got.Words() != v.Words() || got.Max().Cmp(most) != 0 {
				t.Errorf("P = %d: the product of 1 and 1 is %v, in %d words, %v", prec, got.Max(), got.Words(), err)
			}
		}
	}
}

// TestProductsInTheMemoryOfOperands: short and long ones, in a's memory, in b's and in a longer one's that holds
// rubbish.
func TestProductsInTheMemoryOfOperands(t *testing.T) {
	for _, n := range []int{5, 100} {
		for _, prec := range []uint{61, 128} {
			a, b := full(n, prec, Down), full(n+3, prec, Up)
			rubbish := NewVector(3*n+9, prec)
			for i := range rubbish.data {
				rubbish.data[i] = 12345
			}
			everyUnit(func() {
				for from := 0; from < n; from += 1 + n/testkit.Draws(20, 1000, 1000) {
					want, err := Window(t.Context(), a, b, from, n, Up)
					square, err2 := Window(t.Context(), a, a, from, n, Up)
					if err != nil || err2 != nil {
						t.Fatal(err, err2)
					}
					c, d := a.Clone(), b.Clone()
					same := func(got Vector, err error, memory, want Vector) {
						t.Helper()
						if err != nil || !slices.Equal(got.data, want.data) || got.prec != prec {
							t.Fatalf("P = %d, %d entries from %d: %v", prec, n, from, err)
						}
						if &got.data[0] != &memory.data[0] {
							t.Fatal("the product is in another memory")
						}
					}
					got, err := WindowIn(t.Context(), c, c, b, from, n, Up)
					same(got, err, c, want)
					got, err = WindowIn(t.Context(), d, a, d, from, n, Up)
					same(got, err, d, want)
					c = a.Clone()
					got, err = WindowIn(t.Context(), c, c, c, from, n, Up)
					same(got, err, c, square)
					r := rubbish.Clone()
					got, err = WindowIn(t.Context(), r, a, b, from, n, Up)
					same(got, err, r, want)
					for _, short := range []Vector{rubbish.Slice(0, n-1), NewVector(n, prec+1)} {
						got, err = WindowIn(t.Context(), short, a, b, from, n, Up)
						if err != nil || !slices.Equal(got.data, want.data) || &got.data[0] == &short.data[0] {
							t.Fatal("a memory that is too short, or of other numbers")
						}
					}
					for _, room := range []Vector{narrow(a), narrow(a).Slice(0, n-1)} {
						got, err = WindowIn(t.Context(), room, a, narrow(b), from, n, Up)
						if err != nil || !slices.EqualFunc(entries(got), entries(want), func(x, y *big.Int) bool { return x.Cmp(y) == 0 }) || got.Words() != room.Words() {
							t.Fatalf("P = %d: narrow operands: %v", prec, err)
						}
					}
				}
			})
		}
	}
}

// TestCyclicLen: the least length of the three kinds, from 128 on.
func TestCyclicLen(t *testing.T) {
	for n := 33; n < 5000; n++ {
		least := 1 << 20
		for k := range 13 {
			for _, r := range []int{1, 3, 5} {
				if size := r << k; size >= max(n, 128) {
					least = min(least, size)
				}
			}
		}
		if got := cyclicLen(n); got != least || radix(got) > maxRadix {
			t.Fatalf("cyclicLen(%d) = %d, want %d", n, got, least)
		}
	}
}
