// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/kernel"
	"dpverify/internal/testkit"
)

// reference is the scale of the slow side: exact/kernel, in integers of any length.
const reference = 320

// A truth is a number x with lo ≤ x·2^v ≤ hi.
type truth struct {
	lo, hi *big.Int
	v      int
}

func (x truth) low() *big.Rat  { return testkit.Scaled(x.lo, x.v) }
func (x truth) high() *big.Rat { return testkit.Scaled(x.hi, x.v) }

// neg is −x.
func (x truth) neg() truth { return truth{new(big.Int).Neg(x.hi), new(big.Int).Neg(x.lo), x.v} }

// scaled is x·2^k.
func (x truth) scaled(k int) truth { return truth{x.lo, x.hi, x.v - k} }

// expOfScaled encloses e^(n·2^−s).
func expOfScaled(n *big.Int, s int) truth {
	if n.Sign() == 0 {
		one := new(big.Int).Lsh(big.NewInt(1), reference)
		return truth{one, one, reference}
	}
	x := new(big.Float).SetInt(n)
	lo, hi, k, v := kernel.Exp(x.SetMantExp(x, -s), reference, -1)
	return truth{lo, hi, v - k}
}

// expOf encloses e^(n + f).
func expOf(n int64, f Frac) truth {
	m := new(big.Int).Lsh(big.NewInt(n), 192)
	return expOfScaled(m.Add(m, bigOf(f)), 192)
}

// expm1Of encloses e^(n·2^−s) − 1.
func expm1Of(n *big.Int, s int) truth {
	x := expOfScaled(n, s)
	one := new(big.Int).Lsh(big.NewInt(1), uint(x.v))
	return truth{new(big.Int).Sub(x.lo, one), new(big.Int).Sub(x.hi, one), x.v}
}

// minusLog encloses −log(n·2^−s), 1/2 ≤ n·2^−s ≤ 1.
func minusLog(n *big.Int, s int) truth {
	e := 0
	if n.BitLen() == s+1 { // n·2^−s = 1
		return truth{new(big.Int), new(big.Int), reference}
	}
	if new(big.Int).Mul(n, big.NewInt(3)).BitLen() <= s+1 { // 3n < 2·2^s
		s, e = s-1, -1
	}
	lo, hi := kernel.Log(n, s, e, reference)
	return truth{lo, hi, reference}.neg()
}

// within fails unless computed − above < truth < computed + below, in ulps of 2^(e−192); above = 0 stands for
// computed ≤ truth.
func within(t *testing.T, name string, computed Frac, e int, above, below int64, x truth) {
	t.Helper()
	s := uint(x.v + e - 192) // an ulp is 2^s units of the truth
	units := func(n *big.Int) *big.Int { return new(big.Int).Lsh(n, s) }
	c := units(bigOf(computed))
	lo, hi := new(big.Int).Sub(x.lo, c), new(big.Int).Sub(x.hi, c)
	if above == 0 && hi.Sign() < 0 || above > 0 && lo.Cmp(units(big.NewInt(-above))) <= 0 ||
		hi.Cmp(units(big.NewInt(below))) >= 0 {
		t.Fatalf("%s: off by %v to %v units of 2^−%d ulps, want (−%d, %d)", name, lo, hi, s, above, below)
	}
}

// some returns fractions of all kinds.
func some(r *rand.Rand) Frac { return Make(testkit.Fraction(r)) }
