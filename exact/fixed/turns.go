// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "math/big"

const (
	// TurnBits is the scale of Turns: their numbers count units of 2^−TurnBits.
	TurnBits = 190
	// TurnErr bounds the distance of a turned number from the exact product, in units.
	TurnErr = 54
)

// Turns holds the sums S_j = Σ y·z^j of terms y and turns z, j = 0 … n, in three words for each part: integers
// below 2^191 in two's complement, in units of 2^−TurnBits.
type Turns struct{ re, im []frac }

// NewTurns returns sums S_0 … S_n that are 0.
func NewTurns(n int) *Turns { return &Turns{make([]frac, n+1), make([]frac, n+1)} }

// Add adds the terms y_0 = x, y_(j+1) ≈ y_j·(re + i·im) to the sums, each within TurnErr of the exact product.
//
// Requires: n·ρ ≤ 2^(TurnBits−2) where |re + i·im| ≤ 2^TurnBits + ρ. The |x| of all terms sum up to at most
// 2^TurnBits and one for each term, and terms times n are below 2^128.
//
// A product of parts is low by [0, 24) units, so that a difference of two is within 24 and a sum within 48 of
// the truth, and 24² + 48² < 54². By induction |y_j| ≤ (1 + ρ·2^−TurnBits)^j·(|x| + 54j), where the first factor is below
// e^(1/4) < 4/3, so that neither terms nor their sums reach 2^(TurnBits+1), nor do the products of their parts.
func (t *Turns) Add(x, re, im *big.Int) {
	a, b := twosComplement(x), frac{}
	c, d := twosComplement(re), twosComplement(im)
	for j := range t.re {
		t.re[j], t.im[j] = add(t.re[j], a), add(t.im[j], b)
		a, b = sub(mulSigned(a, c), mulSigned(b, d)), add(mulSigned(a, d), mulSigned(b, c))
	}
}

// At returns S_j.
func (t *Turns) At(j int) (re, im *big.Int) { return t.re[j].signed(), t.im[j].signed() }

// mulSigned returns a·b·2^−TurnBits for integers in two's complement, low by [0, 24).
//
// As 192-bit words a and b exceed what they stand for by 2^192 if negative: their product exceeds by 2^192·b and
// 2^192·a, and by multiples of 2^384. mul is low by [0, 6) for a·b·2^−192.
func mulSigned(a, b frac) frac {
	p := sub(sub(mul(a, b), a.ifNegative(b)), b.ifNegative(a))
	return frac{p.hi<<2 | p.mi>>62, p.mi<<2 | p.lo>>62, p.lo << 2}
}

// ifNegative returns b if a is negative, and 0 otherwise.
func (a frac) ifNegative(b frac) frac {
	mask := uint64(int64(a.hi) >> 63)
	return frac{b.hi & mask, b.mi & mask, b.lo & mask}
}

func twosComplement(n *big.Int) frac {
	f := fracOf(n) // of |n|
	if n.Sign() < 0 {
		f = sub(frac{}, f)
	}
	return f
}

func (a frac) signed() *big.Int {
	negative := a.hi>>63 != 0
	if negative {
		a = sub(frac{}, a)
	}
	n := new(big.Int)
	for _, w := range [3]uint64{a.hi, a.mi, a.lo} {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w))
	}
	if negative {
		n.Neg(n)
	}
	return n
}
