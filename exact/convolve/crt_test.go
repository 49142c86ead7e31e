// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// crtOf returns what a unit makes of the residues of the integers xs, and of the check.
func crtOf(u *unit, ps []*prime, size int, xs []*big.Int) (c *crt, got []*big.Int, sum uint64) {
	c = newCRT(ps, size, u)
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
	u.crt(&c.remainders, slab, len(xs), out, digits, &acc)
	for j := range xs {
		x := new(big.Int)
		for k := c.limbs - 1; k >= 0; k-- {
			x.Lsh(x, 52).Or(x, new(big.Int).SetUint64(out[j/lanes*lanes*c.limbs+k*lanes+j%lanes]))
		}
		got = append(got, x)
	}
	return c, got, c.sum(&acc)
}

// TestCRTIsTheDefinition: integers from 0 to four fifths of the product of the primes, one
// prime and as many as there may be, and the check's sum over them.
func TestCRTIsTheDefinition(t *testing.T) { everyVector(t, crtIsTheDefinition) }

func crtIsTheDefinition(t *testing.T, u *unit) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, k := range []int{1, 2, 3, 6, 26, 52, maxPrimes, maxPrimes + 1} {
		if u.vectors && k > maxPrimes {
			continue
		}
		ps := primes(k)
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

// TestStoreRounds: any bit that is cut off counts, and what does not fit is reported.
func TestStoreRounds(t *testing.T) {
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
					want := Round(value, prec, r)
					fits := want.BitLen() <= wordBits*v.Words()
					if ok := store(v.slot(0), x, n, prec, r); ok != fits || ok && v.At(0).Cmp(want) != 0 {
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
		want := Round(value.Sub(value, big.NewInt(1)), prec, Up)
		v := NewVector(1, prec)
		fits := want.BitLen() <= wordBits*v.Words()
		if ok := store(v.slot(0), x, n, prec, Up); ok != fits || ok && v.At(0).Cmp(want) != 0 {
			t.Errorf("P = %d: 2^312 − 1 is stored as %v, %v", prec, v.At(0), ok)
		}
	}
}

// TestFractionsOfLimbs: the 64 bits below a bit, of limbs.
func TestFractionsOfLimbs(t *testing.T) {
	const n = 6
	rng := rand.New(rand.NewPCG(55, 56))
	for _, prec := range []uint{1, 8, 51, 52, 53, 61, 64, 65, 100, 104, 127, 128, 150, 191, 250} {
		for range 40 {
			value, limbs := new(big.Int), make([]uint64, lanes*n)
			for k := n - 1; k >= 0; k-- {
				limbs[lanes*k] = rng.Uint64() & mask52
				value.Lsh(value, 52).Or(value, new(big.Int).SetUint64(limbs[lanes*k]))
			}
			want := new(big.Int).Rsh(new(big.Int).Lsh(value, 64), prec).Uint64()
			if got := fraction(limbs, n, prec); got != want {
				t.Errorf("P = %d: %x has the fraction %x, want %x", prec, value, got, want)
			}
		}
	}
}
