// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTransformEvaluates: a polynomial of degree 0 modulo x^N − 1 times another one is that one,
// x^i·x^j = x^(i+j), and the greatest residues in every place multiply to their sum.
func TestTransformEvaluates(t *testing.T) { everyVector(t, transformEvaluates) }

func transformEvaluates(t *testing.T, u *unit) {
	m := primes(3)[2]
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{80, 48, 16, 128, 160, 192, 256, 320, 384, 512, 4096, 8192, 6144, 12288, 10240, 20480} {
		f := u.transform(m, size)
		undo := u.undo(m, size)
		product := func(x, y []uint64) []uint64 {
			f.forward(x)
			f.forward(y)
			f.multiply(x, y)
			f.inverse(x)
			for i := range x {
				x[i] = m.mul(u.integer(x[i], m.p), undo)
			}
			return x
		}
		for range 4 {
			i, j := rng.IntN(size), rng.IntN(size)
			x, y := make([]uint64, size), make([]uint64, size)
			x[i], y[j] = u.residue(m.p-1), u.residue(m.p-1)
			for at, got := range product(x, y) {
				if want := uint64(0); at == (i+j)%size && got != 1 || at != (i+j)%size && got != want {
					t.Fatalf("size %d: −x^%d times −x^%d has %d at %d", size, i, j, got, at)
				}
			}
		}
		x, y := make([]uint64, size), make([]uint64, size)
		for i := range x {
			x[i], y[i] = u.residue(m.p-1), u.residue(m.p-1)
		}
		for at, got := range product(x, y) {
			if got != uint64(size) {
				t.Fatalf("size %d: an entry of (Σ −x^i)² is %d at %d", size, got, at)
			}
		}
		if size > 512 {
			continue
		}
		// Any residues: the definition.
		a, b := make([]uint64, size), make([]uint64, size)
		want := make([]uint64, size)
		for i := range a {
			a[i], b[i] = rng.Uint64N(m.p), rng.Uint64N(m.p)
			x[i], y[i] = u.residue(a[i]), u.residue(b[i])
		}
		for i := range a {
			for j := range b {
				k := (i + j) % size
				want[k] = reduce(want[k]+m.mul(a[i], b[j]), m.p)
			}
		}
		if got := product(x, y); !slices.Equal(got, want) {
			t.Fatalf("size %d: %d, want %d", size, got, want)
		}
	}
}

// residue returns what the unit takes for r < p.
func (u *unit) residue(r uint64) uint64 {
	if u.doubles {
		return math.Float64bits(float64(r))
	}
	return r
}

// TestRootTables: the blocks' constants are roots of each other, and up is the inverse of down.
func TestRootTables(t *testing.T) {
	m := primes(2)[1]
	for _, r := range []int{1, 3, 5} {
		f := transform{m: m, r: r, t: m.roots(r, 64)}
		omega := m.root(r)
		for i := range r {
			e := f.halve(i)
			if s := f.t.down[e][0].w; m.mul(s, s) != m.pow(omega, uint64(i)) {
				t.Errorf("r = %d: the first split of block %d", r, i)
			}
			g := f.halve(e)
			for b := range 64 {
				s := f.t.down[e][b]
				if b < 32 {
					x, y := f.t.down[g][2*b].w, f.t.down[g][2*b+1].w
					if m.mul(x, x) != s.w || m.mul(y, y) != m.p-s.w {
						t.Errorf("r = %d: the halves of block %d", r, b)
					}
				}
				if m.mul(s.w, f.t.up[e][b].w) != 1 {
					t.Errorf("r = %d: the inverse root of block %d", r, b)
				}
			}
		}
	}
}

// TestLongTablesOfOneRadix: a long table takes the place of the long tables of other radices, short ones stay, and all
// are right when they are made again.
func TestLongTablesOfOneRadix(t *testing.T) {
	m := newPrime(primes(1)[0].p)
	short := m.roots(5, 64)
	first := m.roots(1, 1<<16)
	if m.roots(3, 1<<15); len(m.tables[1].down) > 0 || len(m.tables[3].down) == 0 || len(m.tables[5].down) == 0 {
		t.Errorf("%d, %d and %d tables are kept", len(m.tables[1].down), len(m.tables[3].down), len(m.tables[5].down))
	}
	if again := m.roots(1, 1<<16); !slices.Equal(again.down[0], first.down[0]) || !slices.Equal(m.roots(5, 64).up[4], short.up[4]) {
		t.Error("a table is another one the second time")
	}
}
