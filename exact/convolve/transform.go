// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math/bits"

// The number-theoretic transform maps a polynomial modulo x^N − 1 to its remainders modulo
// x^8 − c, in an order that is the same for all inputs, so that products can be taken block by block.
//
// A block of length L stands for a polynomial modulo x^L − s². It splits into the
// halves modulo x^(L/2) − s and x^(L/2) + s: from a₀ + a₁·x^(L/2) to a₀ ± s·a₁. Block b of
// a level of a power of two has s = W[b], W[0] = 1, W[2b] = √W[b], W[2b+1] = √−1·W[2b]: a table that does
// not depend on the level or on N, in "bit-reversed" order. No permutation of the
// entries is ever needed.
//
// A transform of length r·2^k, r = 1, 3 or 5, first splits into r polynomials modulo x^K −
// ω^i, K = 2^k, ω of order r. These are halved as above, with ω^e·W[b] in the place of
// W[b], where e at the first level is i/2 modulo r, and half as much at every level that
// follows: (ω^e)² is the constant that is split. It stops at blocks of 8, polynomials modulo
// x^8 − c, which are multiplied by the schoolbook method: that costs no more than three more
// levels would, and the tables of roots are an eighth as long.
//
// Kernels compute with residues modulo a prime p < 2^50: one at a time in words.go; eight at a time by
// the 52-bit products of AVX-512 IFMA, which give ⌊xy/2^52⌋ and xy mod 2^52 for x, y < 2^52; or four
// at a time, by the doubles of AVX2: see doubles.go, which has its own ranges.
//
// # Ranges of words and of IFMA
//
// A row says what a kernel takes and gives, and each line of it what the intermediates are (lazy representatives:
// Harvey 2014). As 4p < 2^52, everything below 4p is a factor of an exact product.
//
//   - MULSHOUP(x, w): x < 2^52, w < p. With w′ = ⌊w·2^52/p⌋ and q = ⌊x·w′/2^52⌋: 0 ≤ xw/p − q <
//     x/2^52 + 1 < 2, so xw − qp is in [0, 2p), and below 2^52, so that its low 52 bits are all of it:
//     xw mod 2^52 + q·(2^52 − p) mod 2^52, which is below 2^53, modulo 2^52.
//   - REDUCE(x, b): x, b < 2^63; x − b if x ≥ b, and x otherwise. From [0, 2b) to [0, b).
//   - MINUS(x, y) = x − y + 2p: x, y < 2p to (0, 4p).
//   - split2, split4: [0, 4p) to [0, 4p). u below 2p after REDUCE, v = MULSHOUP below 2p: u + v and
//     u − v + 2p are below 4p. split4 does that twice.
//   - join2, join4: [0, 2p) to [0, 2p). A sum is below 4p and reduced by 2p; a difference is in
//     (0, 4p) and goes through MULSHOUP.
//   - radix3: [0, 2p) to [0, 4p). y_0 = x_0 + s, y_1 = x_0 + cs + ed, y_2 = x_0 + cs − ed for s = x_1 +
//     x_2, d = x_1 − x_2, c = (ω + ω²)/2, e = (ω − ω²)/2. s and d + 2p are below 4p; s, cs, ed and x_0 +
//     cs are below 2p once reduced.
//   - radix5: [0, 2p) to [0, 4p). With s_1 = x_1 + x_4, s_2 = x_2 + x_3, d_1 = x_1 − x_4, d_2 = x_2 −
//     x_3, c_i = (ω^i + ω^−i)/2, e_i = (ω^i − ω^−i)/2: y_1, y_4 = x_0 + c_1·s_1 + c_2·s_2 ± (e_1·d_1 +
//     e_2·d_2); y_2, y_3 = x_0 + c_2·s_1 + c_1·s_2 ± (e_2·d_1 − e_1·d_2). Every sum of two is below 4p,
//     and reduced below 2p before the next.
//   - multiply: [0, 4p) to [0, 2p), times 2^−52. u, v and c·v mod p are brought below p (−c·v: at most
//     p). An entry is the sum S of 8 products of two numbers ≤ p, S ≤ 8p²: low halves add up below 8·2^52,
//     high halves below 8p²/2^52 < 2p, as p < 2^50. With the carry of the low half, S = h·2^52 + l, l <
//     2^52, h < 2p. For k = l·p^−1 mod 2^52, kp has the low half l, so (S − kp)/2^52 = h − ⌊kp/2^52⌋ ∈
//     (−p, 2p); plus p it is in (0, 3p), and REDUCE by 2p brings it into [0, 2p).
//   - load: Σ limb_k·2^(52k) to [0, 2p): each product is below 2p, the sum reduced each time.
//   - horner: acc·z + x, acc and x in [0, 2p), reduced by 2p.
//   - crt: see crt.go.

// leaf is the length up to which a transform goes level by level: 2048 words stay in
// the first-level cache.
const leaf = 2048

// A transform is a transform of one prime: the length is r·k.
type transform struct {
	u *unit
	m *prime
	r int
	t *rootTables
}

func (u *unit) transform(m *prime, size int) transform {
	r := radix(size)
	return transform{u, m, r, m.roots(r, size/r/(2*lanes))}
}

// halve returns e/2 modulo r.
func (f transform) halve(e int) int { return e * (f.r + 1) / 2 % f.r }

// forward transforms x, for multiply.
func (f transform) forward(x []uint64) {
	h := len(x) / f.r
	switch f.r {
	case 3:
		f.u.radix3(x, h, f.t.c, &f.m.constants)
	case 5:
		f.u.radix5(x, h, f.t.c, &f.m.constants)
	}
	for i := range f.r {
		f.down(x[i*h:(i+1)*h], 0, f.halve(i))
	}
}

// inverse undoes forward up to the factor len(x)/8.
func (f transform) inverse(x []uint64) {
	h := len(x) / f.r
	for i := range f.r {
		f.up(x[i*h:(i+1)*h], 0, f.halve(i))
	}
	switch f.r {
	case 3:
		f.u.radix3(x, h, f.t.cInv, &f.m.constants)
	case 5:
		f.u.radix5(x, h, f.t.cInv, &f.m.constants)
	}
}

// down transforms a, block b of its level, which splits by ω^e·W[b].
func (f transform) down(a []uint64, b, e int) {
	if len(a) > leaf {
		g := f.halve(e)
		f.u.split4(a, len(a)/4, f.t.down[e][b:], f.t.down[g][2*b:], &f.m.constants)
		q := len(a) / 4
		for i := range 4 {
			f.down(a[i*q:(i+1)*q], 4*b+i, f.halve(g))
		}
		return
	}
	l := len(a)
	if odd(l) {
		f.u.split2(a, l/2, f.t.down[e][b:], &f.m.constants)
		l, b, e = l/2, 2*b, f.halve(e)
	}
	for ; l > lanes; l, b = l/4, 4*b {
		g := f.halve(e)
		f.u.split4(a, l/4, f.t.down[e][b:], f.t.down[g][2*b:], &f.m.constants)
		e = f.halve(g)
	}
}

// odd reports whether a block of length l is an odd number of levels above blocks of 8.
func odd(l int) bool {
	levels := 0
	for ; l > lanes; l /= 2 {
		levels++
	}
	return levels&1 == 1
}

// up undoes down: the same levels backwards.
func (f transform) up(a []uint64, b, e int) {
	g := f.halve(e)
	if len(a) > leaf {
		q := len(a) / 4
		for i := range 4 {
			f.up(a[i*q:(i+1)*q], 4*b+i, f.halve(g))
		}
		f.u.join4(a, q, f.t.up[e][b:], f.t.up[g][2*b:], &f.m.constants)
		return
	}
	l := len(a)
	if odd(l) {
		f.joins(a, l/2, 2*b, g)
		f.u.join2(a, l/2, f.t.up[e][b:], &f.m.constants)
		return
	}
	f.joins(a, l, b, e)
}

// joins undoes the levels of blocks of length l, an even number of levels above blocks of 8,
// and all that follow. Block b is the first.
func (f transform) joins(a []uint64, l, b, e int) {
	if l == lanes {
		return
	}
	g := f.halve(e)
	f.joins(a, l/4, 4*b, f.halve(g))
	f.u.join4(a, l/4, f.t.up[e][b:], f.t.up[g][2*b:], &f.m.constants)
}

// multiply sets x to the products of its blocks with the blocks of y, which may be x, times 2^−52 with IFMA.
func (f transform) multiply(x, y []uint64) {
	h := len(x) / f.r
	for i := range f.r {
		e := f.halve(i)
		for l := h; l > 2*lanes; l /= 2 {
			e = f.halve(e)
		}
		f.u.multiply(x[i*h:(i+1)*h], y[i*h:(i+1)*h], f.t.down[e], &f.m.constants)
	}
}

// least is the least cyclic length. Blocks come in pairs: N/r ≥ 16.
const least = 128

// cyclicLen returns the least 2^k, 3·2^k or 5·2^k ≥ n, and 128.
func cyclicLen(n int) int {
	n = max(n, least)
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
