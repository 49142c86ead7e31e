// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "math/bits"

// A frac is the fraction (hi·2^128 + mi·2^64 + lo)·2^−192 in [0, 1). It is a struct
// since Go keeps short structs in registers, and arrays not.
type frac struct{ hi, mi, lo uint64 }

// add returns a + b modulo 1.
func add(a, b frac) frac {
	s, _ := addCarry(a, b)
	return s
}

// addCarry returns a + b modulo 1 and the carry.
func addCarry(a, b frac) (frac, uint64) {
	lo, c := bits.Add64(a.lo, b.lo, 0)
	mi, c := bits.Add64(a.mi, b.mi, c)
	hi, c := bits.Add64(a.hi, b.hi, c)
	return frac{hi, mi, lo}, c
}

// sub returns a − b modulo 1.
func sub(a, b frac) frac {
	d, _ := subBorrow(a, b)
	return d
}

// subBorrow returns a − b modulo 1 and the borrow.
func subBorrow(a, b frac) (frac, uint64) {
	lo, c := bits.Sub64(a.lo, b.lo, 0)
	mi, c := bits.Sub64(a.mi, b.mi, c)
	hi, c := bits.Sub64(a.hi, b.hi, c)
	return frac{hi, mi, lo}, c
}

func (a frac) isZero() bool { return a.hi|a.mi|a.lo == 0 }

// shr returns a·2^−k, low by [0, 1) ulp.
func (a frac) shr(k uint) frac {
	switch {
	case k < 64:
	case k < 128:
		a, k = frac{0, a.hi, a.mi}, k-64
	case k < 192:
		a, k = frac{0, 0, a.hi}, k-128
	default:
		return frac{}
	}
	return frac{a.hi >> (k & 63), a.mi>>(k&63) | a.hi<<1<<(^k&63), a.lo>>(k&63) | a.mi<<1<<(^k&63)}
}

// shl returns a·2^k modulo 1.
func (a frac) shl(k uint) frac {
	switch {
	case k < 64:
	case k < 128:
		a, k = frac{a.mi, a.lo, 0}, k-64
	case k < 192:
		a, k = frac{a.lo, 0, 0}, k-128
	default:
		return frac{}
	}
	return frac{a.hi<<(k&63) | a.mi>>1>>(^k&63), a.mi<<(k&63) | a.lo>>1>>(^k&63), a.lo << (k & 63)}
}

// leadingZeros returns the number of zero bits after the binary point, at most 192.
func (a frac) leadingZeros() uint {
	switch {
	case a.hi != 0:
		return uint(bits.LeadingZeros64(a.hi))
	case a.mi != 0:
		return 64 + uint(bits.LeadingZeros64(a.mi))
	}
	return 128 + uint(bits.LeadingZeros64(a.lo))
}

// mul returns a·b, low by [0, 6) ulps.
//
// Of the nine products of words, left out are the lower words of the three of weight 2^−256,
// less than one ulp each, and all words of weight 2^−320 and 2^−384, less than 1, 1 and
// 2^−64 ulps: 5 + 2^−64 in all.
func mul(a, b frac) frac {
	h20, _ := bits.Mul64(a.hi, b.lo)
	h11, _ := bits.Mul64(a.mi, b.mi)
	h02, _ := bits.Mul64(a.lo, b.hi)
	h21, l21 := bits.Mul64(a.hi, b.mi)
	h12, l12 := bits.Mul64(a.mi, b.hi)
	h22, l22 := bits.Mul64(a.hi, b.hi)
	s, c1 := bits.Add64(h20, h11, 0)
	s, c2 := bits.Add64(s, h02, 0)
	lo, c := bits.Add64(l21, l12, 0)
	mi, hi := bits.Add64(h21, h12, c)
	lo, c = bits.Add64(lo, s, 0)
	mi, c = bits.Add64(mi, c1+c2, c)
	hi += c
	mi, c = bits.Add64(mi, l22, 0)
	return frac{h22 + hi + c, mi, lo}
}

// mul2 returns (ah, al)·(bh, bl) for fractions of two words, low by [0, 3) of their
// units: the lower words of two products are left out, and a product of lower words.
func mul2(ah, al, bh, bl uint64) (hi, lo uint64) {
	h1, _ := bits.Mul64(ah, bl)
	h2, _ := bits.Mul64(al, bh)
	hi, lo = bits.Mul64(ah, bh)
	s, c1 := bits.Add64(h1, h2, 0)
	lo, c := bits.Add64(lo, s, 0)
	return hi + c1 + c, lo
}

// mulHi returns ⌊a·b/2^64⌋.
func mulHi(a, b uint64) uint64 {
	h, _ := bits.Mul64(a, b)
	return h
}

// quo returns a/b, low by [0, 1) ulp.
//
// Requires: a < b, b ≥ 1/2.
//
// Long division with words for digits [Knuth, TAOCP 2, 4.3.1, Algorithm D]. Before each digit
// 0 ≤ r < b. The digit ⌊r·2^64/b⌋ is estimated by the leading words of r and b: since b ≥ 1/2, the estimate
// is not below it and at most 2 above (Theorem B), and is put right by adding b back.
func quo(a, b frac) frac {
	r, q2 := quoDigit(a, b)
	r, q1 := quoDigit(r, b)
	_, q0 := quoDigit(r, b)
	return frac{q2, q1, q0}
}

// quoDigit returns q = ⌊r·2^64/b⌋ and r·2^64 − q·b < b.
func quoDigit(r, b frac) (frac, uint64) {
	q := ^uint64(0)
	if r.hi < b.hi {
		q, _ = bits.Div64(r.hi, r.mi, b.hi)
	}
	// r·2^64 − q·b in four words; a negative difference is one modulo 2^256.
	h0, l0 := bits.Mul64(q, b.lo)
	h1, l1 := bits.Mul64(q, b.mi)
	h2, l2 := bits.Mul64(q, b.hi)
	l1, c := bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	h2 += c
	lo, c := bits.Sub64(0, l0, 0)
	mi, c := bits.Sub64(r.lo, l1, c)
	hi, c := bits.Sub64(r.mi, l2, c)
	top, _ := bits.Sub64(r.hi, h2, c)
	d := frac{hi, mi, lo}
	for top != 0 {
		q--
		d, c = addCarry(d, b)
		top += c
	}
	return d, q
}
