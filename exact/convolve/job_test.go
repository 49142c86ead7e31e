// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestUnpackCutsWords: the limbs of an entry are its bits.
func TestUnpackCutsWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, prec := range []uint{1, 61, 64, 128, 200, 600} {
		v := NewVector(37, prec)
		n := (wordBits*v.Words() + 51) / 52
		for i := range v.n {
			for k := range v.slot(i) {
				v.slot(i)[k] = big.Word(rng.Uint64() | -uint64(rng.IntN(2)))
			}
		}
		l := new(limbs).unpack(v, 0, v.n, n) // leaves something behind
		l.unpack(v, 16, 37, n)
		for i := range l.stride {
			got := new(big.Int)
			for k := n - 1; k >= 0; k-- {
				got.Lsh(got, 52).Or(got, new(big.Int).SetUint64(l.planes[k*l.stride+i]))
			}
			want := new(big.Int)
			if 16+i < v.n {
				want = v.At(16 + i)
			}
			if got.Cmp(want) != 0 {
				t.Fatalf("P = %d: entry %d is %v, want %v", prec, 16+i, got, want)
			}
		}
	}
}

// TestSelfCheck: a residue that is off by one anywhere is reported, and so is an operand that
// changes on the way.
func TestSelfCheck(t *testing.T) { everyVector(t, selfCheck) }

func selfCheck(t *testing.T, u *unit) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := random(rng, 100, 64)
	sum := a.Sum()
	for _, at := range []int{0, 1, 57, 150, 255} {
		limbs := limbsOf(sum.BitLen())
		j := &job{a: a, b: a, from: 0, n: 199, size: cyclicLen(199), u: u, ps: enough(new(big.Int).Mul(sum, sum)), limbs: [2]int{limbs, limbs}}
		j.slab = make([]uint64, j.size*len(j.ps))
		if err := j.transforms(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := j.combine(context.Background()); err != nil {
			t.Fatal(err)
		}
		x := &j.residues(at % len(j.ps))[at%j.size]
		if *x++; j.u.doubles {
			*x = math.Float64bits(math.Float64frombits(*x-1) + 1)
		}
		if _, err := j.combine(context.Background()); !errors.Is(err, ErrSelfCheck) {
			t.Errorf("a wrong residue at %d: %v", at, err)
		}
	}
}

// TestMemory: what a product in vectors needs is counted before it is allocated.
func TestMemory(t *testing.T) { everyVector(t, memory) }

func memory(t *testing.T, _ *unit) {
	v := full(2000, 128, Down)
	var short *MemoryError
	if _, err := Window(WithMemory(context.Background(), 1<<17), v, v, 0, 3999, Down); !errors.As(err, &short) || short.Need < 6*8*4096 {
		t.Errorf("error %v", err)
	}
	if _, err := Window(WithMemory(context.Background(), short.Need), v, v, 0, 3999, Down); err != nil {
		t.Error(err)
	}
}

// TestStaleMemory: residues that an earlier product left behind have no effect.
func TestStaleMemory(t *testing.T) {
	a, b := full(150, 61, Down), full(140, 61, Up)
	for range 3 {
		for range 4 {
			s := make([]uint64, 4096)
			for i := range s {
				s[i] = 12345
			}
			giveSlab(s)
		}
		sameByEveryUnit(t, a, a, 0, 299, Down)
		sameByEveryUnit(t, a, b, 0, 289, Down)
	}
}

// TestSecondsOfLongProducts: a long product has residues of its second operand for a quarter of its primes at a time,
// and its memory counts them; a square has none.
func TestSecondsOfLongProducts(t *testing.T) {
	a, b := NewVector(8, 123), NewVector(8, 123)
	for _, c := range []struct {
		size, primes int
		b            Vector
		most         int
	}{{1 << 12, 6, a, 0}, {1 << 20, 6, a, 0}, {1 << 20, 6, b, 1}, {1 << 12, 6, b, 6}} {
		j := &job{a: a, b: c.b, size: c.size, ps: primes(c.primes)}
		n := j.seconds()
		if n > c.most || c.most > 0 && n == 0 {
			t.Errorf("%d residues, %d primes: %d second operands at a time, want at most %d", c.size, c.primes, n, c.most)
		}
		if least := 8 * int64(c.size) * int64(c.primes+n); j.memory() < least {
			t.Errorf("%d residues: %d bytes of memory, more than %d are needed", c.size, j.memory(), least)
		}
	}
}
