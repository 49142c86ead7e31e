package convolve

import (
	"context"
	"math/big"
	"math/bits"
	"sync"
)

// combine puts the residues together, checks the product and rounds the entries
// of the window.
//
// Mixed radix (Garner): the integer X < p_0⋯p_{k−1} with residues r_i is
// v_0 + p_0·(v_1 + p_1·(v_2 + …)) with
//
//	v_i = (r_i − Σ_{h<i} v_h·p_0⋯p_{h−1})/(p_0⋯p_{i−1}) = r_i·c_i − Σ_{h<i} v_h·c_ih mod p_i,
//
// c_i = 1/(p_0⋯p_{i−1}) and c_ih = 1/(p_h⋯p_{i−1}). The product of the primes exceeds
// Σa·Σb, which bounds every entry of the cyclic convolution, so X is that entry.
func (j *job) combine(ctx context.Context) (Vector, error) {
	k := len(j.ps)
	g := garner{ps: j.ps, scale: make([]twiddle, k), inv: make([][]twiddle, k)}
	q := checkPrime()
	g.q = q
	z := selfCheckPoint(q, j.size)
	product := uint64(1) // of the primes so far, modulo q
	for i, m := range j.ps {
		// Residues come as N·2^−64 times the entry.
		scale := m.mul(m.inv(uint64(j.size)%m.p), m.wordMod())
		g.inv[i] = make([]twiddle, i)
		c := uint64(1)
		for h := i - 1; h >= 0; h-- {
			c = m.mul(c, m.inv(j.ps[h].p%m.p))
			g.inv[i][h] = m.shoup((m.p - c) % m.p) // −c_ih
		}
		g.scale[i] = m.shoup(m.mul(scale, c))
		g.weight = append(g.weight, q.shoup(product))
		product = q.mul(product, m.p%q.p)
	}
	out := NewVector(j.n, j.a.prec)
	const chunk = 2048
	chunks := (j.size + chunk - 1) / chunk
	var mu sync.Mutex
	total := uint64(0) // Σ c_i·z^i mod q over the cyclic convolution
	fits := true
	err := Parallel(ctx, chunks, func(c int) {
		v := make([]uint64, k)
		x := make([]uint64, k)
		lo := c * chunk
		hi := min(lo+chunk, j.size)
		acc := uint64(0)
		ok := true
		zt := q.shoup(z)
		for i := hi - 1; i >= lo; i-- {
			r := g.digits(j.res, i, v)
			acc = reduce(mulShoup(acc, zt, q.p), q.p) + reduce(r, q.p)
			acc = reduce(acc, q.p)
			if i >= j.from && i < j.from+j.n {
				ok = g.store(out.slot(i-j.from), v, x, j.a.prec, j.r) && ok
			}
		}
		acc = q.mul(acc, q.pow(z, uint64(lo)))
		mu.Lock()
		total = reduce(total+acc, q.p)
		fits = fits && ok
		mu.Unlock()
	})
	if err != nil {
		return Vector{}, err
	}
	x := q.evaluate(j.a, z)
	y := x
	if !same(j.a, j.b) {
		y = q.evaluate(j.b, z)
	}
	if !fits || total != q.mul(x, y) {
		return Vector{}, ErrSelfCheck
	}
	return out, nil
}

// checkPrime is a prime that the kernel does not use: the kernel's lie between
// 2^61 and 2^62 in all practical cases, this one below 2^61.
var checkPrime = sync.OnceValue(func() *prime {
	for p := uint64(1<<61-2)/primeStep*primeStep + 1; ; p -= primeStep {
		if new(big.Int).SetUint64(p).ProbablyPrime(0) {
			return newPrime(p)
		}
	}
})

// evaluate returns Σ v_i·z^i modulo the prime.
func (m *prime) evaluate(v Vector, z uint64) uint64 {
	x := make([]uint64, v.n)
	m.load(x, v)
	t := m.shoup(z)
	acc := uint64(0)
	for i := v.n - 1; i >= 0; i-- {
		acc = mulShoup(acc, t, m.p) + x[i]
		if acc >= m.twoP {
			acc -= m.twoP
		}
	}
	return reduce(acc, m.p)
}

type garner struct {
	ps     []*prime
	scale  []twiddle   // c_i, and what undoes the factor of the residues
	inv    [][]twiddle // −c_ih mod p_i, h < i
	q      *prime
	weight []twiddle // p_0⋯p_{i−1} mod q
}

// digits sets v to the mixed-radix digits of entry i and returns the entry modulo
// q, in [0, 2q).
func (g *garner) digits(res [][]uint64, i int, v []uint64) uint64 {
	sum := uint64(0)
	for l, m := range g.ps {
		p, twoP := m.p, m.twoP
		t := mulShoup(res[l][i], g.scale[l], p)
		for h, c := range g.inv[l] {
			t += mulShoup(v[h], c, p)
			if t >= twoP {
				t -= twoP
			}
		}
		t = reduce(t, p)
		v[l] = t
		sum += mulShoup(t, g.weight[l], g.q.p)
		if sum >= g.q.twoP {
			sum -= g.q.twoP
		}
	}
	return sum
}

// store writes the rounded entry with digits v to dst, and reports whether it
// fits. x is scratch of len(v) words.
func (g *garner) store(dst []big.Word, v, x []uint64, prec uint, r Rounding) bool {
	// X = v_0 + p_0·(v_1 + …), by Horner's rule; n words are in use.
	k := len(v)
	x[0] = v[k-1]
	n := 1
	for i := k - 2; i >= 0; i-- {
		p := g.ps[i].p
		carry := v[i]
		for w := range n {
			hi, lo := bits.Mul64(x[w], p)
			var c uint64
			x[w], c = bits.Add64(lo, carry, 0)
			carry = hi + c // hi ≤ 2^64 − 2 leaves room
		}
		if carry > 0 {
			x[n] = carry
			n++
		}
	}
	// dst = X/2^prec, rounded.
	skip, shift := int(prec)/64, prec%64
	inexact := false
	for w := 0; w < skip && w < n; w++ {
		inexact = inexact || x[w] != 0
	}
	if skip < n && shift > 0 {
		inexact = inexact || x[skip]<<(64-shift) != 0
	}
	for w := range dst {
		y := uint64(0)
		if s := skip + w; s < n {
			y = x[s] >> shift
			if shift > 0 && s+1 < n {
				y |= x[s+1] << (64 - shift)
			}
		}
		dst[w] = big.Word(y)
	}
	for s := skip + len(dst); s < n; s++ {
		y := x[s] >> shift
		if s == skip+len(dst) && y == 0 {
			continue // its low bits went into the last word
		}
		if x[s] != 0 {
			return false
		}
	}
	if r == Up && inexact {
		for w := range dst {
			if dst[w]++; dst[w] != 0 {
				return true
			}
		}
		return false
	}
	return true
}
