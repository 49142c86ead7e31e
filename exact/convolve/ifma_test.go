// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels of ifma_amd64.s as loops in Go, one residue at a time, each step with the
// range that residues52.go states for it.
type model struct {
	t *testing.T
	m *prime52
}

// in fails unless x < bound.
func (k model) in(x, bound uint64) uint64 {
	if x >= bound {
		k.t.Helper()
		k.t.Fatalf("%d is not below %d", x, bound)
	}
	return x
}

// madd returns ⌊xy/2^52⌋ and xy mod 2^52 for the low 52 bits of x and y.
func madd(x, y uint64) (hi, lo uint64) {
	h, l := bits.Mul64(x&mask52, y&mask52)
	return h<<12 | l>>52, l & mask52
}

func (k model) mulShoup(x uint64, w twiddle) uint64 {
	k.in(x, 1<<52)
	q, _ := madd(x, w.q)
	_, r := madd(x, w.w)
	_, s := madd(q, k.m.c.neg)
	return k.in((r+s)&mask52, k.m.twoP)
}

func (k model) reduce(x, b uint64) uint64 { return k.in(reduce(k.in(x, 2*b), b), b) }

func (k model) minus(x, y uint64) uint64 {
	return k.in(k.in(x, k.m.twoP)-k.in(y, k.m.twoP)+k.m.twoP, 2*k.m.twoP)
}

func (k model) plus(x, y uint64) uint64 {
	return k.in(k.in(x, k.m.twoP)+k.in(y, k.m.twoP), 2*k.m.twoP)
}

func (k model) split2(x []uint64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := k.reduce(a[j], k.m.twoP), k.mulShoup(a[h+j], w[b])
			a[j], a[h+j] = k.plus(u, v), k.minus(u, v)
		}
	}
}

// split4 is split2 of a level and of the next one.
func (k model) split4(x []uint64, h int, w, v []twiddle) {
	k.split2(x, 2*h, w)
	k.split2(x, h, v)
}

func (k model) join2(x []uint64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := a[j], a[h+j]
			a[j], a[h+j] = k.reduce(k.plus(u, v), k.m.twoP), k.mulShoup(k.minus(u, v), w[b])
		}
	}
}

func (k model) join4(x []uint64, h int, w, v []twiddle) {
	k.join2(x, h, v)
	k.join2(x, 2*h, w)
}

func (k model) radix3(x []uint64, h int, c []twiddle) {
	twoP := k.m.twoP
	for j := range h {
		s, d := k.plus(x[h+j], x[2*h+j]), k.minus(x[h+j], x[2*h+j])
		mid := k.reduce(k.plus(x[j], k.mulShoup(s, c[0])), twoP)
		e := k.mulShoup(d, c[1])
		x[j], x[h+j], x[2*h+j] = k.plus(x[j], k.reduce(s, twoP)), k.plus(mid, e), k.minus(mid, e)
	}
}

func (k model) radix5(x []uint64, h int, c []twiddle) {
	twoP := k.m.twoP
	for j := range h {
		x0, x1, x2, x3, x4 := x[j], x[h+j], x[2*h+j], x[3*h+j], x[4*h+j]
		s1, s2, d1, d2 := k.plus(x1, x4), k.plus(x2, x3), k.minus(x1, x4), k.minus(x2, x3)
		m1 := k.reduce(k.plus(k.reduce(k.plus(k.mulShoup(s1, c[0]), k.mulShoup(s2, c[1])), twoP), x0), twoP)
		m2 := k.reduce(k.plus(k.reduce(k.plus(k.mulShoup(s1, c[1]), k.mulShoup(s2, c[0])), twoP), x0), twoP)
		e1 := k.reduce(k.plus(k.mulShoup(d1, c[2]), k.mulShoup(d2, c[3])), twoP)
		e2 := k.reduce(k.minus(k.mulShoup(d1, c[3]), k.mulShoup(d2, c[2])), twoP)
		x[j] = k.plus(x0, k.reduce(k.plus(k.reduce(s1, twoP), k.reduce(s2, twoP)), twoP))
		x[h+j], x[4*h+j] = k.plus(m1, e1), k.minus(m1, e1)
		x[2*h+j], x[3*h+j] = k.plus(m2, e2), k.minus(m2, e2)
	}
}

func (k model) multiply(x, y []uint64, w []twiddle) {
	p, twoP := k.m.p, k.m.twoP
	for b := 0; lanes*b < len(x); b++ {
		var u, v, cv [lanes]uint64
		for i := range lanes {
			u[i] = k.reduce(k.reduce(x[lanes*b+i], twoP), p)
			v[i] = k.reduce(k.reduce(y[lanes*b+i], twoP), p)
			cv[i] = k.reduce(k.mulShoup(v[i], w[b/2]), p)
			if b&1 == 1 {
				cv[i] = p - cv[i]
			}
		}
		for e := range lanes {
			var h, l uint64
			for i := range lanes {
				f := v[(e-i+lanes)%lanes]
				if i > e {
					f = cv[e-i+lanes]
				}
				dh, dl := madd(u[i], f)
				h, l = h+dh, l+dl
			}
			k.in(l, 8<<52)
			h = k.in(h+l>>52, twoP)
			_, q := madd(l, k.m.c.inv)
			back, same := madd(q, p)
			if same != l&mask52 {
				k.t.Fatalf("the low half of a Montgomery step: %d, want %d", same, l&mask52)
			}
			x[lanes*b+e] = k.reduce(k.in(h-back+p, 3*p), twoP)
		}
	}
}

func (k model) load(x []uint64, l *limbs, w []twiddle) {
	for i := range l.stride {
		x[i] = 0
		for j := range l.n {
			x[i] = k.reduce(k.plus(x[i], k.mulShoup(l.planes[j*l.stride+i], w[j])), k.m.twoP)
		}
	}
}

func (k model) horner(acc *[lanes]uint64, x []uint64, z twiddle) {
	for g := len(x) - lanes; g >= 0; g -= lanes {
		for i := range lanes {
			acc[i] = k.reduce(k.plus(k.mulShoup(acc[i], z), x[g+i]), k.m.twoP)
		}
	}
}

// residues52 returns n numbers below bound: some of them extreme, or all the greatest one.
func residues52(rng *rand.Rand, n int, p, bound uint64, worst bool) []uint64 {
	extremes := []uint64{0, 1, p - 1, p, p + 1, 2*p - 1, 2 * p, 3 * p, bound - 1}
	x := make([]uint64, n)
	for i := range x {
		x[i] = rng.Uint64N(bound)
		if e := extremes[rng.IntN(len(extremes))]; e < bound && rng.IntN(2) == 0 {
			x[i] = e
		}
		if worst {
			x[i] = bound - 1
		}
	}
	return x
}

// need skips a test where the processor does not have the unit.
func need(t *testing.T, u *unit) {
	if !slices.Contains(units(), u) {
		t.Skipf("this processor has no %s", u.name)
	}
}

// everyVector tests every kind of vectors that there is, and skips the test where there is none.
func everyVector(t *testing.T, f func(t *testing.T, u *unit)) {
	if len(units()) == 0 {
		t.Skip("this processor has no vectors")
	}
	defer func(u *unit) { vectorUnit = u }(vectorUnit)
	for _, u := range units() {
		vectorUnit = u
		t.Run(u.name, func(t *testing.T) { f(t, u) })
	}
}

// TestKernelsAreTheirModels: bit by bit, at the ends of their ranges, for lengths from the least
// on, one block and several; the models check the ranges.
func TestKernelsAreTheirModels(t *testing.T) {
	need(t, ifma)
	rng := rand.New(rand.NewPCG(21, 22))
	ps := primes52(maxPrimes52)
	for _, m := range []*prime52{ps[0], ps[maxPrimes52-1], checkPrime52()} {
		k := model{t, m}
		compare := func(name string, x []uint64, kernel, loop func(x []uint64)) {
			t.Helper()
			got, want := slices.Clone(x), slices.Clone(x)
			kernel(got)
			loop(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s modulo %d, %d residues: %d, want %d", name, m.p, len(x), got, want)
			}
		}
		twoP, fourP := m.twoP, 2*m.twoP
		for round := range 6 {
			worst := round == 0
			for _, h := range []int{8, 16, 40} {
				for _, blocks := range []int{1, 2, 5} {
					w := m.roots52(1, 32).down[0]
					b := rng.IntN(4)
					v := w[2*b:]
					w = w[b:]
					x := residues52(rng, 2*h*blocks, m.p, fourP, worst)
					compare("split2", x, func(x []uint64) { split2ifma(&x[0], h, blocks, &w[0], &m.c) }, func(x []uint64) { k.split2(x, h, w) })
					x = residues52(rng, 4*h*blocks, m.p, fourP, worst)
					compare("split4", x, func(x []uint64) { split4ifma(&x[0], h, blocks, &w[0], &v[0], &m.c) }, func(x []uint64) { k.split4(x, h, w, v) })
					x = residues52(rng, 2*h*blocks, m.p, twoP, worst)
					compare("join2", x, func(x []uint64) { join2ifma(&x[0], h, blocks, &w[0], &m.c) }, func(x []uint64) { k.join2(x, h, w) })
					x = residues52(rng, 4*h*blocks, m.p, twoP, worst)
					compare("join4", x, func(x []uint64) { join4ifma(&x[0], h, blocks, &w[0], &v[0], &m.c) }, func(x []uint64) { k.join4(x, h, w, v) })
				}
				for _, c := range [][]twiddle{m.roots52(3, 2).c, m.roots52(3, 2).cInv} {
					x := residues52(rng, 3*h, m.p, twoP, worst)
					compare("radix3", x, func(x []uint64) { radix3ifma(&x[0], h, &c[0], &m.c) }, func(x []uint64) { k.radix3(x, h, c) })
				}
				for _, c := range [][]twiddle{m.roots52(5, 2).c, m.roots52(5, 2).cInv} {
					x := residues52(rng, 5*h, m.p, twoP, worst)
					compare("radix5", x, func(x []uint64) { radix5ifma(&x[0], h, &c[0], &m.c) }, func(x []uint64) { k.radix5(x, h, c) })
				}
				z := m.shoup52(rng.Uint64N(m.p))
				x := residues52(rng, h, m.p, twoP, worst)
				var acc, want [lanes]uint64
				copy(acc[:], residues52(rng, lanes, m.p, twoP, worst))
				want = acc
				hornerifma(&acc, &x[0], h/lanes, &z, &m.c)
				if k.horner(&want, x, z); acc != want {
					t.Fatalf("horner: %d, want %d", acc, want)
				}
				for _, n := range []int{1, 2, 5} {
					l := &limbs{residues52(rng, n*h, m.p, 1<<52, worst), h, n}
					compare("load", make([]uint64, h), func(x []uint64) { l.load(x, m, ifma) }, func(x []uint64) { k.load(x, l, m.powers52(n)) })
				}
			}
			for _, pairs := range []int{1, 3} {
				w := m.roots52(1, 8).down[0]
				x, y := residues52(rng, 2*lanes*pairs, m.p, fourP, worst), residues52(rng, 2*lanes*pairs, m.p, fourP, worst)
				compare("multiply", x, func(x []uint64) { multiplyifma(&x[0], &y[0], pairs, &w[0], &m.c) }, func(x []uint64) { k.multiply(x, y, w) })
				compare("square", x, func(x []uint64) { multiplyifma(&x[0], &x[0], pairs, &w[0], &m.c) }, func(x []uint64) { k.multiply(x, slices.Clone(x), w) })
			}
		}
	}
}

// TestTransform52Evaluates: a polynomial of degree 0 modulo x^N − 1 times another one is that one,
// x^i·x^j = x^(i+j), and the greatest residues in every place multiply to their sum.
func TestTransform52Evaluates(t *testing.T) { everyVector(t, transformEvaluates) }

func transformEvaluates(t *testing.T, u *unit) {
	m := primes52(3)[2]
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{80, 48, 16, 128, 160, 192, 256, 320, 384, 512, 4096, 8192, 6144, 12288, 10240, 20480} {
		f := u.transform(m, size)
		undo := u.undo(m, size)
		product := func(x, y []uint64) []uint64 {
			f.forward(x)
			f.forward(y)
			f.multiply(x, y)
			f.inverse(x)
			for i := range x {
				x[i] = m.mul(u.integer(x[i], m.p), undo)
			}
			return x
		}
		for range 4 {
			i, j := rng.IntN(size), rng.IntN(size)
			x, y := make([]uint64, size), make([]uint64, size)
			x[i], y[j] = u.residue(m.p-1), u.residue(m.p-1)
			for at, got := range product(x, y) {
				if want := uint64(0); at == (i+j)%size && got != 1 || at != (i+j)%size && got != want {
					t.Fatalf("size %d: −x^%d times −x^%d has %d at %d", size, i, j, got, at)
				}
			}
		}
		x, y := make([]uint64, size), make([]uint64, size)
		for i := range x {
			x[i], y[i] = u.residue(m.p-1), u.residue(m.p-1)
		}
		for at, got := range product(x, y) {
			if got != uint64(size) {
				t.Fatalf("size %d: an entry of (Σ −x^i)² is %d at %d", size, got, at)
			}
		}
		if size > 512 {
			continue
		}
		// Any residues: the definition.
		a, b := make([]uint64, size), make([]uint64, size)
		want := make([]uint64, size)
		for i := range a {
			a[i], b[i] = rng.Uint64N(m.p), rng.Uint64N(m.p)
			x[i], y[i] = u.residue(a[i]), u.residue(b[i])
		}
		for i := range a {
			for j := range b {
				k := (i + j) % size
				want[k] = reduce(want[k]+m.mul(a[i], b[j]), m.p)
			}
		}
		if got := product(x, y); !slices.Equal(got, want) {
			t.Fatalf("size %d: %d, want %d", size, got, want)
		}
	}
}

// residue returns what the unit takes for r < p.
func (u *unit) residue(r uint64) uint64 {
	if u.doubles {
		return math.Float64bits(float64(r))
	}
	return r
}

// TestRootTables: the blocks' constants are roots of each other, and up is the inverse of down.
func TestRootTables(t *testing.T) {
	m := primes52(2)[1]
	for _, r := range []int{1, 3, 5} {
		f := transform52{m: m, r: r, t: m.roots52(r, 64)}
		omega := m.root(r)
		for i := range r {
			e := f.halve(i)
			if s := f.t.down[e][0].w; m.mul(s, s) != m.pow(omega, uint64(i)) {
				t.Errorf("r = %d: the first split of block %d", r, i)
			}
			g := f.halve(e)
			for b := range 64 {
				s := f.t.down[e][b]
				if b < 32 {
					x, y := f.t.down[g][2*b].w, f.t.down[g][2*b+1].w
					if m.mul(x, x) != s.w || m.mul(y, y) != m.p-s.w {
						t.Errorf("r = %d: the halves of block %d", r, b)
					}
				}
				if m.mul(s.w, f.t.up[e][b].w) != 1 {
					t.Errorf("r = %d: the inverse root of block %d", r, b)
				}
			}
		}
	}
}

// TestPrimes52: the primes are as the proofs need, and every constant is as its name promises.
func TestPrimes52(t *testing.T) {
	q := checkPrime52()
	ps := primes52(maxPrimes52)
	for _, m := range append(slices.Clone(ps), q) {
		p := new(big.Int).SetUint64(m.p)
		if !p.ProbablyPrime(20) || m.p%primeStep != 1 || m.p >= 1<<50 || m != q && m.p <= 1<<49 || m == q && m.p >= 1<<49 {
			t.Errorf("prime %d", m.p)
		}
		if m.c.p != m.p || m.c.twoP != 2*m.p || m.c.neg != 1<<52-m.p || m.c.inv*m.p&mask52 != 1 || m.c.inv > mask52 || m.limb != m.power(52) {
			t.Errorf("%d: constants %v", m.p, m.c)
		}
	}
	for _, bits := range []uint{1, 49, 50, 51, 99, 100, 149, 256, 2048, 25000} {
		limit := new(big.Int).Lsh(big.NewInt(1), bits)
		product := big.NewInt(1)
		for _, p := range enough52(limit) {
			product.Mul(product, new(big.Int).SetUint64(p.p))
		}
		if product.Lsh(product, 2).Cmp(limit.Mul(limit, big.NewInt(5))) <= 0 {
			t.Errorf("a limit of %d bits, a product of %d", bits, product.BitLen()-2)
		}
	}
	product := big.NewInt(1)
	for k, p := range primes52(8) { // nearly all of the product of k + 1 primes: one more is needed
		product.Mul(product, new(big.Int).SetUint64(p.p))
		limit := new(big.Int).Mul(product, big.NewInt(9))
		if ps := enough52(limit.Quo(limit, big.NewInt(10))); len(ps) != k+2 {
			t.Errorf("%d primes for nine tenths of the product of %d", len(ps), k+1)
		}
	}
	if ps := enough52(new(big.Int).Lsh(big.NewInt(1), 1<<15)); ps != nil {
		t.Errorf("%d primes, want at most %d", len(ps), maxPrimes52)
	}
}

// crtOf returns what a unit makes of the residues of the integers xs, and of the check.
func crtOf(u *unit, ps []*prime52, size int, xs []*big.Int) (c *crt52, got []*big.Int, sum uint64) {
	c = newCRT52(ps, size, u)
	slab := make([]uint64, len(ps)*len(xs))
	for i, m := range ps {
		p := new(big.Int).SetUint64(m.p)
		scale := m.inv(u.undo(m, size))
		for j, x := range xs {
			r := m.mul(new(big.Int).Mod(x, p).Uint64(), scale)
			slab[i*len(xs)+j] = r + m.p*uint64((i+j)%4) // any of [0, 4p)
			if u.doubles {
				slab[i*len(xs)+j] = math.Float64bits(float64(r) + float64(m.p)*float64((i+j)%4-2)) // any of [−2p, 2p)
			}
		}
	}
	out := make([]uint64, len(xs)*c.limbs)
	digits := make([]uint64, (len(ps)+1)*lanes)
	var acc [lanes]uint64
	u.crt(&crtArguments{
		residues: &slab[0], stride: len(xs), primes: len(ps), groups: len(xs) / lanes, constants: &c.constants[0],
		cofactors: &c.cofactors[0], limbs: c.limbs, out: &out[0], digits: &digits[0], powers: &c.powers[0], check: &c.check, acc: &acc,
	})
	for j := range xs {
		x := new(big.Int)
		for k := c.limbs - 1; k >= 0; k-- {
			x.Lsh(x, 52).Or(x, new(big.Int).SetUint64(out[j/lanes*lanes*c.limbs+k*lanes+j%lanes]))
		}
		got = append(got, x)
	}
	return c, got, c.sum(&acc)
}

// TestCRT52IsTheDefinition: integers from 0 to four fifths of the product of the primes, one
// prime and as many as there may be, and the check's sum over them.
func TestCRT52IsTheDefinition(t *testing.T) { everyVector(t, crtIsTheDefinition) }

func crtIsTheDefinition(t *testing.T, u *unit) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, k := range []int{1, 2, 3, 6, 26, 52, maxPrimes52} {
		ps := primes52(k)
		most := big.NewInt(4)
		for _, p := range ps {
			most.Mul(most, new(big.Int).SetUint64(p.p))
		}
		most.Quo(most, big.NewInt(5))
		xs := []*big.Int{new(big.Int), big.NewInt(1), most, new(big.Int).Sub(most, big.NewInt(1)), new(big.Int).Rsh(most, 1)}
		for len(xs) < 24 {
			x := new(big.Int)
			for x.BitLen() <= most.BitLen() {
				x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(rng.Uint64()))
			}
			xs = append(xs, x.Mod(x, most).Rsh(x, uint(rng.IntN(2)*rng.IntN(most.BitLen()))))
		}
		c, got, sum := crtOf(u, ps, 1280, xs)
		q, z := new(big.Int).SetUint64(c.q.p), new(big.Int).SetUint64(c.z)
		want := new(big.Int)
		for j := len(xs) - 1; j >= 0; j-- {
			want.Mod(want.Mul(want, z).Add(want, xs[j]), q)
			if got[j].Cmp(xs[j]) != 0 {
				t.Errorf("%d primes: %v, want %v", k, got[j], xs[j])
			}
		}
		if sum != want.Uint64() {
			t.Errorf("%d primes: the check's sum is %d, want %v", k, sum, want)
		}
	}
}

// TestStore52Rounds: any bit that is cut off counts, and what does not fit is reported.
func TestStore52Rounds(t *testing.T) {
	const n = 6
	for _, prec := range []uint{1, 51, 52, 61, 64, 100, 104, 128, 150, 191} {
		for bit := range 52 * n {
			for _, extra := range []uint64{0, 1} {
				x := make([]uint64, lanes*n)
				x[bit/52*lanes] = 1 << (bit % 52)
				x[0] |= extra
				value := new(big.Int).Lsh(big.NewInt(1), uint(bit))
				value.Or(value, new(big.Int).SetUint64(extra))
				for _, r := range []Rounding{Down, Up} {
					v := NewVector(1, prec)
					want := round(value, prec, r)
					fits := want.BitLen() <= 64*v.Words()
					if ok := store52(v.slot(0), x, n, prec, r); ok != fits || ok && v.At(0).Cmp(want) != 0 {
						t.Fatalf("P = %d: 2^%d + %d is stored as %v, %v", prec, bit, extra, v.At(0), ok)
					}
				}
			}
		}
		// All bits set: rounding up has carries through all words.
		x := make([]uint64, lanes*n)
		for k := range n {
			x[lanes*k] = mask52
		}
		value := new(big.Int).Lsh(big.NewInt(1), 52*n)
		want := round(value.Sub(value, big.NewInt(1)), prec, Up)
		v := NewVector(1, prec)
		fits := want.BitLen() <= 64*v.Words()
		if ok := store52(v.slot(0), x, n, prec, Up); ok != fits || ok && v.At(0).Cmp(want) != 0 {
			t.Errorf("P = %d: 2^312 − 1 is stored as %v, %v", prec, v.At(0), ok)
		}
	}
}

// TestUnpackCutsWords: the limbs of an entry are its bits.
func TestUnpackCutsWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, prec := range []uint{1, 61, 64, 128, 200, 600} {
		v := NewVector(37, prec)
		n := (64*v.Words() + 51) / 52
		for i := range v.n {
			for k := range v.slot(i) {
				v.slot(i)[k] = big.Word(rng.Uint64() | -uint64(rng.IntN(2)))
			}
		}
		l := new(limbs).unpack(v, 0, v.n, n) // leaves something behind
		l.unpack(v, 16, 37, n)
		for i := range l.stride {
			got := new(big.Int)
			for k := n - 1; k >= 0; k-- {
				got.Lsh(got, 52).Or(got, new(big.Int).SetUint64(l.planes[k*l.stride+i]))
			}
			want := new(big.Int)
			if 16+i < v.n {
				want = v.At(16 + i)
			}
			if got.Cmp(want) != 0 {
				t.Fatalf("P = %d: entry %d is %v, want %v", prec, 16+i, got, want)
			}
		}
	}
}

// TestSelfCheck52: a residue that is off by one anywhere is reported, and so is an operand that
// changes on the way.
func TestSelfCheck52(t *testing.T) { everyVector(t, selfCheck52) }

func selfCheck52(t *testing.T, _ *unit) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := random(rng, 100, 64)
	sum := a.Sum()
	for _, at := range []int{0, 1, 57, 150, 255} {
		j := (&job{a: a, b: a, from: 0, n: 199, size: cyclicLen(199), bits: [2]int{sum.BitLen(), sum.BitLen()}}).vectors(new(big.Int).Mul(sum, sum))
		j.slab = make([]uint64, j.size*len(j.ps))
		if err := j.transforms(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := j.combine(context.Background()); err != nil {
			t.Fatal(err)
		}
		x := &j.residues(at % len(j.ps))[at%j.size]
		if *x++; j.u.doubles {
			*x = math.Float64bits(math.Float64frombits(*x-1) + 1)
		}
		if _, err := j.combine(context.Background()); !errors.Is(err, ErrSelfCheck) {
			t.Errorf("a wrong residue at %d: %v", at, err)
		}
	}
}

// TestMemory52: what a product in vectors needs is counted before it is allocated.
func TestMemory52(t *testing.T) { everyVector(t, memory52) }

func memory52(t *testing.T, _ *unit) {
	v := full(2000, 128, Down)
	var short *MemoryError
	if _, err := Window(WithMemory(context.Background(), 1<<17), v, v, 0, 3999, Down); !errors.As(err, &short) || short.Need < 6*8*4096 {
		t.Errorf("error %v", err)
	}
	if _, err := Window(WithMemory(context.Background(), short.Need), v, v, 0, 3999, Down); err != nil {
		t.Error(err)
	}
}

// TestStaleMemory: residues that an earlier product left behind have no effect.
func TestStaleMemory(t *testing.T) {
	if len(units()) == 0 {
		t.Skip("this processor has no vectors")
	}
	a, b := full(150, 61, Down), full(140, 61, Up)
	for range 3 {
		for range 4 {
			s := make([]uint64, 4096)
			for i := range s {
				s[i] = 12345
			}
			giveSlab(s)
		}
		sameByEveryUnit(t, a, a, 0, 299, Down)
		sameByEveryUnit(t, a, b, 0, 289, Down)
	}
}

// TestLongTablesOfOneRadix: a long table takes the place of the long tables of other radices, short ones stay, and all are right
// when they are made again.
func TestLongTablesOfOneRadix(t *testing.T) {
	m := newPrime52(primes52(1)[0].p)
	short := m.roots52(5, 64)
	first := m.roots52(1, 1<<16)
	if m.roots52(3, 1<<15); len(m.tables[1].down) > 0 || len(m.tables[3].down) == 0 || len(m.tables[5].down) == 0 {
		t.Errorf("%d, %d and %d tables are kept", len(m.tables[1].down), len(m.tables[3].down), len(m.tables[5].down))
	}
	if again := m.roots52(1, 1<<16); !slices.Equal(again.down[0], first.down[0]) || !slices.Equal(m.roots52(5, 64).up[4], short.up[4]) {
		t.Error("a table is another one the second time")
	}
}

// TestSecondsOfLongProducts: a long product has residues of its second operand for a quarter of its primes at a time, and its memory
// counts them; a square has none.
func TestSecondsOfLongProducts(t *testing.T) {
	a, b := NewVector(8, 123), NewVector(8, 123)
	for _, c := range []struct {
		size, primes int
		b            Vector
		most         int
	}{{1 << 12, 6, a, 0}, {1 << 20, 6, a, 0}, {1 << 20, 6, b, 1}, {1 << 12, 6, b, 6}} {
		j := &job52{job: &job{a: a, b: c.b, size: c.size}, ps: primes52(c.primes)}
		n := j.seconds()
		if n > c.most || c.most > 0 && n == 0 {
			t.Errorf("%d residues, %d primes: %d second operands at a time, want at most %d", c.size, c.primes, n, c.most)
		}
		if least := 8 * int64(c.size) * int64(c.primes+n); j.memory() < least {
			t.Errorf("%d residues: %d bytes of memory, more than %d are needed", c.size, j.memory(), least)
		}
	}
}
