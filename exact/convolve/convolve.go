// Package convolve multiplies vectors of non-negative fixed-point numbers
// exactly: there is no rounding but the one that the caller asks for, at the
// end.
package convolve

import (
	"fmt"
	"math/big"
	"math/bits"
)

// A Vector holds n non-negative numbers m_i·2^−P, 0 ≤ m_i ≤ 2^P; m_i is stored in
// Words() words.
type Vector struct {
	prec uint
	n    int
	data []big.Word // n·Words() words, little-endian
}

const wordBits = bits.UintSize

// NewVector returns n zeros with P = prec fraction bits.
func NewVector(n int, prec uint) Vector {
	v := Vector{prec: prec, n: n}
	v.data = make([]big.Word, n*v.Words())
	return v
}

// Len returns the number of entries.
func (v Vector) Len() int { return v.n }

// Prec returns the number of fraction bits.
func (v Vector) Prec() uint { return v.prec }

// Words returns the number of words of an entry: 2^P itself must fit.
func (v Vector) Words() int { return int(v.prec)/wordBits + 1 }

// At returns entry i as an integer m_i.
func (v Vector) At(i int) *big.Int {
	w := v.Words()
	return new(big.Int).Set(new(big.Int).SetBits(v.data[i*w : (i+1)*w : (i+1)*w]))
}

// Set sets entry i. It panics unless 0 ≤ m ≤ 2^P.
func (v Vector) Set(i int, m *big.Int) {
	w := v.Words()
	if m.Sign() < 0 || m.BitLen() > int(v.prec)+1 {
		panic(fmt.Sprintf("convolve: internal error: entry of %d bits in a vector of %d", m.BitLen(), v.prec))
	}
	slot := v.data[i*w : (i+1)*w]
	clear(slot)
	copy(slot, m.Bits())
}

// Sum returns Σ m_i.
func (v Vector) Sum() *big.Int {
	sum, t := new(big.Int), new(big.Int)
	w := v.Words()
	for i := range v.n {
		sum.Add(sum, t.SetBits(v.data[i*w:(i+1)*w:(i+1)*w]))
	}
	return sum
}

// Trim returns v without its leading and trailing zeros, and the number of
// leading zeros removed. At least one entry stays.
func (v Vector) Trim() (Vector, int) {
	lo, hi := 0, v.n
	for hi-lo > 1 && v.zero(lo) {
		lo++
	}
	for hi-lo > 1 && v.zero(hi-1) {
		hi--
	}
	w := v.Words()
	return Vector{prec: v.prec, n: hi - lo, data: v.data[lo*w : hi*w]}, lo
}

func (v Vector) zero(i int) bool {
	w := v.Words()
	for _, x := range v.data[i*w : (i+1)*w] {
		if x != 0 {
			return false
		}
	}
	return true
}

// Product returns the convolution of a and b, every entry rounded down:
//
//	c_k = ⌊Σ_{i+j=k} a_i·b_j / 2^P⌋, k = 0 … len(a)+len(b)−2.
//
// a and b must have the same P, and Σ a_i, Σ b_j ≤ 2^P·(1 + 2^−1), so that c_k fits.
//
// Kronecker substitution: with slots of s bits, 2^s > max_k Σ a_i·b_j, the product
// of the integers Σ a_i·2^(si) and Σ b_j·2^(sj) has the exact convolution in its
// slots. Entries are at most 2^P, so a slot holds at most min(n_a, n_b)·2^2P.
func Product(a, b Vector) Vector {
	if a.prec != b.prec {
		panic("convolve: internal error: different precisions")
	}
	slotBits := 2*int(a.prec) + 1 + bits.Len(uint(min(a.n, b.n)))
	slot := (slotBits + wordBits - 1) / wordBits
	x := pack(a, slot)
	y := x
	if !same(a, b) {
		y = pack(b, slot)
	}
	prod := new(big.Int).Mul(x, y).Bits()
	c := NewVector(a.n+b.n-1, a.prec)
	t := new(big.Int)
	for k := range c.n {
		lo := min(k*slot, len(prod))
		hi := min(lo+slot, len(prod))
		if lo == hi {
			break
		}
		t.SetBits(prod[lo:hi:hi])
		c.Set(k, new(big.Int).Rsh(t, a.prec))
	}
	return c
}

func same(a, b Vector) bool {
	return a.n == b.n && len(a.data) > 0 && &a.data[0] == &b.data[0]
}

// pack returns Σ v_i·2^(64·slot·i).
func pack(v Vector, slot int) *big.Int {
	w := v.Words()
	out := make([]big.Word, v.n*slot)
	for i := range v.n {
		copy(out[i*slot:(i+1)*slot], v.data[i*w:(i+1)*w])
	}
	return new(big.Int).SetBits(out)
}
