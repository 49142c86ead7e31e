// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// ErrSelfCheck reports that a product failed its check: this machine computes
// wrongly.
var ErrSelfCheck = errors.New("convolve: internal error: a product failed its self-check; this machine computes " +
	"wrongly")

// A job is one product by transforms.
type job struct {
	a, b    Vector
	from, n int
	r       Rounding
	rest    []uint64 // what is cut off from the entries of the window, if it is carried
	size    int      // N
	room    Vector   // what the product may be stored in, or no entries
	u       *unit
	ps      []*prime
	limbs   [2]int   // of 52 bits, in an entry of a and of b
	slab    []uint64 // residues, N for each prime
}

// long is the number of bytes of residues from which on a product is a long one.
const long = 1 << 25

// release gives back what earlier products left behind, which would double the memory of long ones. It holds
// no pointers, so that collecting it takes no time to speak of.
func release() { debug.FreeOSMemory() }

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
func (j *job) memory() int64 {
	residues := len(j.ps) + j.seconds()
	entries := j.a.Words() * (j.a.n + j.b.n + j.n)
	if j.r == Sums {
		entries += j.n
	}
	// Two tables of N/16 twiddles for each prime.
	return 8*int64(j.size)*int64(residues) + 2*int64(j.size)*int64(len(j.ps)) + 8*int64(entries)
}

func (j *job) residues(i int) []uint64 { return j.slab[i*j.size : (i+1)*j.size : (i+1)*j.size] }

func (j *job) run(ctx context.Context) (Vector, error) {
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
func (j *job) transforms(ctx context.Context) error {
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
func (j *job) long() bool { return 8*j.size*len(j.ps) >= long }

// seconds returns how many primes may have residues of b at a time: all that there are processors for, but a
// quarter of them in a long product.
func (j *job) seconds() int {
	if same(j.a, j.b) {
		return 0
	}
	if j.long() {
		return max(1, min(len(j.ps)/4, runtime.GOMAXPROCS(0)))
	}
	return min(len(j.ps), runtime.GOMAXPROCS(0))
}

// cyclic turns the residues of a into the residues of the cyclic convolution, times what undo undoes. The residues of
// b, where that is not a, go to memory from seconds, nil if there is none yet, and back.
func (j *job) cyclic(m *prime, x []uint64, seconds chan []uint64) {
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

// combine puts the residues together, checks the product and rounds the entries
// of the window.
func (j *job) combine(ctx context.Context) (Vector, error) {
	c := newCRT(j.ps, j.size, j.u)
	x := c.evaluate(j.a, j.limbs[0])
	y := x
	if !same(j.a, j.b) {
		y = c.evaluate(j.b, j.limbs[1])
	}
	out := j.room.first(j.n, j.a.prec) // from here on the memory of a and b may be lost
	j.rest = fractions(j.n, j.r)
	const chunk = 4096
	var mu sync.Mutex
	total := uint64(0) // Σ c_i·z^i mod q over the cyclic convolution
	fits := true
	err := Parallel(ctx, (j.size+chunk-1)/chunk, func(i int) {
		lo := i * chunk
		sum, ok := c.chunk(j, lo, min(lo+chunk, j.size), out)
		sum = c.q.mul(sum, c.q.pow(c.z, uint64(lo)))
		mu.Lock()
		total = reduce(total+sum, c.q.p)
		fits = fits && ok
		mu.Unlock()
	})
	if err != nil {
		return Vector{}, err
	}
	if !fits || total != c.q.mul(x, y) {
		return Vector{}, ErrSelfCheck
	}
	carry(out, j.rest)
	return out, nil
}

// chunk returns Σ_{lo≤i<hi} X_i·z^(i−lo) mod q, stores the rounded entries that lie in the
// window, and reports whether they fit. lo and hi are multiples of 8.
func (c *crt) chunk(j *job, lo, hi int, out Vector) (sum uint64, fits bool) {
	piece := max(lanes, 2048/c.limbs/lanes*lanes)
	buffer := make([]uint64, piece*c.limbs)
	digits := make([]uint64, (len(j.ps)+1)*lanes)
	var acc [lanes]uint64
	fits = true
	for from := lo + (hi-lo-1)/piece*piece; from >= lo; from -= piece {
		to := min(from+piece, hi)
		c.u.crt(&c.remainders, j.slab[from:], j.size, buffer[:(to-from)*c.limbs], digits, &acc)
		for i := max(from, j.from); i < min(to, j.from+j.n); i++ {
			x := buffer[(i-from)/lanes*lanes*c.limbs+(i-from)%lanes:]
			fits = store(out.slot(i-j.from), x, c.limbs, j.a.prec, j.r) && fits
			if j.rest != nil {
				j.rest[i-j.from] = fraction(x, c.limbs, j.a.prec)
			}
		}
	}
	return c.sum(&acc), fits
}

// Parallel calls f(0) … f(n−1) on all cores, until ctx ends.
func Parallel(ctx context.Context, n int, f func(int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
