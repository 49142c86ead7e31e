// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"slices"
	"testing"
)

// TestPrimes: the primes are as the proofs need, and every constant is as its name promises.
func TestPrimes(t *testing.T) {
	q := checkPrime()
	ps := primes(maxPrimes)
	for _, m := range append(slices.Clone(ps), q) {
		p := new(big.Int).SetUint64(m.p)
		if !p.ProbablyPrime(20) || m.p%primeStep != 1 || m.p >= 1<<50 || m != q && m.p <= 1<<49 || m == q && m.p >= 1<<49 {
			t.Errorf("prime %d", m.p)
		}
		if m.twoP != 2*m.p || m.neg != 1<<52-m.p || m.pinv*m.p&mask52 != 1 || m.pinv > mask52 || m.limb != 1<<52%m.p {
			t.Errorf("%d: constants %v", m.p, m.constants)
		}
		if m.pow(m.gen, primeStep) != 1 || m.pow(m.gen, primeStep/2) == 1 || m.pow(m.gen, primeStep/3) == 1 || m.pow(m.gen, primeStep/5) == 1 {
			t.Errorf("%d: generator", m.p)
		}
	}
}

// TestLazyArithmetic: the representatives stay in the ranges that the butterflies
// assume, at the extremes of the ranges.
func TestLazyArithmetic(t *testing.T) {
	m := primes(1)[0]
	p := new(big.Int).SetUint64(m.p)
	for _, x := range []uint64{0, 1, m.p - 1, m.p, 2*m.p - 1, 4*m.p - 1, 1<<52 - 1} {
		for _, w := range []uint64{0, 1, 2, m.p / 2, m.p - 1} {
			r := m.times(x, m.shoup(w))
			want := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(w))
			if r >= m.twoP || r%m.p != want.Mod(want, p).Uint64() {
				t.Errorf("%d·%d is %d", x, w, r)
			}
		}
	}
}
