// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package convolve multiplies vectors of non-negative fixed-point numbers
// exactly. There is no rounding error at all: products are integers modulo
// several primes, put together by the Chinese remainder theorem, and every entry
// is rounded once, in the direction that the caller asks for.
//
// Every product is checked against an evaluation modulo one more prime, so that a
// broken compiler, core or memory cell is reported instead of certified.
//
// Where the processor has AVX-512 IFMA, or AVX2 and FMA, residues are computed eight or four at a time, modulo
// primes below 2^50 in the place of 2^62. The answers are the same, bit by bit: nothing depends on the
// primes. GODEBUG=cpu.avx512ifma=off leaves out the first, cpu.avx2=off the second, and the build tag purego both.
//
// Memory: a product of cyclic length N with k primes takes 8·N·k bytes beside its
// operands and its result; roots of unity add 8·N·k bytes, or 2·N·k with vectors, kept for
// later products. A vector takes 8·(⌊P/64⌋ + 1) bytes per entry.
package convolve

import (
	"context"
	"errors"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Rounding is how the entries of a product are rounded to P fraction bits.
type Rounding int

// The roundings.
const (
	Down Rounding = iota
	Up
	// Sums rounds down what entries add up to, from the first to any other: what is cut off from
	// an entry, to 64 bits more, is added to the next one. See carry.
	Sums
)

// ErrSelfCheck reports that a product failed its check: this machine computes
// wrongly.
var ErrSelfCheck = errors.New("convolve: internal error: a product failed its self-check; this machine computes wrongly")

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

// WindowIn is Window for a vector that has room for the greatest entry there may be, and the P of a and b: the product is
// as narrow as that one, and in its memory if it has n entries. What was in it is lost, also if there is an error. It may
// be the memory of a and b.
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
	if room.prec != a.prec || !room.Fits(round(limit, a.prec, Up)) {
		room = Vector{}
	}
	if min(a.n, b.n) <= smallLen {
		return schoolbook(room, a, b, from, n, r), ctx.Err()
	}
	// A cyclic length N keeps the window free of aliases if no index of the window
	// is N away from another index of the product.
	j := &job{a: a, b: b, from: from, n: n, r: r, room: room, size: cyclicLen(max(total-from, from+n, a.n, b.n)), bits: [2]int{maxA.BitLen(), maxB.BitLen()}}
	if j.size/radix(j.size) > 1<<maxLog {
		return Vector{}, ErrTooLong
	}
	if v := j.vectors(limit); v != nil {
		return v.run(ctx)
	}
	j.ps = enough(limit)
	return j.run(ctx)
}

// cyclicLen returns the least 2^k, 3·2^k or 5·2^k ≥ n, for n > 16.
func cyclicLen(n int) int {
	k := bits.Len(uint(n - 1))
	for _, size := range []int{5 << (k - 3), 3 << (k - 2)} {
		if size >= n {
			return size
		}
	}
	return 1 << k
}

// radix returns the odd part of a cyclic length.
func radix(size int) int { return size >> bits.TrailingZeros(uint(size)) }

// greatest bounds the entries of a cyclic convolution of length N ≥ len(a), len(b) by the lesser one of max a·Σb and Σa·max
// b: entry i is Σ_j a_j·b_(i−j mod N), where j ↦ i − j mod N meets no index of b twice, nor one of a.
func greatest(sumA, maxA, sumB, maxB *big.Int) *big.Int {
	x, y := new(big.Int).Mul(maxA, sumB), new(big.Int).Mul(sumA, maxB)
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// enough returns primes whose product exceeds the limit by a quarter and more.
func enough(limit *big.Int) []*prime {
	limit = new(big.Int).Add(limit, new(big.Int).Rsh(limit, 2))
	prod := big.NewInt(1)
	for k := 1; ; k++ {
		ps := primes(k)
		if prod.Mul(prod, new(big.Int).SetUint64(ps[k-1].p)); prod.Cmp(limit) > 0 {
			return ps
		}
	}
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
		c.Set(k, round(t.SetBits(prod[lo:hi:hi]), a.prec, r))
		if rest != nil {
			rest[k] = fractionOf(prod[lo:hi:hi], a.prec)
		}
	}
	carry(c, rest)
	return c
}

// round returns x/2^prec, rounded.
func round(x *big.Int, prec uint, r Rounding) *big.Int {
	z := new(big.Int).Rsh(x, prec)
	if r == Up && x.Sign() > 0 && x.TrailingZeroBits() < prec {
		z.Add(z, big.NewInt(1))
	}
	return z
}

func same(a, b Vector) bool {
	return a.n == b.n && len(a.data) > 0 && &a.data[0] == &b.data[0]
}

// pack returns Σ v_i·2^(64·slot·i).
func pack(v Vector, slot int) *big.Int {
	out := make([]big.Word, v.n*slot)
	for i := range v.n {
		copy(out[i*slot:(i+1)*slot], v.slot(i))
	}
	return new(big.Int).SetBits(out)
}

// long is the number of bytes of residues from which on a product is a long one.
const long = 1 << 25

// release gives back what earlier products left behind, which would double the memory of long ones. It holds
// no pointers, so that collecting it takes no time to speak of.
func release() { debug.FreeOSMemory() }

// A job is one product by transforms.
type job struct {
	a, b    Vector
	from, n int
	r       Rounding
	rest    []uint64 // what is cut off from the entries of the window, if it is carried
	size    int      // N
	room    Vector   // what the product may be stored in, or no entries
	bits    [2]int   // of the greatest entries of a and of b
	ps      []*prime
	res     [][]uint64 // residues, one slice of N entries for each prime
}

// fractions has room for what is cut off from n entries, if it is carried.
func fractions(n int, r Rounding) []uint64 {
	if r != Sums {
		return nil
	}
	return make([]uint64, n)
}

// restBytes is how much memory that takes.
func (j *job) restBytes() int64 {
	if j.r != Sums {
		return 0
	}
	return 8 * int64(j.n)
}

func (j *job) run(ctx context.Context) (Vector, error) {
	if err := j.checkMemory(ctx); err != nil {
		return Vector{}, err
	}
	if 8*j.size*len(j.ps) >= long {
		release()
	}
	j.res = make([][]uint64, len(j.ps))
	if err := Parallel(ctx, len(j.ps), func(i int) { j.res[i] = j.cyclic(j.ps[i]) }); err != nil {
		return Vector{}, err
	}
	return j.combine(ctx)
}

// Parallel calls f(0) … f(n−1) on all cores, until ctx ends.
func Parallel(ctx context.Context, n int, f func(int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// cyclic returns the cyclic convolution modulo one prime, in [0, 2p), times 2^(k−64) for
// N = r·2^k.
func (j *job) cyclic(m *prime) []uint64 {
	r := radix(j.size)
	w := m.roots(max(j.size/r/2, 1))
	transform := func(v Vector) []uint64 {
		x := make([]uint64, j.size)
		m.load(x, v)
		m.forward(x, 0, r, w)
		return x
	}
	x := transform(j.a)
	if same(j.a, j.b) {
		m.squareBlocks(x, r, w)
	} else {
		m.multiplyBlocks(x, transform(j.b), r, w)
	}
	m.inverse(x, 0, r, w)
	return x
}

// load sets x_i to v_i modulo p, in [0, 2p): the sum over words of word k times 2^(64k).
func (m *prime) load(x []uint64, v Vector) {
	p, twoP := m.p, m.twoP
	words := v.Words()
	powers := make([]twiddle, words)
	word := m.power(wordBits)
	for k, w := 0, uint64(1); k < words; k++ {
		powers[k] = m.shoup(w)
		w = m.mul(w, word)
	}
	x = x[:v.n]
	switch words {
	case 1:
		for i := range x {
			x[i] = mulShoup(uint64(v.data[i]), powers[0], p)
		}
	case 2:
		t0, t1 := powers[0], powers[1]
		data := v.data[:2*len(x)]
		for i := range x {
			r := mulShoup(uint64(data[2*i]), t0, p) + mulShoup(uint64(data[2*i+1]), t1, p)
			if r >= twoP {
				r -= twoP
			}
			x[i] = r
		}
	case 3:
		t0, t1, t2 := powers[0], powers[1], powers[2]
		data := v.data[:3*len(x)]
		for i := range x {
			r := mulShoup(uint64(data[3*i]), t0, p) + mulShoup(uint64(data[3*i+1]), t1, p)
			if r >= twoP {
				r -= twoP
			}
			if d := data[3*i+2]; d != 0 { // the top word of few entries
				r += mulShoup(uint64(d), t2, p)
				if r >= twoP {
					r -= twoP
				}
			}
			x[i] = r
		}
	default:
		for i := range x {
			r := uint64(0)
			for k, d := range v.data[i*words : (i+1)*words] {
				if d == 0 {
					continue // the top word of most entries
				}
				r += mulShoup(uint64(d), powers[k], p)
				if r >= twoP {
					r -= twoP
				}
			}
			x[i] = r
		}
	}
}

// power returns 2^n mod p.
func (m *prime) power(n uint64) uint64 { return m.pow(2, n) }

// selfCheckPoint returns a random N-th root of unity modulo the check prime, at
// which cyclic convolution is multiplication.
func selfCheckPoint(q *prime, n int) uint64 {
	return q.pow(q.root(n), rand.Uint64())
}
