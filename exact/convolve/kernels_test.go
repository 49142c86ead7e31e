// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// loops are the kernels of a unit as loops in Go, on residues as the unit has them.
type loops[T uint64 | float64] interface {
	split2(x []T, h int, w []twiddle)
	split4(x []T, h int, w, v []twiddle)
	join2(x []T, h int, w []twiddle)
	join4(x []T, h int, w, v []twiddle)
	radix3(x []T, h int, c []twiddle)
	radix5(x []T, h int, c []twiddle)
	load(x []T, l *limbs, w []twiddle)
	horner(acc, x []T, z twiddle)
	multiply(x, y []T, w []twiddle)
}

// A comparison holds the kernels of a unit against their loops.
type comparison[T uint64 | float64] struct {
	t     *testing.T
	unit  *unit
	m     *prime
	loops loops[T]
	bits  func([]T) []uint64 // residues for the kernels
	back  func([]uint64) []T // and from them
	draw  func(n int, of bound, worst bool) []T
}

// A bound says how large residues may be.
type bound int

const (
	forSplit  bound = iota // of splits and products, and of Horner's sum
	forJoin                // of joins and radices
	forHorner              // of Horner's terms
)

// equal fails unless a kernel and its loop make the same of x.
func (c comparison[T]) equal(name string, x []T, kernel func(x []uint64), loop func(x []T)) {
	c.t.Helper()
	got, want := c.bits(x), slices.Clone(x)
	kernel(got)
	loop(want)
	if !slices.Equal(c.back(got), want) { // of doubles, 0 and −0 are the same
		c.t.Fatalf("%s modulo %d, %d residues: %v, want %v", name, c.m.p, len(x), c.back(got), want)
	}
}

// transforms compares all kernels but products, for lengths from the least on, one block and several.
func (c comparison[T]) transforms(rng *rand.Rand, worst bool) {
	u, m, k := c.unit, c.m, c.loops
	for _, h := range []int{8, 16, 40} {
		for _, blocks := range []int{1, 2, 5} {
			w := m.roots(1, 32).down[0]
			b := rng.IntN(4)
			v := w[2*b:]
			w = w[b:]
			c.equal("split2", c.draw(2*h*blocks, forSplit, worst), func(x []uint64) { u.split2(x, h, w, &m.constants) }, func(x []T) { k.split2(x, h, w) })
			c.equal("split4", c.draw(4*h*blocks, forSplit, worst), func(x []uint64) { u.split4(x, h, w, v, &m.constants) }, func(x []T) { k.split4(x, h, w, v) })
			c.equal("join2", c.draw(2*h*blocks, forJoin, worst), func(x []uint64) { u.join2(x, h, w, &m.constants) }, func(x []T) { k.join2(x, h, w) })
			c.equal("join4", c.draw(4*h*blocks, forJoin, worst), func(x []uint64) { u.join4(x, h, w, v, &m.constants) }, func(x []T) { k.join4(x, h, w, v) })
		}
		for _, r := range [][]twiddle{m.roots(3, 2).c, m.roots(3, 2).cInv} {
			c.equal("radix3", c.draw(3*h, forJoin, worst), func(x []uint64) { u.radix3(x, h, r, &m.constants) }, func(x []T) { k.radix3(x, h, r) })
		}
		for _, r := range [][]twiddle{m.roots(5, 2).c, m.roots(5, 2).cInv} {
			c.equal("radix5", c.draw(5*h, forJoin, worst), func(x []uint64) { u.radix5(x, h, r, &m.constants) }, func(x []T) { k.radix5(x, h, r) })
		}
		z := m.shoup(rng.Uint64N(m.p))
		terms := c.draw(h, forHorner, worst)
		c.equal("horner", c.draw(lanes, forSplit, worst), func(x []uint64) {
			u.horner((*[lanes]uint64)(x), c.bits(terms), z, &m.constants)
		}, func(x []T) { k.horner(x, terms, z) })
		for _, n := range []int{1, 2, 5} {
			l := &limbs{residues52(rng, n*h, m.p, 1<<52, worst), h, n}
			c.equal("load", make([]T, h), func(x []uint64) { l.load(x, m, u) }, func(x []T) { k.load(x, l, m.powersOf(n)) })
		}
	}
}

// products compares products of blocks; after is done to what the kernel gives.
func (c comparison[T]) products(x, y []T, after func(x []uint64)) {
	w := c.m.roots(1, 8).down[0]
	other := c.bits(y)
	kernel := func(with func(x []uint64) []uint64) func(x []uint64) {
		return func(x []uint64) {
			c.unit.multiply(x, with(x), w, &c.m.constants)
			after(x)
		}
	}
	c.equal("multiply", x, kernel(func([]uint64) []uint64 { return other }), func(x []T) { c.loops.multiply(x, y, w) })
	c.equal("square", x, kernel(func(x []uint64) []uint64 { return x }), func(x []T) { c.loops.multiply(x, slices.Clone(x), w) })
}
