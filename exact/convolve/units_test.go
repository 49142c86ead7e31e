// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/internal/testkit"
)

// sameByEveryUnit compares what vectors give with what words give, bit by bit.
func sameByEveryUnit(t *testing.T, a, b Vector, from, n int, r Rounding) {
	t.Helper()
	var results []Vector
	everyUnit(func() {
		c, err := Window(context.Background(), a, b, from, n, r)
		if err != nil {
			t.Fatalf("P = %d, lengths %d and %d, window %d+%d, %s: %v", a.prec, a.n, b.n, from, n, best.name, err)
		}
		results = append(results, c)
	})
	for _, c := range results {
		if !slices.Equal(c.data, results[len(results)-1].data) {
			t.Fatalf("P = %d, lengths %d and %d, window %d+%d, rounding %d: vectors and words give different results", a.prec, a.n, b.n, from, n, r)
		}
	}
}

// TestUnitsAgree: lengths around all kinds of cyclic lengths, beyond the leaf of the recursion,
// odd ends; precisions around limbs and words; entries that are as great as they may be.
func TestUnitsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	lengths := []int{33, 63, 64, 65, 79, 80, 81, 95, 97, 127, 128, 129, 160, 161, 192, 193, 321, 513, 1281, 2047, 2049, 3073, 5121, 10243}
	for i, n := range lengths {
		for j, prec := range []uint{1, 51, 52, 53, 61, 64, 103, 104, 105, 127, 128, 191, 260, 700} {
			if n > 600 && prec != []uint{52, 61, 104, 128}[i%4] || n <= 600 && (i+j)%3 > 0 && !testkit.Thorough() {
				continue
			}
			a, b := full(n, prec, Up), full(max(33, n-7), prec, Down)
			total := a.n + b.n - 1
			sameByEveryUnit(t, a, a, 0, 2*n-1, Up)
			sameByEveryUnit(t, a, a, n/2, n, Down)
			from := rng.IntN(total)
			sameByEveryUnit(t, a, b, from, 1+rng.IntN(total-from), Rounding(rng.IntN(3)))
		}
	}
	// All entries the greatest of their words, as far as the product fits.
	for _, words := range []int{1, 2, 3, 4, 6} {
		v := NewVector(70, uint(wordBits*words-1))
		m := new(big.Int).Lsh(big.NewInt(1), uint(wordBits*words-8))
		m.Sub(m, big.NewInt(1))
		for i := range v.n {
			v.Set(i, m)
		}
		sameByEveryUnit(t, v, v, 0, 139, Up)
	}
}

// everyVector tests every unit that there is.
func everyVector(t *testing.T, f func(t *testing.T, u *unit)) {
	everyUnit(func() { t.Run(best.name, func(t *testing.T) { f(t, best) }) })
}

// TestUnitsGiveTheSameResidues: transforms, products and their inverse, brought below p, at every kind of length.
func TestUnitsGiveTheSameResidues(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for i, n := range []int{65, 80, 127, 128, 193, 320, 1281, 4097, 10243} {
		a, b := full(n, 61, Up), full(max(33, n-7), 61, Down)
		if i&1 == 1 {
			b = a
		}
		size := cyclicLen(a.n + b.n - 1)
		bound := new(big.Int).Lsh(big.NewInt(1), 130)
		var all [][]uint64
		for _, u := range units() {
			j := &job{a: a, b: b, n: a.n + b.n - 1, size: size, u: u, ps: enough(bound), limbs: [2]int{2, 2}}
			j.slab = make([]uint64, size*len(j.ps))
			for i := range j.slab {
				j.slab[i] = rng.Uint64()
			}
			if err := j.transforms(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i, m := range j.ps {
				undo := u.undo(m, size)
				for at, x := range j.residues(i) {
					j.residues(i)[at] = m.mul(u.integer(x, m.p), undo)
				}
			}
			all = append(all, j.slab)
		}
		for i, u := range units() {
			if !slices.Equal(all[i], all[0]) {
				t.Errorf("length %d: %s and %s give different residues", size, units()[0].name, u.name)
			}
		}
	}
}

// TestUnitOfManyPrimes: vectors compute products of at most 512 primes, and products of more are what they should be.
func TestUnitOfManyPrimes(t *testing.T) {
	everyUnit(func() {
		if unitFor(maxPrimes) != best || unitFor(maxPrimes+1) != words {
			t.Errorf("%s is not taken for %d primes, or for more", best.name, maxPrimes)
		}
	})
	a := full(33, 13000, Down)
	check(t, a, a, 20, 8, Up)
}

// FuzzUnits: vectors and words give the same.
func FuzzUnits(f *testing.F) {
	f.Add(uint64(1), uint16(70), uint16(70), uint16(128), uint16(0), uint16(139), true)
	f.Add(uint64(2), uint16(100), uint16(33), uint16(61), uint16(17), uint16(64), false)
	f.Fuzz(func(t *testing.T, seed uint64, n, m, prec, from, count uint16, square bool) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := 1 + uint(prec)%600
		a := random(rng, 33+int(n)%1000, p)
		b := a
		if !square {
			b = random(rng, 33+int(m)%1000, p)
		}
		total := a.n + b.n - 1
		lo := int(from) % total
		sameByEveryUnit(t, a, b, lo, 1+int(count)%(total-lo), Rounding(seed%3))
	})
}
