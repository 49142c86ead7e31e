// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestBinomialTails: tails of binomial variables enclose sums of rationals, at few bits and at many, and are
// narrow in relative terms.
func TestBinomialTails(t *testing.T) {
	testkit.SkipShort(t)
	for _, n := range []int64{1, 2, 7, 40} {
		for _, q := range []string{"1/1000", "1/3", "1/2", "99/100"} {
			q := rat(q)
			rest := new(big.Rat).Sub(ratOne, q)
			tail := new(big.Rat)
			for k := n; k >= 0; k-- {
				m := new(big.Rat).Mul(ratPow(q, k), ratPow(rest, n-k))
				m.Mul(m, new(big.Rat).SetInt(new(big.Int).Binomial(n, k)))
				tail.Add(tail, m)
				for _, p := range []interval.Prec{4, 53, 200} {
					x, y := BinomialMass(p, n, k, q), BinomialAtLeast(p, n, k, q)
					if !x.ContainsRat(m) || !y.ContainsRat(tail) {
						t.Errorf("Bin(%d, %s) at %d with %d bits: mass %s, tail %s", n, q, k, p, x, y)
					}
					if p > 4 && k < n/2 && (x.RelativeBits(int(p)) < int(p)-4 || y.RelativeBits(int(p)) < int(p)-4) {
						t.Errorf("Bin(%d, %s) at %d with %d bits: mass %s, tail %s: wide", n, q, k, p, x, y)
					}
				}
			}
		}
	}
}
