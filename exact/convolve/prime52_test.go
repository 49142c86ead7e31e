// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"math/big"
	"slices"
	"testing"
)

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
