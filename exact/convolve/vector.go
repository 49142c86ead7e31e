// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"fmt"
	"math/big"
	"math/bits"
)

// A Vector holds n non-negative fixed-point numbers m_i·2^−P. An entry takes
// ⌊P/64⌋ + 1 words, so that 1 = 2^P·2^−P fits, and ⌈P/64⌉ in a narrow vector.
type Vector struct {
	prec  uint
	n     int
	words int        // of an entry
	data  []big.Word // n·words words, little-endian
}

const wordBits = bits.UintSize

// first returns the first n entries of v, or new ones, as narrow as the entries of v, if there are fewer.
func (v Vector) first(n int, prec uint) Vector {
	switch {
	case v.n >= n:
		return v.Slice(0, n)
	case v.words == 0:
		return NewVector(n, prec)
	}
	return Vector{prec, n, v.words, make([]big.Word, n*v.words)}
}

// Like returns n zeros with the precision and the room for entries of v.
func (v Vector) Like(n int) Vector { return Vector{v.prec, n, v.words, make([]big.Word, n*v.words)} }

// NewVector returns n zeros with P = prec fraction bits.
func NewVector(n int, prec uint) Vector {
	w := entryWords(prec)
	return Vector{prec, n, w, make([]big.Word, n*w)}
}

// entryWords returns the words of an entry that may be 1.
func entryWords(prec uint) int { return int(prec)/wordBits + 1 }

// EntryBits returns the number of bits that an entry of a vector of P = prec fraction bits has room for, unless it is
// narrow.
func EntryBits(prec uint) int { return entryWords(prec) * wordBits }

// NewNarrow returns n zeros with P = prec fraction bits in a vector whose entries have room for 1 − 2^−P, but not
// always for 1.
func NewNarrow(n int, prec uint) Vector {
	w := (int(prec) + wordBits - 1) / wordBits
	return Vector{prec, n, w, make([]big.Word, n*w)}
}

// Fits reports that an entry has room for m ≥ 0.
func (v Vector) Fits(m *big.Int) bool { return m.BitLen() <= v.words*wordBits }

// Copy copies v to dst, which may share its memory. It panics unless dst has as many entries, and entries have the same
// room.
func (v Vector) Copy(dst Vector) {
	if v.n != dst.n || v.words != dst.words || v.prec != dst.prec {
		panic("convolve: internal error: a copy to a vector of another kind")
	}
	copy(dst.data, v.data)
}

// Clear sets all entries to 0.
func (v Vector) Clear() { clear(v.data) }

// Len returns the number of entries.
func (v Vector) Len() int { return v.n }

// Prec returns the number of fraction bits.
func (v Vector) Prec() uint { return v.prec }

// Words returns the number of words of an entry.
func (v Vector) Words() int { return v.words }

func (v Vector) slot(i int) []big.Word {
	w := v.Words()
	return v.data[i*w : (i+1)*w : (i+1)*w]
}

// At returns m_i.
func (v Vector) At(i int) *big.Int {
	return new(big.Int).Set(new(big.Int).SetBits(v.slot(i)))
}

// Load sets z to m_i and returns z, without the garbage of At.
func (v Vector) Load(z *big.Int, i int) *big.Int {
	return z.SetBits(append(z.Bits()[:0], v.slot(i)...))
}

// Set sets m_i. It panics unless 0 ≤ m and m fits an entry.
func (v Vector) Set(i int, m *big.Int) {
	if m.Sign() < 0 || !v.Fits(m) {
		panic(fmt.Sprintf("convolve: internal error: an entry of %d bits in a vector of %d", m.BitLen(), v.prec))
	}
	s := v.slot(i)
	clear(s)
	copy(s, m.Bits())
}

// Add adds m to m_i. It panics unless 0 ≤ m and the sum fits an entry.
func (v Vector) Add(i int, m *big.Int) {
	s := v.slot(i)
	carry := uint(0)
	for k, d := range m.Bits() {
		if k == len(s) {
			carry = 1
			break
		}
		var x uint
		x, carry = bits.Add(uint(s[k]), uint(d), carry)
		s[k] = big.Word(x)
	}
	for k := len(m.Bits()); carry != 0 && k < len(s); k++ {
		s[k]++
		if s[k] != 0 {
			carry = 0
		}
	}
	if m.Sign() < 0 || carry != 0 {
		panic(fmt.Sprintf("convolve: internal error: a sum does not fit an entry of a vector of %d bits", v.prec))
	}
}

// AddWords adds hi·2^128 + mi·2^64 + lo to m_i. It panics unless the sum fits an entry.
func (v Vector) AddWords(i int, hi, mi, lo uint64) {
	m := [3]uint64{lo, mi, hi}
	s := v.slot(i)
	carry := uint(0)
	for k := range max(len(s), 192/wordBits) {
		d := uint(0)
		if k < 192/wordBits {
			d = uint(m[k*wordBits/64] >> (k * wordBits % 64))
		}
		if k < len(s) {
			d, carry = bits.Add(uint(s[k]), d, carry)
			s[k] = big.Word(d)
		} else if d|carry != 0 {
			panic(fmt.Sprintf("convolve: internal error: a sum does not fit an entry of a vector of %d bits", v.prec))
		}
	}
	if carry != 0 && len(s) >= 192/wordBits {
		panic(fmt.Sprintf("convolve: internal error: a sum does not fit an entry of a vector of %d bits", v.prec))
	}
}

// LoadWords returns m_i = hi·2^128 + mi·2^64 + lo. It panics if that takes more words.
func (v Vector) LoadWords(i int) (hi, mi, lo uint64) {
	var m [3]uint64
	for k, d := range v.slot(i) {
		if k < 192/wordBits {
			m[k*wordBits/64] |= uint64(d) << (k * wordBits % 64)
		} else if d != 0 {
			panic(fmt.Sprintf("convolve: internal error: an entry of a vector of %d bits takes more than three words",
				v.prec))
		}
	}
	return m[2], m[1], m[0]
}

// Lead returns the leading 64 bits of m_i > 0, w with the highest bit set, and the e with w·2^e ≤ m_i < (w + 1)·2^e; w
// = 0 for 0.
func (v Vector) Lead(i int) (w uint64, e int) {
	s := v.slot(i)
	k := len(s) - 1
	for k > 0 && s[k] == 0 {
		k--
	}
	e = k*wordBits + wordBits - 64
	w = uint64(s[k]) << (64 - wordBits)
	if w == 0 {
		return 0, 0
	}
	shift := bits.LeadingZeros64(w)
	w, e = w<<shift, e-shift
	for have := wordBits - shift; have < 64 && k > 0; have += wordBits { // bits of w that are known
		k--
		if x := uint64(s[k]); have+wordBits <= 64 {
			w |= x << (64 - have - wordBits)
		} else {
			w |= x >> (have + wordBits - 64)
		}
	}
	return w, e
}

// Sum returns Σ m_i.
func (v Vector) Sum() *big.Int {
	words := v.Words()
	acc := make([]big.Word, words+1) // n < 2^64 entries add one word
	for i := range v.n {
		var carry uint
		for k, d := range v.data[i*words : (i+1)*words] {
			var s uint
			s, carry = bits.Add(uint(acc[k]), uint(d), carry)
			acc[k] = big.Word(s)
		}
		acc[words] += big.Word(carry)
	}
	return new(big.Int).SetBits(acc)
}

// Max returns the greatest m_i, 0 if there is none.
func (v Vector) Max() *big.Int {
	words := v.Words()
	most := make([]big.Word, words)
	for i := range v.n {
		s := v.data[i*words : (i+1)*words]
		k := words - 1
		for k > 0 && s[k] == most[k] {
			k--
		}
		if s[k] > most[k] {
			copy(most, s)
		}
	}
	return new(big.Int).SetBits(most)
}

// IsZero reports m_i = 0.
func (v Vector) IsZero(i int) bool {
	for _, x := range v.slot(i) {
		if x != 0 {
			return false
		}
	}
	return true
}

// Slice returns the entries from ≤ i < to, sharing memory with v.
func (v Vector) Slice(from, to int) Vector {
	w := v.Words()
	return Vector{v.prec, to - from, w, v.data[from*w : to*w : to*w]}
}

// Clone returns a copy of v.
func (v Vector) Clone() Vector {
	v.data = append([]big.Word(nil), v.data...)
	return v
}

// Trim returns v without its leading and trailing zeros, and the number of
// leading zeros removed. At least one entry stays.
func (v Vector) Trim() (Vector, int) {
	lo, hi := 0, v.n
	for hi-lo > 1 && v.IsZero(lo) {
		lo++
	}
	for hi-lo > 1 && v.IsZero(hi-1) {
		hi--
	}
	return v.Slice(lo, hi), lo
}

func same(a, b Vector) bool {
	return a.n == b.n && len(a.data) > 0 && &a.data[0] == &b.data[0]
}
