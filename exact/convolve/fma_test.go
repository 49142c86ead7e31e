// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels of fma_amd64.s as loops in Go, one residue at a time, each step with the range that
// doubles.go states for it, and with its integers beside the doubles.
type doubles struct {
	t        *testing.T
	m        *prime
	p, recip float64
}

func newDoubles(t *testing.T, m *prime) doubles {
	return doubles{t, m, float64(m.p), 1 / float64(m.p)}
}

// within fails unless |x| ≤ bound and x is an integer.
func (k doubles) within(x, bound float64) float64 {
	if !(math.Abs(x) <= bound) || x != math.Trunc(x) {
		k.t.Helper()
		k.t.Fatalf("modulo %d: %g is no integer of at most %g", k.m.p, x, bound)
	}
	return x
}

// congruent fails unless r ≡ x·w mod p, for an integer w in [0, p).
func (k doubles) congruent(r, x float64, w uint64) float64 {
	got, want := fma.integer(math.Float64bits(r), k.m.p), k.m.mul(fma.integer(math.Float64bits(x), k.m.p), w)
	if got != want {
		k.t.Helper()
		k.t.Fatalf("modulo %d: %g·%d is %d, not %d", k.m.p, x, w, want, got)
	}
	return r
}

// factor returns W and WQ of a twiddle.
func factor(w twiddle) (x, q float64) { return float64(w.w), math.Ldexp(float64(2*w.q+1), -53) }

func (k doubles) product(x float64, w twiddle, base float64) float64 {
	f, g := factor(w)
	h := f * x
	q := math.FMA(g, x, base) - base
	l := k.within(math.FMA(f, x, -h), 1<<48)
	h = k.within(math.FMA(-q, k.p, h), 1<<51)
	return k.congruent(l+h, x, w.w)
}

func (k doubles) mulMod(x float64, w twiddle) float64 {
	return k.within(k.product(k.within(x, 2*k.p), w, 3<<51), 3*k.p/4)
}

func (k doubles) balance(x float64) float64 {
	q := math.FMA(k.within(x, 1<<52), k.recip, 3<<51) - 3<<51
	return k.congruent(k.within(math.FMA(-q, k.p, x), (k.p-1)/2), x, 1)
}

func (k doubles) split2(x []float64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := k.balance(k.within(a[j], 2*k.p)), k.mulMod(a[h+j], w[b])
			a[j], a[h+j] = k.within(u+v, 5*k.p/4), k.within(u-v, 5*k.p/4)
		}
	}
}

func (k doubles) split4(x []float64, h int, w, v []twiddle) {
	k.split2(x, 2*h, w)
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, y := a[j], k.mulMod(a[h+j], v[b])
			a[j], a[h+j] = k.within(u+y, 2*k.p), k.within(u-y, 2*k.p)
		}
	}
}

func (k doubles) join2(x []float64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := k.within(a[j], k.p), k.within(a[h+j], k.p)
			a[j], a[h+j] = k.balance(u+v), k.mulMod(u-v, w[b])
		}
	}
}

func (k doubles) join4(x []float64, h int, w, v []twiddle) {
	k.join2(x, h, v)
	for b := 0; 4*h*b < len(x); b++ {
		a := x[4*h*b:]
		for j := range h {
			s0, s1, d0, d1 := a[j], a[h+j], a[2*h+j], a[3*h+j]
			a[j], a[h+j] = k.within(s0+d0, k.p), k.balance(k.within(s1+d1, 3*k.p/2))
			a[2*h+j], a[3*h+j] = k.mulMod(s0-d0, w[b]), k.mulMod(s1-d1, w[b])
		}
	}
}

func (k doubles) radix3(x []float64, h int, c []twiddle) {
	for j := range h {
		x0, x1, x2 := k.within(x[j], k.p), k.within(x[h+j], k.p), k.within(x[2*h+j], k.p)
		s, d := x1+x2, x1-x2
		mid := k.balance(x0 + k.mulMod(s, c[0]))
		e := k.mulMod(d, c[1])
		x[j], x[h+j], x[2*h+j] = k.within(x0+k.balance(s), 2*k.p), k.within(mid+e, 2*k.p), k.within(mid-e, 2*k.p)
	}
}

func (k doubles) radix5(x []float64, h int, c []twiddle) {
	for j := range h {
		x0, x1, x2, x3, x4 := x[j], x[h+j], x[2*h+j], x[3*h+j], x[4*h+j]
		s1, s2, d1, d2 := x1+x4, x2+x3, x1-x4, x2-x3
		m1 := k.balance(k.mulMod(s1, c[0]) + k.mulMod(s2, c[1]) + x0)
		m2 := k.balance(k.mulMod(s1, c[1]) + k.mulMod(s2, c[0]) + x0)
		e1 := k.mulMod(d1, c[2]) + k.mulMod(d2, c[3])
		e2 := k.mulMod(d1, c[3]) - k.mulMod(d2, c[2])
		x[j] = k.within(x0+k.balance(s1+s2), 2*k.p)
		x[h+j], x[4*h+j] = k.within(m1+e1, 2*k.p), k.within(m1-e1, 2*k.p)
		x[2*h+j], x[3*h+j] = k.within(m2+e2, 2*k.p), k.within(m2-e2, 2*k.p)
	}
}

// multiply sets x to any residues of the products: what the kernel gives is at most p/2 + 1.
func (k doubles) multiply(x, y []float64, w []twiddle) {
	p := new(big.Int).SetUint64(k.m.p)
	for b := 0; lanes*b < len(x); b++ {
		c := new(big.Int).SetUint64(w[b/2].w)
		if b&1 == 1 {
			c.Neg(c)
		}
		var sums [lanes]big.Int
		for i := range lanes {
			for j := range lanes {
				f := big.NewInt(int64(x[lanes*b+i]))
				f.Mul(f, big.NewInt(int64(y[lanes*b+j])))
				if i+j >= lanes {
					f.Mul(f, c)
				}
				sums[(i+j)%lanes].Add(&sums[(i+j)%lanes], f)
			}
		}
		for i := range lanes {
			x[lanes*b+i] = float64(sums[i].Mod(&sums[i], p).Uint64())
		}
	}
}

func (k doubles) load(x []float64, l *limbs, w []twiddle) {
	for i := range l.stride {
		x[i] = 0
		for j := range l.n {
			x[i] = k.balance(x[i] + k.within(k.product(float64(l.planes[j*l.stride+i]), w[j], 1<<52), k.p))
		}
	}
}

func (k doubles) horner(acc, x []float64, z twiddle) {
	for g := len(x) - lanes; g >= 0; g -= lanes {
		for i := range lanes {
			acc[i] = k.within(k.mulMod(acc[i], z)+x[g+i], 5*k.p/4)
		}
	}
}

// doubles52 returns n integers of at most a bound, some of them extreme, or all of them at most ends apart from it.
func doubles52(rng *rand.Rand, n int, p uint64, bound int64, worst bool) []float64 {
	extremes := []int64{0, 1, int64(p) / 2, int64(p)/2 + 1, int64(p) - 1, int64(p), int64(p) + 1, bound - 1, bound}
	x := make([]float64, n)
	for i := range x {
		v := rng.Int64N(bound + 1)
		if e := extremes[rng.IntN(len(extremes))]; e <= bound && rng.IntN(2) == 0 {
			v = e
		}
		if worst {
			v = bound - rng.Int64N(3)/2
		}
		if rng.IntN(2) == 0 {
			v = -v
		}
		x[i] = float64(v)
	}
	return x
}

func toBits(x []float64) []uint64 {
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = math.Float64bits(v)
	}
	return out
}

func fromBits(x []uint64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Float64frombits(v)
	}
	return out
}

// need skips a test where the processor does not have the unit.
func need(t *testing.T, u *unit) {
	if !slices.Contains(units(), u) {
		t.Skipf("this processor has no %s", u.name)
	}
}

// TestDoublesAreTheirModels: bit by bit, at the ends of their ranges; the models check the ranges, and each product in
// integers.
func TestDoublesAreTheirModels(t *testing.T) {
	need(t, fma)
	rng := rand.New(rand.NewPCG(23, 24))
	ps := primes(maxPrimes)
	for _, m := range []*prime{ps[0], ps[maxPrimes-1], checkPrime()} {
		k := newDoubles(t, m)
		most := map[bound]int64{forSplit: int64(m.twoP) - 1, forJoin: int64(m.p), forHorner: int64(m.p) / 2}
		c := comparison[float64]{t, fma, m, k, toBits, fromBits, func(n int, of bound, worst bool) []float64 {
			return doubles52(rng, n, m.p, most[of], worst)
		}}
		for round := range 6 {
			worst := round == 0
			c.transforms(rng, worst)
			if m.p < 1<<49 {
				continue // no product uses it
			}
			for _, pairs := range []int{1, 3} {
				x, y := c.draw(2*lanes*pairs, forSplit, worst), c.draw(2*lanes*pairs, forSplit, worst)
				if round == 1 { // the greatest sums: every balanced factor at its end, of one sign
					for i := range x {
						x[i], y[i] = float64(m.p/2), -float64(m.p/2)
					}
				}
				c.products(x, y, func(x []uint64) { // any residues, brought below p
					for i := range x {
						k.within(math.Float64frombits(x[i]), k.p/2+1)
						x[i] = math.Float64bits(float64(fma.integer(x[i], m.p)))
					}
				})
			}
		}
	}
}

// TestBalanceIsLeast: the residue of least absolute value, where the quotient is next to a half.
func TestBalanceIsLeast(t *testing.T) {
	for _, m := range []*prime{primes(1)[0], primes(maxPrimes)[maxPrimes-1], checkPrime()} {
		k := newDoubles(t, m)
		for n := int64(-8); n < 8; n++ {
			for d := int64(-2); d <= 2; d++ {
				if x := float64(n*int64(m.p) + int64(m.p)/2 + d); math.Abs(x) <= 1<<52 {
					k.balance(x)
				}
			}
		}
	}
}

// TestTwiddlesAsDoubles: WQ is within 2^−53 of w/p, in integers: |(2q + 1)·p − w·2^53| ≤ p.
func TestTwiddlesAsDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, m := range []*prime{primes(1)[0], primes(maxPrimes)[maxPrimes-1], checkPrime()} {
		for i := range uint64(100) {
			w := m.p - 1 - i
			if i >= 10 {
				w = rng.Uint64N(m.p)
			} else if i >= 5 {
				w = i - 5
			}
			s := m.shoup(w)
			hi, lo := bits.Mul64(2*s.q+1, m.p)
			whi, wlo := w>>11, w<<53
			d, borrow := bits.Sub64(lo, wlo, 0)
			top, _ := bits.Sub64(hi, whi, borrow)
			if d != 0 && top == 0 && d <= m.p || top == math.MaxUint64 && -d <= m.p {
				continue
			}
			t.Errorf("modulo %d: the quotient of %d is %d", m.p, w, s.q)
		}
	}
}
