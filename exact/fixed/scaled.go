// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/bits"

	"dpverify/exact/fraction"
)

// Scaled is a number of units 2^−prec, in three words: what a Real is rounded to, in one direction.
type Scaled struct{ n frac }

// ScaledOf returns hi·2^128 + mi·2^64 + lo.
func ScaledOf(hi, mi, lo uint64) Scaled { return Scaled{fraction.Make(hi, mi, lo)} }

// Words returns a = hi·2^128 + mi·2^64 + lo.
func (a Scaled) Words() (hi, mi, lo uint64) { return a.n.Hi, a.n.Mi, a.n.Lo }

// MaxScaled is the largest prec of Floor and Ceil: 1, and a sum of two numbers up to 1, fit three words.
const MaxScaled = 190

// Floor returns ⌊t·2^prec⌋ for the lower end t of x, clamped to [0, 1]; 0 where x is Unknown.
//
// With t = d·2^exp for a fraction d of 192 bits, t ≥ 1 iff d has less than exp leading zeros. Otherwise
// d·2^(exp+prec) < 2^prec: d is shifted right by 192 − exp − prec, which drops bits that a floor drops, or left by
// fewer bits than it has leading zeros, which is exact.
//
// Requires: prec ≤ MaxScaled.
func (x Real) Floor(prec uint) Scaled {
	d, positive := x.lower()
	if !positive || x.neg() {
		return Scaled{}
	}
	n, _ := scaled(d, x.exp(), prec)
	return n
}

// Ceil returns ⌈t·2^prec⌉ for the upper end t of x, and true, if t ≤ 1; 0 for t < 0. It returns 2^prec and false for t
// > 1.
//
// A carry of m + err halves the sum; the bit that falls out then is part of what is rounded up.
//
// Requires: prec ≤ MaxScaled.
func (x Real) Ceil(prec uint) (n Scaled, ok bool) {
	one := Scaled{frac{Lo: 1}.Shl(prec)}
	if !x.Known() {
		return one, false
	}
	e, exp, lost := frac{Lo: x.err()}, x.exp(), false
	u, carry := fraction.AddCarry(x.m, e)
	if x.neg() {
		if u, carry = fraction.SubBorrow(e, x.m); carry != 0 {
			return Scaled{}, true
		}
	} else if carry != 0 {
		lost = u.Lo&1 != 0
		u, exp = u.Shr(1), exp+1
		u.Hi |= 1 << 63
	}
	n, rest := scaled(u, exp, prec)
	if lost || rest {
		n = n.Add(Scaled{frac{Lo: 1}})
	}
	if one.Less(n) {
		return one, false
	}
	return n, true
}

// scaled returns ⌊f·2^(exp+prec)⌋, and whether that leaves a rest; 2^prec and a rest if f·2^exp > 1, and none if it is
// 1.
func scaled(f frac, exp int, prec uint) (n Scaled, rest bool) {
	one := frac{Lo: 1}.Shl(prec)
	if z := int(f.LeadingZeros()); z < exp && !f.IsZero() {
		return Scaled{one}, z < exp-1 || !f.Shl(uint(z)+1).IsZero()
	}
	s := 192 - int(prec) - exp
	if s <= 0 {
		return Scaled{f.Shl(uint(-s))}, false
	}
	if s >= 192 {
		return Scaled{}, !f.IsZero()
	}
	return Scaled{f.Shr(uint(s))}, !f.Shl(uint(192 - s)).IsZero()
}

// Add returns a + b modulo 2^192.
func (a Scaled) Add(b Scaled) Scaled { return Scaled{fraction.Add(a.n, b.n)} }

// Sub returns a − b modulo 2^192.
func (a Scaled) Sub(b Scaled) Scaled { return Scaled{fraction.Sub(a.n, b.n)} }

// Less reports a < b.
func (a Scaled) Less(b Scaled) bool {
	_, borrow := fraction.SubBorrow(a.n, b.n)
	return borrow != 0
}

// Lsh returns a·2^k modulo 2^192.
func (a Scaled) Lsh(k uint) Scaled { return Scaled{a.n.Shl(k)} }

// Rsh returns ⌊a·2^−k⌋.
func (a Scaled) Rsh(k uint) Scaled { return Scaled{a.n.Shr(k)} }

// PartFloor returns ⌊a·f/2^k⌋.
//
// Requires: a·f < 2^192.
func (a Scaled) PartFloor(f uint64, k uint) Scaled { return Scaled{a.times(f).Shr(k)} }

// PartCeil returns ⌈a·f/2^k⌉.
//
// Requires: a·f + 2^k < 2^192.
func (a Scaled) PartCeil(f uint64, k uint) Scaled {
	return Scaled{fraction.Add(a.times(f), fraction.Sub(frac{Lo: 1}.Shl(k), frac{Lo: 1})).Shr(k)}
}

// times returns a·f modulo 2^192.
func (a Scaled) times(f uint64) frac {
	h0, l0 := bits.Mul64(a.n.Lo, f)
	h1, l1 := bits.Mul64(a.n.Mi, f)
	l1, c := bits.Add64(l1, h0, 0)
	return fraction.Make(a.n.Hi*f+h1+c, l1, l0)
}

// Times returns an enclosure of x·n: a point if x is one and the product has at most 192 bits.
//
// The product of the mantissa of a point and |n| has four words. It is halved until the first is 0, and low by [0, 1)
// ulp if bits are lost.
func (w Three) Times(x Real, n int64) Real {
	if x.err() != 0 || x.isZero() {
		return w.Mul(x, Int(n))
	}
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	h0, l0 := bits.Mul64(x.m.Lo, u)
	h1, l1 := bits.Mul64(x.m.Mi, u)
	h2, l2 := bits.Mul64(x.m.Hi, u)
	l1, c := bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	h2 += c
	k := uint(bits.Len64(h2))
	m, err := fraction.Make(h2<<(64-k)|l2>>k, l2<<(64-k)|l1>>k, l1<<(64-k)|l0>>k), uint64(0)
	if l0<<(64-k) != 0 {
		err = 1
	}
	return pack(x.neg() != (n < 0), m, err, x.exp()+int(k))
}

// Lower returns the lower end of a positive x, as a point; 0 unless x is known to be positive.
func (x Real) Lower() Real {
	d, positive := x.lower()
	if !positive || x.neg() {
		return Real{}
	}
	return pack(false, d, 0, x.exp())
}

// Upper returns a point that x does not exceed; 0 if x is negative, and Unknown if x is.
//
// The bit that a carry makes fall out of the sum is rounded up.
func (x Real) Upper() Real {
	if !x.Known() {
		return Unknown()
	}
	e := frac{Lo: x.err()}
	if x.neg() {
		u, borrow := fraction.SubBorrow(e, x.m)
		if borrow != 0 {
			return Real{}
		}
		return pack(false, u, 0, x.exp())
	}
	u, carry := fraction.AddCarry(x.m, e)
	if carry == 0 {
		return pack(false, u, 0, x.exp())
	}
	u = fraction.Add(u, frac{Lo: u.Lo & 1}).Shr(1) // u < 2^−130
	u.Hi |= 1 << 63
	return pack(false, u, 0, x.exp()+1)
}

// Trunc returns the middle of x times 2^k without its fraction, by the first word of the mantissa; the last integer of
// 63 bits where that is larger, and 0 where x is Unknown. It steers choices, and bounds nothing.
func (x Real) Trunc(k int) int64 {
	if x.m.Hi == 0 {
		return 0
	}
	n, s := int64(1<<63-1), 64-k-x.exp()
	if s > 0 {
		n = int64(x.m.Hi >> min(uint(s), 64))
	}
	if x.neg() {
		return -n
	}
	return n
}
