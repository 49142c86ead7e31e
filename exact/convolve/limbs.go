// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"sync"
)

// lanes is the number of residues in a vector, and the length of the blocks.
const lanes = 8

// limbsOf returns how many limbs of 52 bits hold the entries of a vector, the greatest of which has
// so many bits.
func limbsOf(bits int) int { return max(1, (bits+51)/52) }

// limbAt returns the 52 bits of x from bit 52k on.
func limbAt(x []big.Word, k int) uint64 {
	v := uint64(0)
	for w := 52 * k / wordBits; w < len(x) && w*wordBits < 52*(k+1); w++ {
		if at := w*wordBits - 52*k; at >= 0 {
			v |= uint64(x[w]) << at
		} else {
			v |= uint64(x[w]) >> -at
		}
	}
	return v & mask52
}

// roundUp returns the least multiple of lanes ≥ n.
func roundUp(n int) int { return (n + lanes - 1) / lanes * lanes }

// A limbs is a stretch of a Vector in limbs of 52 bits: n planes of stride entries, the
// last group filled up with zeros.
type limbs struct {
	planes    []uint64
	stride, n int
}

// unpacked keeps the memory of limbs.
var unpacked = sync.Pool{New: func() any { return new(limbs) }}

func takeLimbs() *limbs { return unpacked.Get().(*limbs) }

// loadChunk returns how many entries of n limbs are unpacked at a time.
func loadChunk(n int) int { return max(lanes, 2048/n/lanes*lanes) }

// unpack sets l to the entries lo ≤ i < hi of v, none of which exceeds n limbs, and returns it.
func (l *limbs) unpack(v Vector, lo, hi, n int) *limbs {
	l.stride, l.n = roundUp(hi-lo), n
	if cap(l.planes) < n*l.stride {
		l.planes = make([]uint64, n*l.stride)
	}
	l.planes = l.planes[:n*l.stride]
	words := v.Words()
	data := v.data[lo*words : hi*words]
	for k := range n {
		plane := l.planes[k*l.stride : (k+1)*l.stride]
		clear(plane[hi-lo:])
		plane = plane[:hi-lo]
		word, shift := 52*k/wordBits, 52*k%wordBits
		for i := range plane {
			plane[i] = uint64(data[word+i*words]) >> shift
		}
		for word, shift = word+1, wordBits-shift; word < words && shift < 52; word, shift = word+1, shift+wordBits {
			for i := range plane {
				plane[i] |= uint64(data[word+i*words]) << shift
			}
		}
		for i := range plane {
			plane[i] &= mask52
		}
	}
	return l
}
