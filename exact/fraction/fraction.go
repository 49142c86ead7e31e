// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fraction has fractions of three machine words, and e^x and log x of them: integers below 2^192, in units of
// 2^−192, an ulp. Each function adds up positive terms that are rounded down, so that every error has one sign and its
// bound is a count: "low by [0, n)" means computed ≤ true < computed + n ulps. The counts are proved beside the code.
//
// exact/interval rounds to them, and the kernels of exact/fixed are made of them. Nothing here depends on the machine:
// there are no floating-point numbers and no assembly, only math/bits.
package fraction

import (
	"math/big"
	"math/bits"
)

// A Frac is the fraction (hi·2^128 + mi·2^64 + lo)·2^−192 in [0, 1). It is a struct
// since Go keeps short structs in registers, and arrays not.
type Frac struct{ Hi, Mi, Lo uint64 }

// Make returns the fraction of three words.
func Make(hi, mi, lo uint64) Frac { return Frac{hi, mi, lo} }

// Add returns a + b modulo 1.
func Add(a, b Frac) Frac {
	s, _ := AddCarry(a, b)
	return s
}

// AddCarry returns a + b modulo 1 and the carry.
func AddCarry(a, b Frac) (Frac, uint64) {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	mi, c := bits.Add64(a.Mi, b.Mi, c)
	hi, c := bits.Add64(a.Hi, b.Hi, c)
	return Frac{hi, mi, lo}, c
}

// Sub returns a − b modulo 1.
func Sub(a, b Frac) Frac {
	d, _ := SubBorrow(a, b)
	return d
}

// SubBorrow returns a − b modulo 1 and the borrow.
func SubBorrow(a, b Frac) (Frac, uint64) {
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	mi, c := bits.Sub64(a.Mi, b.Mi, c)
	hi, c := bits.Sub64(a.Hi, b.Hi, c)
	return Frac{hi, mi, lo}, c
}

// IsZero reports whether a = 0.
func (a Frac) IsZero() bool { return a.Hi|a.Mi|a.Lo == 0 }

// Shr returns a·2^−k, low by [0, 1) ulp.
func (a Frac) Shr(k uint) Frac {
	switch {
	case k < 64:
	case k < 128:
		a, k = Frac{0, a.Hi, a.Mi}, k-64
	case k < 192:
		a, k = Frac{0, 0, a.Hi}, k-128
	default:
		return Frac{}
	}
	return Frac{a.Hi >> (k & 63), a.Mi>>(k&63) | a.Hi<<1<<(^k&63), a.Lo>>(k&63) | a.Mi<<1<<(^k&63)}
}

// Shl returns a·2^k modulo 1.
func (a Frac) Shl(k uint) Frac {
	switch {
	case k < 64:
	case k < 128:
		a, k = Frac{a.Mi, a.Lo, 0}, k-64
	case k < 192:
		a, k = Frac{a.Lo, 0, 0}, k-128
	default:
		return Frac{}
	}
	return Frac{a.Hi<<(k&63) | a.Mi>>1>>(^k&63), a.Mi<<(k&63) | a.Lo>>1>>(^k&63), a.Lo << (k & 63)}
}

// LeadingZeros returns the number of zero bits after the binary point, at most 192.
func (a Frac) LeadingZeros() uint {
	switch {
	case a.Hi != 0:
		return uint(bits.LeadingZeros64(a.Hi))
	case a.Mi != 0:
		return 64 + uint(bits.LeadingZeros64(a.Mi))
	}
	return 128 + uint(bits.LeadingZeros64(a.Lo))
}

// Mul returns a·b, low by [0, 6) ulps.
//
// Of the nine products of words, left out are the lower words of the three of weight 2^−256,
// less than one ulp each, and all words of weight 2^−320 and 2^−384, less than 1, 1 and
// 2^−64 ulps: 5 + 2^−64 in all.
func Mul(a, b Frac) Frac {
	h20, _ := bits.Mul64(a.Hi, b.Lo)
	h11, _ := bits.Mul64(a.Mi, b.Mi)
	h02, _ := bits.Mul64(a.Lo, b.Hi)
	h21, l21 := bits.Mul64(a.Hi, b.Mi)
	h12, l12 := bits.Mul64(a.Mi, b.Hi)
	h22, l22 := bits.Mul64(a.Hi, b.Hi)
	s, c1 := bits.Add64(h20, h11, 0)
	s, c2 := bits.Add64(s, h02, 0)
	lo, c := bits.Add64(l21, l12, 0)
	mi, hi := bits.Add64(h21, h12, c)
	lo, c = bits.Add64(lo, s, 0)
	mi, c = bits.Add64(mi, c1+c2, c)
	hi += c
	mi, c = bits.Add64(mi, l22, 0)
	return Frac{h22 + hi + c, mi, lo}
}

// Mul2 returns (ah, al)·(bh, bl) for fractions of two words, low by [0, 3) of their
// units: the lower words of two products are left out, and a product of lower words.
func Mul2(ah, al, bh, bl uint64) (hi, lo uint64) {
	h1, _ := bits.Mul64(ah, bl)
	h2, _ := bits.Mul64(al, bh)
	hi, lo = bits.Mul64(ah, bh)
	s, c1 := bits.Add64(h1, h2, 0)
	lo, c := bits.Add64(lo, s, 0)
	return hi + c1 + c, lo
}

// MulHi returns ⌊a·b/2^64⌋.
func MulHi(a, b uint64) uint64 {
	h, _ := bits.Mul64(a, b)
	return h
}

// Quo returns a/b, low by [0, 1) ulp.
//
// Requires: a < b, b ≥ 1/2.
//
// Long division with words for digits [Knuth, TAOCP 2, 4.3.1, Algorithm D]. Before each digit
// 0 ≤ r < b. The digit ⌊r·2^64/b⌋ is estimated by the leading words of r and b: since b ≥ 1/2, the estimate
// is not below it and at most 2 above (Theorem B), and is put right by adding b back.
func Quo(a, b Frac) Frac {
	r, q2 := quoDigit(a, b)
	r, q1 := quoDigit(r, b)
	_, q0 := quoDigit(r, b)
	return Frac{q2, q1, q0}
}

// quoDigit returns q = ⌊r·2^64/b⌋ and r·2^64 − q·b < b.
func quoDigit(r, b Frac) (Frac, uint64) {
	q := ^uint64(0)
	if r.Hi < b.Hi {
		q, _ = bits.Div64(r.Hi, r.Mi, b.Hi)
	}
	// r·2^64 − q·b in four words; a negative difference is one modulo 2^256.
	h0, l0 := bits.Mul64(q, b.Lo)
	h1, l1 := bits.Mul64(q, b.Mi)
	h2, l2 := bits.Mul64(q, b.Hi)
	l1, c := bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	h2 += c
	lo, c := bits.Sub64(0, l0, 0)
	mi, c := bits.Sub64(r.Lo, l1, c)
	hi, c := bits.Sub64(r.Mi, l2, c)
	top, _ := bits.Sub64(r.Hi, h2, c)
	d := Frac{hi, mi, lo}
	for top != 0 {
		q--
		d, c = AddCarry(d, b)
		top += c
	}
	return d, q
}

// Of returns n·2^−192 for 0 ≤ n < 2^192.
func Of(n *big.Int) Frac {
	var w [3]uint64
	for i, d := range n.Bits() {
		w[i*bits.UintSize/64] |= uint64(d) << (i * bits.UintSize % 64)
	}
	return Frac{w[2], w[1], w[0]}
}
