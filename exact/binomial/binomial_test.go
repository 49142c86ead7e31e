// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

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
			q := testkit.Rat(q)
			rest := new(big.Rat).Sub(ratOne, q)
			tail := new(big.Rat)
			for k := n; k >= 0; k-- {
				m := new(big.Rat).Mul(power(q, k), power(rest, n-k))
				m.Mul(m, new(big.Rat).SetInt(new(big.Int).Binomial(n, k)))
				tail.Add(tail, m)
				for _, p := range []interval.Prec{4, 53, 200} {
					x, y := Mass(p, n, k, q), AtLeast(p, n, k, q)
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

// power returns q^k.
func power(q *big.Rat, k int64) *big.Rat {
	n := big.NewInt(k)
	return new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), n, nil), new(big.Int).Exp(q.Denom(), n, nil))
}

// TestLogFactorial: (n + 1)! is (n + 1)·n!, and from the product at the least n.
func TestLogFactorial(t *testing.T) {
	for _, w := range []interval.Prec{53, 256, 400} {
		exact := w.Log(w.BigInt(new(big.Int).MulRange(1, stirlingFrom)))
		if x := logFactorial(w, stirlingFrom); !overlap(x, exact) || x.RelativeBits(400) < int(min(w, 256))-20 {
			t.Errorf("log %d! is %v, want %v", stirlingFrom, x, exact)
		}
		for _, n := range []int64{600, 12345, 1000000000000} {
			x, y := w.Add(logFactorial(w, n), w.Log(interval.Int(n+1))), logFactorial(w, n+1)
			if !overlap(x, y) {
				t.Errorf("%d bits: log %d! and of the next differ: %v, %v", w, n, x, y)
			}
		}
	}
}

func overlap(x, y interval.Interval) bool {
	_, ok := interval.Intersect(x, y)
	return ok
}
