// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package words has integers of 512 bits without allocation. Nothing is rounded but where a
// name says so, and nothing is signed but by two's complement.
package words

import (
	"math/big"
	"math/bits"
)

// An Int is an integer in [0, 2^Bits), or in two's complement: its words, least significant first.
type Int [Bits / 64]uint64

// Bits is the number of bits of an Int.
const Bits = 512

// Digits hold an Int as math/big has it.
type Digits [Bits / bits.UintSize]big.Word

// Of returns the words of n ≥ 0. It reports false if there are too many.
func Of(n *big.Int) (z Int, ok bool) {
	if n.BitLen() > Bits {
		return z, false
	}
	for i, d := range n.Bits() {
		at := i * bits.UintSize
		z[at/64] |= uint64(d) << (at % 64)
	}
	return z, true
}

// Put sets n, whose digits are to be d, to z in two's complement.
func (z Int) Put(n *big.Int, d *Digits) *big.Int {
	negative := z[len(z)-1]>>63 != 0
	if negative {
		z = z.Neg()
	}
	for i := range d {
		at := i * bits.UintSize
		d[i] = big.Word(z[at/64] >> (at % 64))
	}
	if n.SetBits(d[:]); negative {
		n.Neg(n)
	}
	return n
}

// Big returns z in two's complement as a big.Int.
func (z Int) Big() *big.Int {
	return z.Put(new(big.Int), new(Digits))
}

// len returns the number of words without leading zeros.
func (z *Int) len() int {
	n := len(z)
	for n > 0 && z[n-1] == 0 {
		n--
	}
	return n
}

// Add returns x + y mod 2^Bits.
func (x *Int) Add(y *Int) (z Int) {
	var c uint64
	for i := range x {
		z[i], c = bits.Add64(x[i], y[i], c)
	}
	return z
}

// Sub returns x − y mod 2^Bits.
func (x *Int) Sub(y *Int) (z Int) {
	var c uint64
	for i := range x {
		z[i], c = bits.Sub64(x[i], y[i], c)
	}
	return z
}

// Neg returns −x mod 2^Bits.
func (x *Int) Neg() Int {
	var zero Int
	return zero.Sub(x)
}

// Less reports whether x < y.
func (x *Int) Less(y *Int) bool {
	var c uint64
	for i := range x {
		_, c = bits.Sub64(x[i], y[i], c)
	}
	return c != 0
}

// IsZero reports whether x = 0.
func (x *Int) IsZero() bool { return *x == Int{} }

// Rsh returns ⌊x/2^s⌋, 0 ≤ s < Bits.
func (x *Int) Rsh(s int) (z Int) {
	k, r := s/64, uint(s%64)
	for i := range len(x) - k {
		z[i] = x[i+k] >> r
		if i+k+1 < len(x) {
			z[i] |= x[i+k+1] << (64 - r) // 0 for r = 0
		}
	}
	return z
}

// Low returns x mod 2^s, 0 ≤ s < Bits.
func (x *Int) Low(s int) (z Int) {
	k := s / 64
	copy(z[:k], x[:k])
	z[k] = x[k] & (1<<(s%64) - 1)
	return z
}

// Times returns x·d mod 2^Bits.
func (x *Int) Times(d uint64) (z Int) {
	var carry uint64
	for i, w := range x {
		hi, lo := bits.Mul64(w, d)
		var c uint64
		z[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return z
}

// MulRsh returns ⌊x·y/2^s⌋ mod 2^Bits, 0 ≤ s ≤ Bits.
func (x *Int) MulRsh(y *Int, s int) (z Int) {
	var t [2*len(z) + 1]uint64
	n, m := x.len(), y.len()
	for i := range n {
		var carry uint64
		for j := range m {
			hi, lo := bits.Mul64(x[i], y[j])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			t[i+j], c = bits.Add64(t[i+j], lo, 0)
			carry = hi + c
		}
		t[i+m] = carry
	}
	k, r := s/64, uint(s%64)
	for i := range z {
		z[i] = t[i+k]>>r | t[i+k+1]<<(64-r)
	}
	return z
}

// Quo returns ⌊x/d⌋ and the remainder, d > 0.
func (x *Int) Quo(d uint64) (z Int, rem uint64) {
	for i := x.len() - 1; i >= 0; i-- {
		z[i], rem = bits.Div64(rem, x[i], d)
	}
	return z, rem
}

// QuoShifted returns ⌊x·2^s/y⌋ for 0 ≤ s < Bits, y > 0 and a quotient below 2^Bits: Knuth's algorithm D (The Art
// of Computer Programming, 2, 4.3.1).
func (x *Int) QuoShifted(s int, y *Int) (q Int) {
	n := y.len()
	up := uint(bits.LeadingZeros64(y[n-1]))
	// d = y·2^up has its leading bit, and u = x·2^(s + up) has the same quotient.
	var d Int
	for i := n - 1; i >= 0; i-- {
		d[i] = y[i] << up
		if i > 0 {
			d[i] |= y[i-1] >> (64 - up) // 0 for up = 0
		}
	}
	var u [2*len(q) + 2]uint64
	k, r := (s+int(up))/64, uint(s+int(up))%64
	for i, digit := range x {
		u[i+k] |= digit << r
		u[i+k+1] = digit >> (64 - r)
	}
	m := len(u) - 1
	for m > 0 && u[m-1] == 0 {
		m--
	}
	for j := m - n; j >= 0; j-- {
		// The digit is at most 2 too large, and after the test with the second digit of d at most 1.
		digit, rest := ^uint64(0), uint64(0)
		if u[j+n] < d[n-1] {
			digit, rest = bits.Div64(u[j+n], u[j+n-1], d[n-1])
			for n > 1 {
				hi, lo := bits.Mul64(digit, d[n-2])
				if hi < rest || hi == rest && lo <= u[j+n-2] {
					break
				}
				digit--
				if rest += d[n-1]; rest < d[n-1] {
					break
				}
			}
		}
		var borrow, carry uint64
		for i := range n {
			hi, lo := bits.Mul64(digit, d[i])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			carry = hi + c
			u[i+j], borrow = bits.Sub64(u[i+j], lo, borrow)
		}
		u[j+n], borrow = bits.Sub64(u[j+n], carry, borrow)
		for borrow != 0 { // too large: add d again
			digit--
			var c uint64
			for i := range n {
				u[i+j], c = bits.Add64(u[i+j], d[i], c)
			}
			u[j+n], c = bits.Add64(u[j+n], 0, c)
			borrow -= c
		}
		if j < len(q) {
			q[j] = digit
		}
	}
	return q
}

// Power returns 2^s, s < Bits.
func Power(s int) (z Int) {
	z[s/64] = 1 << (s % 64)
	return z
}

// Small returns n as words.
func Small(n uint64) Int { return Int{n} }
