// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"context"
	"math/big"
	"runtime"
	"sync"
)

// least52 is the least cyclic length that is worth vectors. Blocks come in pairs: N/r ≥ 16.
const least52 = 128

// A job52 is a product by vectors of residues.
type job52 struct {
	*job
	u     *unit
	ps    []*prime52
	limbs [2]int   // of 52 bits, in an entry of a and of b
	slab  []uint64 // residues, N for each prime
}

// vectors returns the job in vectors if the processor has them and they pay.
func (j *job) vectors(limit *big.Int) *job52 {
	if vectorUnit == nil || j.size < least52 {
		return nil
	}
	ps := enough52(limit)
	if ps == nil {
		return nil
	}
	return &job52{job: j, u: vectorUnit, ps: ps, limbs: [2]int{limbs52(j.bits[0]), limbs52(j.bits[1])}}
}

// limbs52 returns how many limbs of 52 bits hold the entries of a vector, the greatest of which has
// so many bits.
func limbs52(bits int) int { return max(1, (bits+51)/52) }

// slabs keeps the memory of residues for the next product of this process, unless it was a long
// one.
var slabs sync.Pool

// takeSlab returns n words of any content.
func takeSlab(n int) []uint64 {
	if 8*n >= long {
		release()
		return make([]uint64, n)
	}
	if s, ok := slabs.Get().(*[]uint64); ok && cap(*s) >= n && cap(*s)/4 <= n {
		return (*s)[:n]
	}
	return make([]uint64, n)
}

func giveSlab(s []uint64) {
	if 8*len(s) < long {
		slabs.Put(&s)
	}
}

// memory returns how many bytes the product needs, operands and roots of unity included.
func (j *job52) memory() int64 {
	residues := len(j.ps) + j.seconds()
	// Two tables of N/16 twiddles for each prime.
	return 8*int64(j.size)*int64(residues) + 2*int64(j.size)*int64(len(j.ps)) + 8*int64(j.a.Words())*int64(j.a.n+j.b.n+j.n) + j.restBytes()
}

func (j *job52) residues(i int) []uint64 { return j.slab[i*j.size : (i+1)*j.size : (i+1)*j.size] }

func (j *job52) run(ctx context.Context) (Vector, error) {
	if err := CheckMemory(ctx, j.memory()); err != nil {
		return Vector{}, err
	}
	j.slab = takeSlab(j.size * len(j.ps))
	defer func() {
		if giveSlab(j.slab); j.long() {
			j.slab = nil
			release()
		}
	}()
	if err := j.transforms(ctx); err != nil {
		return Vector{}, err
	}
	return j.combine(ctx)
}

// transforms sets the residues to the residues of the cyclic convolution.
func (j *job52) transforms(ctx context.Context) error {
	chunk := loadChunk(j.limbs[0])
	err := Parallel(ctx, (j.a.n+chunk-1)/chunk, func(c int) {
		lo := c * chunk
		l := takeLimbs().unpack(j.a, lo, min(lo+chunk, j.a.n), j.limbs[0])
		defer unpacked.Put(l)
		for i, m := range j.ps {
			l.load(j.residues(i)[lo:], m, j.u)
		}
	})
	if err != nil {
		return err
	}
	seconds := make(chan []uint64, j.seconds()) // memory for the residues of b, if it is not a
	for range cap(seconds) {
		seconds <- nil
	}
	defer func() {
		for range cap(seconds) {
			if y := <-seconds; y != nil && !j.long() {
				giveSlab(y)
			}
		}
	}()
	return Parallel(ctx, len(j.ps), func(i int) { j.cyclic(j.ps[i], j.residues(i), seconds) })
}

// long reports whether the product is a long one.
func (j *job52) long() bool { return 8*j.size*len(j.ps) >= long }

// seconds returns how many primes may have residues of b at a time: all that there are processors for, but a
// quarter of them in a long product.
func (j *job52) seconds() int {
	if same(j.a, j.b) {
		return 0
	}
	if j.long() {
		return max(1, min(len(j.ps)/4, runtime.GOMAXPROCS(0)))
	}
	return min(len(j.ps), runtime.GOMAXPROCS(0))
}

// cyclic turns the residues of a into the residues of the cyclic convolution, times what undo undoes. The residues of b, where
// that is not a, go to memory from seconds, nil if there is none yet, and back.
func (j *job52) cyclic(m *prime52, x []uint64, seconds chan []uint64) {
	f := j.u.transform(m, j.size)
	clear(x[roundUp(j.a.n):])
	f.forward(x)
	if same(j.a, j.b) {
		f.multiply(x, x)
	} else {
		y := <-seconds
		switch {
		case y != nil:
		case j.long():
			y = make([]uint64, j.size) // not to be kept
		default:
			y = takeSlab(j.size)
		}
		chunk := loadChunk(j.limbs[1])
		l := takeLimbs()
		for lo := 0; lo < j.b.n; lo += chunk {
			l.unpack(j.b, lo, min(lo+chunk, j.b.n), j.limbs[1]).load(y[lo:], m, j.u)
		}
		unpacked.Put(l)
		clear(y[roundUp(j.b.n):])
		f.forward(y)
		f.multiply(x, y)
		seconds <- y
	}
	f.inverse(x)
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
		word, shift := 52*k/64, uint(52*k%64)
		from := data[word:]
		at := 0
		if shift <= 12 || word+1 == words {
			for i := range plane {
				plane[i] = uint64(from[at]) >> shift & mask52
				at += words
			}
			continue
		}
		next := from[1:]
		for i := range plane {
			plane[i] = (uint64(from[at])>>shift | uint64(next[at])<<(64-shift)) & mask52
			at += words
		}
	}
	return l
}

// load sets x to the entries modulo m.
func (l *limbs) load(x []uint64, m *prime52, u *unit) {
	u.load(&x[0], l.stride/lanes, &l.planes[0], l.stride, l.n, &m.powers52(l.n)[0], &m.c)
}
