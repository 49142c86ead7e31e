// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math"

// The transform of transform.go in doubles: four residues at a time, by fused multiply-add. A
// residue is an integer x, |x| < 2p, in a double; p is below 2^50 and above 2^48, and odd. Primes, tables of
// roots and the order of entries are the same as in transform.go, and so are the integers in the end.
//
// # Exactness
//
// Doubles hold every integer up to 2^53; rounding is to nearest. Let d(y) be y rounded to a double.
//
//   - TWIDDLE: w < p < 2^52 is a double, and so is WQ = (q + 1/2)·2^−52 = (2q + 1)·2^−53 for q = ⌊w·2^52/p⌋ < 2^52, as
//     2q + 1 < 2^53. It is 1 + q·2^−52 less 1 − 2^−53, one exact subtraction. |WQ − w/p| ≤ 2^−53, as
//     w·2^52/p − q is in [0, 1).
//   - ROUND: for |y| < 2^51, d(1.5·2^52 + y) is in [2^52, 2^53), where doubles are the integers, so that it
//     is 1.5·2^52 plus the integer next to y; that less 1.5·2^52 is exact. For 0 ≤ y < 2^52, 2^52 does the same. As y
//     is the product of a fused multiply-add, it is not rounded before.
//   - MULMOD(x, w): |x| ≤ 2p < 2^51, 0 ≤ w < p, to |r| < 3p/4. |x·WQ| < 2^51, so Q = ROUND(x·WQ) has |Q − xw/p| ≤ 1/2 +
//     |x|·2^−53 < 1/2 + p·2^−52 < 3/4. h = d(xw) is an integer, and l = xw − h is one of |l| ≤ 2^48, as |xw| < 2^101: a
//     fused multiply-add gives l exactly. h − Qp = (xw − Qp) − l is an integer below 3p/4 + 2^48 < 2^50 + 2^48, so that
//     the fused multiply-add that makes it is exact, and so is the sum of it and l, r = xw − Qp. The same for −w and
//     −WQ.
//   - BALANCE(x): |x| ≤ 2^52 to |r| ≤ (p − 1)/2, which is the residue of least absolute value. 1/p is rounded: it is
//     off by less than 2^−53/p. So Q = ROUND(x/p) has |Q − x/p| ≤ 1/2 + |x|·2^−53/p ≤ 1/2 + 1/(2p), where equality is
//     left out as p is no power of 2: |x − Qp| < (p + 1)/2, and p is odd. For |x| < 2^53 the same gives |r| < p/2 + 1.
//
// # Ranges
//
// A row says what a kernel takes and gives. All sums are integers below 2^53.
//
//   - split2, split4: |x| < 2p to < 2p. u ≤ p/2 after BALANCE, v < 3p/4 after MULMOD: sums are below 5p/4. The second
//     level of split4 adds to that less than 3p/4.
//   - join2, join4: |x| ≤ p to ≤ p. A sum ≤ 2p is balanced; a difference ≤ 2p goes through MULMOD, below 3p/4. In the
//     second level of join4, the sum of two balanced ones is below p, the sum of two products below 3p/2, and balanced;
//     differences, which are no greater, go through MULMOD.
//   - radix3: |x| ≤ p to < 2p. s, d ≤ 2p; y_0 = x_0 + BALANCE(s) < 2p; x_0 + cs < 7p/4 is balanced, ± ed below 5p/4.
//   - radix5: |x| ≤ p to < 2p. s_1 + s_2 ≤ 4p < 2^52 is balanced, y_0 < 2p; x_0 and two products, below 5p/2 < 2^52,
//     are balanced, ± two products, below p/2 + 3p/2.
//   - multiply: |x| < 2p to ≤ p. u, v and c·v are balanced. An entry is the sum S of 8 products of two numbers ≤ (p −
//     1)/2, |S| ≤ 2(p − 1)² < 2^101 − 2^53. A starts at 1.5·2^102 and stays between 2^102 and 2^103, where doubles are
//     multiples of 2^50: with every product it grows by a multiple of 2^50, which is exactly the difference from what
//     it was before, and leaves at most 2^49 of the product, which a fused multiply-add gives exactly. 8 of these add
//     up to |L| ≤ 2^52, all exact. H = A − 1.5·2^102, |H| ≤ |S| + 2^52 < 2^101. With 1/p and the product rounded, Q is
//     off from H/p by at most 1/2 + |H|/p·2^−52·(1 + 2^−53) < 1/2 + 9/16, as |H|/p < 2p + 8 < 2^51 + 8; so |H − Qp| <
//     17p/16 < 2^51 is exact, H − Qp + L is below 2^51 + 2^52, and BALANCE brings it to p/2 + 1 at most.
//   - load: Σ limb_k·2^(52k) to < p/2. A limb is below 2^52: Q is off by at most 1/2 + 1/2, and limb·w − Qp by p. l ≤
//     2^49 as limb·w < 2^102. The sum is balanced each time.
//   - horner: acc·z + x, |acc| < 2p, |x| < p/2 to < 5p/4.
//   - crt: below.
//
// # The Chinese remainder theorem
//
// As in crt.go, X = Σ y_i·M_i + c·(2^(52·limbs) − M) modulo 2^(52·limbs). y_i = MULMOD + p is in (p/4, 7p/4). c = ⌊1/8
// + Σ y_i/p_i⌋: up to 512 terms below 2, each with an error of 2^−51, and sums below 2^11, each rounded by at most
// 2^−43, are off by less than 2^−33, below the 1/16 that crt.go allows.
//
// Products of a digit y < 2^51 and a cofactor's limb m < 2^52 are added in two parts: t = d(2^103 + ym) is in [2^103,
// 2^104), where doubles are multiples of 2^51, so that its bits are the bits of 2^103 plus an integer η ≤ 2^52, ym =
// η·2^51 + λ, |λ| ≤ 2^50. 2^103 + 3·2^51 is a double, and that less t is 3·2^51 − η·2^51, a multiple of 2^51 below
// 2^104 and exact. ym added to it, fused, is 1.5·2^52 + λ, whose bits are the bits of 1.5·2^52 plus λ. So the bits are
// added as integers modulo 2^64, and 513 times the bits of 2^103 and 1.5·2^52 are subtracted at the start: 0 ≤ Σ η <
// 2^62 and |Σ λ| < 2^60 remain. Limb k takes Σ λ + (Σ η mod 2)·2^51 and the carry, to which 2^62 is added while it is
// cut at 52 bits, so that it is not negative; ⌊Σ η/2⌋ and the rest, less 2^10, are the next carry, below 2^62.
//
// The value modulo the check's prime q < 2^49: a limb below 2^52 times a power below q, h + l, h < 2^101. Q = h·(1/q),
// rounded three times, is off from it by at most 1/2 + 3/2 and a little; what remains is below 3q, with the sum so far
// below 2^52, and balanced. z^8·Σ as in horner.

// toDoubles makes the constants what crtfma takes: cofactors and powers are doubles, and so are the constants of a
// prime, 1/M_i mod p_i, corrected; (q + 1/2)·2^−52 for its quotient q; p; and 1/p.
func (c *remainders) toDoubles(ps []*prime) {
	for i, k := range c.constants {
		p := float64(ps[i].p)
		c.constants[i] = [4]uint64{
			math.Float64bits(float64(k[0])), math.Float64bits(math.Ldexp(float64(2*k[1]+1), -53)), math.Float64bits(p),
			math.Float64bits(1 / p),
		}
	}
	for _, list := range [][]uint64{c.cofactors, c.powers} {
		for i, x := range list {
			list[i] = math.Float64bits(float64(x))
		}
	}
}
