// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/internal/testkit"
)

// naive is the definition of the convolution, in big.Int, rounded.
func naive(a, b Vector, from, n int, r Rounding) []*big.Int {
	sums := make([]*big.Int, n)
	for i := range sums {
		sums[i] = new(big.Int)
	}
	as, bs := entries(a), entries(b)
	t := new(big.Int)
	for i, x := range as {
		if x.Sign() == 0 {
			continue
		}
		for j, y := range bs {
			if k := i + j - from; k >= 0 && k < n {
				sums[k].Add(sums[k], t.Mul(x, y))
			}
		}
	}
	one := new(big.Int).Lsh(big.NewInt(1), a.prec)
	rest := new(big.Int) // in units of 2^−64 of an entry's
	for i, s := range sums {
		q, m := new(big.Int).QuoRem(s, one, new(big.Int))
		if r == Sums {
			rest.Add(rest, new(big.Int).Rsh(t.Lsh(m, 64), a.prec))
			q.Add(q, t.Rsh(rest, 64))
			rest.Sub(rest, t.Lsh(t, 64))
		}
		if r == Up && m.Sign() > 0 {
			q.Add(q, big.NewInt(1))
		}
		sums[i] = q
	}
	return sums
}

func entries(v Vector) []*big.Int {
	out := make([]*big.Int, v.Len())
	for i := range out {
		out[i] = v.At(i)
	}
	return out
}

var precs = []uint{1, 5, 61, 63, 64, 65, 123, 127, 128, 192, 256, 1024}

// random returns n entries that sum to at most 2^P, some of them extreme.
func random(rng *rand.Rand, n int, prec uint) Vector {
	v := NewVector(n, prec)
	left := new(big.Int).Lsh(big.NewInt(1), prec)
	for range 4 * n {
		i := rng.IntN(n)
		if !v.IsZero(i) {
			continue
		}
		m := new(big.Int)
		for m.BitLen() < int(prec) {
			m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(rng.Uint64()))
		}
		m.Rsh(m, uint(m.BitLen()-int(prec)+rng.IntN(int(prec)+1)))
		if m.Cmp(left) > 0 {
			m.Set(left)
		}
		v.Set(i, m)
		left.Sub(left, m)
	}
	return v
}

func check(t *testing.T, a, b Vector, from, n int, r Rounding) {
	t.Helper()
	wants := naive(a, b, from, n, r)
	everyUnit(func() {
		c, err := Window(context.Background(), a, b, from, n, r)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range wants {
			if got := c.At(i); got.Cmp(want) != 0 {
				t.Fatalf("P = %d, lengths %d and %d, window %d+%d, rounding %d, %s: entry %d = %v, want %v", a.prec, a.n, b.n, from, n, r, best.name, i, got, want)
			}
		}
	})
}

// everyUnit calls f by vectors of every kind that there is, and last by word.
func everyUnit(f func()) {
	defer func(u *unit) { best = u }(best)
	for _, u := range units() {
		best = u
		f()
	}
}

// TestProductIsTheDefinition: bit for bit, at every size class and precision.
func TestProductIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 2, 3, 31, 32, 33, 40, 48, 49, 64, 65, 96, 97, 100, 128, 129, 193, 257, 400}
	for _, prec := range precs {
		for _, n := range sizes {
			if prec > 128 && n > 130 || testing.Short() && n > 130 {
				continue
			}
			a := random(rng, n, prec)
			check(t, a, a, 0, 2*n-1, Rounding(n%3))
			b := random(rng, sizes[rng.IntN(len(sizes))], prec)
			total := a.Len() + b.Len() - 1
			check(t, a, b, 0, total, Rounding(rng.IntN(3)))
			from := rng.IntN(total)
			check(t, a, b, from, 1+rng.IntN(total-from), Rounding(rng.IntN(3)))
		}
	}
}

// TestTransformLengths exercises every length class of the transform beyond the
// leaf of the recursion, where a schoolbook check would be slow: the product of
// two sparse vectors is known.
func TestTransformLengths(t *testing.T) {
	const prec = 61
	for _, n := range testkit.Few(6, []int{3000, 4096, 5000, 6144, 8192, 9000, 12288, 16384, 20000, 24576, 40000, 70000}) {
		if !testkit.Long() && n > 25000 {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		a, b := NewVector(n, prec), NewVector(n, prec)
		var ai, bi []int
		for range 12 {
			ai, bi = append(ai, rng.IntN(n)), append(bi, rng.IntN(n))
		}
		ai, bi = append(ai, 0, n-1), append(bi, 0, n-1)
		for _, i := range ai {
			a.Set(i, big.NewInt(rng.Int64N(1<<57)))
		}
		for _, i := range bi {
			b.Set(i, big.NewInt(rng.Int64N(1<<57)))
		}
		check(t, a, b, 0, 2*n-1, Down)
		check(t, a, b, n/2, n, Up)
		check(t, a, a, 0, 2*n-1, Down)
		check(t, a, a, n/2, n, Up)
	}
}

// TestExtremeMasses: one entry of 2^P − 1, or 2^P, everywhere else 0; and rounded-up
// vectors that sum to more than 2^P.
func TestExtremeMasses(t *testing.T) {
	for _, prec := range precs {
		one := new(big.Int).Lsh(big.NewInt(1), prec)
		for _, m := range []*big.Int{one, new(big.Int).Sub(one, big.NewInt(1))} {
			for _, n := range []int{40, 100} {
				for _, at := range []int{0, n / 2, n - 1} {
					v := NewVector(n, prec)
					v.Set(at, m)
					check(t, v, v, 0, 2*n-1, Down)
					check(t, v, v, n/2, n, Up)
				}
			}
		}
	}
	v := NewVector(40, 3) // 40 entries of 1/40, rounded up to 1/8
	for i := range 40 {
		v.Set(i, big.NewInt(1))
	}
	check(t, v, v, 0, 79, Up)
}

// TestCancellation: a context that has ended stops the work.
func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := random(rand.New(rand.NewPCG(1, 1)), 100, 64)
	if _, err := Window(ctx, v, v, 0, 199, Down); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// BenchmarkConvolve is one clipped self-convolution: the n middle entries.
func BenchmarkConvolve(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000, 1000000} {
		for _, prec := range []uint{61, 128, 256, 1024} {
			if n > 100000 && prec > 128 {
				continue
			}
			b.Run(fmt.Sprintf("n=%d/P=%d", n, prec), func(b *testing.B) { benchmarkSquare(b, n, prec) })
		}
	}
}

// BenchmarkUnits is BenchmarkConvolve at 128 bits by vectors of every kind that there is, and by word.
func BenchmarkUnits(b *testing.B) {
	for _, n := range []int{100000, 1000000} {
		everyUnit(func() {
			b.Run(fmt.Sprintf("n=%d/%s", n, best.name), func(b *testing.B) { benchmarkSquare(b, n, 128) })
		})
	}
}

func benchmarkSquare(b *testing.B, n int, prec uint) {
	v := NewVector(n, prec)
	m := new(big.Int).Lsh(big.NewInt(1), prec)
	m.Quo(m, big.NewInt(int64(n)))
	for i := range n {
		v.Set(i, m)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Window(context.Background(), v, v, n/2, n, Down); err != nil {
			b.Fatal(err)
		}
	}
}
