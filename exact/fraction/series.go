// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import "math/bits"

// A Series is u + u²/2 + Σ_{k≥3} c_k·u^k, 0 ≤ c_k ≤ 1/k: e^u − 1 for c_k = 1/k!, and −log(1 − u) for
// c_k = 1/k. It holds c₃ … c₇, rounded down: the first three in two words, the others in one.
type Series struct {
	c3h, c3l, c4h, c4l, c5h, c5l, c6, c7 uint64
}

// seriesErr bounds the error of eval.
const seriesErr = 10

// Eval returns the series at u, low by [0, 10) ulps.
//
// Requires: u < 2^−24·(1 + 2^−5).
//
// With s_k = c_k + u·s_{k+1}, the result is u + u²·s₂. Lengths fall with the terms' size:
//
//	left out   c₈u⁸ + … < u⁸/8·(1 + 2^−23) < 0.17 ulp
//	s₆ = c₆ + u·c₇ in one word: c₆, the rest of u (times c₇) and the product are low by < 1 + 1/7 + 1
//	     units, c₇ by < 2^−23:  < 3·2^−64
//	s₅ in two words: s₆'s error times u, < 2^−86.5; c₅, the last word of u and the product: < 3·2^−128.  < 2^−86
//	s₄: s₅'s times u, < 2^−109.9; c₄, the last word and the product: < (1 + 1 + 3)·2^−128.  < 2^−109
//	s₃: s₄'s times u, < 2^−132; 5·2^−128 as before.  < 2^−125
//	s₂ = 1/2 + u·s₃: s₃'s times u, < 2^−148.9; the product: 6 ulps.  < 2^−148
//	u²·s₂: s₂'s times u², < 2^−195.9, below 0.07 ulp; u², 6 ulps, times s₂ < 0.51; the product: 6.
//
// 0.17 + 0.07 + 3.06 + 6 < 10.
func (c *Series) Eval(u Frac) Frac {
	s := c.Half(u)
	return Add(u, Mul(Mul(u, u), s))
}

// Half returns s₂, low by less than 2^−148.
func (c *Series) Half(u Frac) Frac {
	s6 := c.c6 + MulHi(u.Hi, c.c7)
	h, l := bits.Mul64(u.Hi, s6)
	l, carry := bits.Add64(l, MulHi(u.Mi, s6), 0)
	h += carry
	l, carry = bits.Add64(l, c.c5l, 0)
	h += c.c5h + carry
	h, l = Mul2(u.Hi, u.Mi, h, l)
	l, carry = bits.Add64(l, c.c4l, 0)
	h += c.c4h + carry
	h, l = Mul2(u.Hi, u.Mi, h, l)
	l, carry = bits.Add64(l, c.c3l, 0)
	h += c.c3h + carry
	s := Mul(u, Frac{h, l, 0})
	s.Hi += 1 << 63
	return s
}
