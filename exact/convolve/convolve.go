// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package convolve multiplies vectors of non-negative fixed-point numbers
// exactly. There is no rounding error at all: products are integers modulo
// several primes, put together by the Chinese remainder theorem, and every entry
// is rounded once, in the direction that the caller asks for.
//
// Every product is checked against an evaluation modulo one more prime, so that a
// broken compiler, core or memory cell is reported instead of certified.
//
// Where the processor has AVX-512 IFMA, or AVX2 and FMA, residues are computed eight or four at a time. The answers are
// the same, bit by bit. GODEBUG=cpu.avx512ifma=off leaves out the first, cpu.avx2=off the second, and the build tag
// purego both.
//
// Memory: a product of cyclic length N with k primes takes 8·N·k bytes beside its
// operands and its result; roots of unity add 2·N·k bytes, kept for
// later products. A vector takes 8·(⌊P/64⌋ + 1) bytes per entry.
package convolve

import (
	"context"
	"errors"
	"math/big"
	"math/bits"
)

// ErrTooLong reports a product of more than 2^24 entries or so.
var ErrTooLong = errors.New("convolve: the operands are too long")

// smallLen is the length up to which big.Int multiplies faster.
const smallLen = 32

// Window returns the entries c_from … c_{from+n−1} of the convolution of a and b,
// each rounded as asked. A shorter window is cheaper. The error is
// ctx's, ErrSelfCheck, ErrTooLong, or a *MemoryError (see WithMemory).
//
// Requires: a and b have the same P, len ≥ 1; Σ a_i·Σ b_j/2^P + 1 fits an entry;
// 0 ≤ from, 1 ≤ n, from + n ≤ len(a) + len(b) − 1.
func Window(ctx context.Context, a, b Vector, from, n int, r Rounding) (Vector, error) {
	return WindowIn(ctx, Vector{}, a, b, from, n, r)
}

// WindowIn is Window for a vector that has room for the greatest entry there may be, and the P of a and b: the product
// is as narrow as that one, and in its memory if it has n entries. What was in it is lost, also if there is an error.
// It may be the memory of a and b.
func WindowIn(ctx context.Context, room, a, b Vector, from, n int, r Rounding) (Vector, error) {
	total := a.n + b.n - 1
	if a.prec != b.prec || from < 0 || n < 1 || from+n > total {
		panic("convolve: internal error: operands or window do not match")
	}
	sumA, maxA := a.Sum(), a.Max()
	sumB, maxB := sumA, maxA
	if !same(a, b) {
		sumB, maxB = b.Sum(), b.Max()
	}
	if most := new(big.Int).Mul(sumA, sumB); most.Rsh(most, a.prec).Add(most, big.NewInt(1)).BitLen() > EntryBits(a.prec) {
		panic("convolve: internal error: the product does not fit its entries")
	}
	limit := greatest(sumA, maxA, sumB, maxB)
	if room.prec != a.prec || !room.Fits(Round(limit, a.prec, Up)) {
		room = Vector{}
	}
	if min(a.n, b.n) <= smallLen {
		return schoolbook(room, a, b, from, n, r), ctx.Err()
	}
	// A cyclic length N keeps the window free of aliases if no index of the window
	// is N away from another index of the product.
	size := cyclicLen(max(total-from, from+n, a.n, b.n))
	if size/radix(size) > 1<<maxLog {
		return Vector{}, ErrTooLong
	}
	ps := enough(limit)
	j := &job{a: a, b: b, from: from, n: n, r: r, room: room, size: size, u: unitFor(len(ps)), ps: ps,
		limbs: [2]int{limbsOf(maxA.BitLen()), limbsOf(maxB.BitLen())}}
	return j.run(ctx)
}

// greatest bounds the entries of a cyclic convolution of length N ≥ len(a), len(b) by the lesser one of max a·Σb and
// Σa·max b: entry i is Σ_j a_j·b_(i−j mod N), where j ↦ i − j mod N meets no index of b twice, nor one of a.
func greatest(sumA, maxA, sumB, maxB *big.Int) *big.Int {
	x, y := new(big.Int).Mul(maxA, sumB), new(big.Int).Mul(sumA, maxB)
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// schoolbook multiplies by Kronecker substitution: with slots wide enough for any
// entry, the product of Σ a_i·2^(si) and Σ b_j·2^(sj) holds the convolution in its slots.
func schoolbook(room, a, b Vector, from, n int, r Rounding) Vector {
	width := (a.words+b.words)*wordBits + bits.Len(uint(min(a.n, b.n)))
	slot := (width + wordBits - 1) / wordBits
	x := pack(a, slot)
	y := x
	if !same(a, b) {
		y = pack(b, slot)
	}
	prod := new(big.Int).Mul(x, y).Bits()
	c := room.first(n, a.prec)
	rest := fractions(n, r)
	t := new(big.Int)
	for k := range n {
		lo := min((from+k)*slot, len(prod))
		hi := min(lo+slot, len(prod))
		c.Set(k, Round(t.SetBits(prod[lo:hi:hi]), a.prec, r))
		if rest != nil {
			rest[k] = fractionOf(prod[lo:hi:hi], a.prec)
		}
	}
	carry(c, rest)
	return c
}

// pack returns Σ v_i·2^(64·slot·i).
func pack(v Vector, slot int) *big.Int {
	out := make([]big.Word, v.n*slot)
	for i := range v.n {
		copy(out[i*slot:(i+1)*slot], v.slot(i))
	}
	return new(big.Int).SetBits(out)
}
