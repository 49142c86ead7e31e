// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

import (
	"math/big"
	"testing"
)

// Degrees are those at which sums are cut in tests, −1 for none.
//
// Kernels are tested with their sums cut at every small degree, where the
// remainder is most of the answer: with guard bits and full sums a forgotten
// remainder would go unnoticed. The other side is exact rational arithmetic.
var Degrees = []int{0, 1, 2, 3, 4, -1}

func PowerOfTwo(e int) *big.Rat {
	if e >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
	}
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
}

// Scaled returns n·2^−v.
func Scaled(n *big.Int, v int) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), PowerOfTwo(-v))
}

// A Series sums term(0), term(1), … exactly until a term is below 2^−bits,
// and returns rationals around the limit given that what is left out is at most
// twice the next term in magnitude.
func Series(bits int, term func(i int) *big.Rat) (lo, hi *big.Rat) {
	sum := new(big.Rat)
	small := PowerOfTwo(-bits)
	for i := 0; ; i++ {
		t := term(i)
		if i > 2 && new(big.Rat).Abs(t).Cmp(small) < 0 {
			t.Abs(t)
			t.Add(t, t)
			return new(big.Rat).Sub(sum, t), new(big.Rat).Add(sum, t)
		}
		sum.Add(sum, t)
	}
}

// CheckFixed verifies lo·2^−v ≤ [tlo, thi] ≤ hi·2^−v for a true value known to
// lie between tlo and thi, which must be far closer together than lo and hi.
func CheckFixed(t *testing.T, name string, lo, hi *big.Int, v int, tlo, thi *big.Rat) {
	t.Helper()
	if Scaled(lo, v).Cmp(tlo) > 0 || Scaled(hi, v).Cmp(thi) < 0 {
		t.Fatalf("%s: [%v, %v]·2^−%d does not contain %s", name, lo, hi, v, tlo.FloatString(20))
	}
}

// expOfFraction encloses e^u for 0 ≤ u ≤ 1.
func expOfFraction(u *big.Rat, bits int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	return Series(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, u)
			t.Mul(t, big.NewRat(1, int64(i)))
		}
		return new(big.Rat).Set(t)
	})
}

// Exp encloses e^x for rational |x| ≤ 8 by e^(x/8)^8.
func Exp(x *big.Rat, bits int) (lo, hi *big.Rat) {
	u := new(big.Rat).Mul(new(big.Rat).Abs(x), big.NewRat(1, 8))
	lo, hi = expOfFraction(u, bits)
	for range 3 {
		lo.Mul(lo, lo)
		hi.Mul(hi, hi)
	}
	if x.Sign() < 0 {
		lo, hi = hi.Inv(hi), lo.Inv(lo)
	}
	return lo, hi
}

// Log encloses log m for m in [1/2, 2] by 2·atanh((m−1)/(m+1)).
func Log(m *big.Rat, bits int) (lo, hi *big.Rat) {
	one := big.NewRat(1, 1)
	z := new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one))
	t := new(big.Rat).Add(z, z)
	z2 := new(big.Rat).Mul(z, z)
	return Series(bits, func(i int) *big.Rat {
		if i > 0 {
			t.Mul(t, z2)
		}
		return new(big.Rat).Mul(t, big.NewRat(1, int64(2*i+1)))
	})
}
