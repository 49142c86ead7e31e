// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// discreteLaplaceSum is δ(ε) for e^ε = num/den and e^−a = z, term by term in rational
// arithmetic: the masses (1 − z)/(1 + z)·z^|x| at 1 ≤ x < s, and 1/(1 + z) and z^s/(1 + z)
// at either end.
func discreteLaplaceSum(z, alpha *big.Rat, s int64) *big.Rat {
	one := big.NewRat(1, 1)
	norm := new(big.Rat).Add(one, z)
	power := func(n int64) *big.Rat {
		r := new(big.Rat).Set(one)
		for range n {
			r.Mul(r, z)
		}
		return r
	}
	sum := new(big.Rat)
	add := func(p, q *big.Rat) {
		if d := new(big.Rat).Sub(p, new(big.Rat).Mul(alpha, q)); d.Sign() > 0 {
			sum.Add(sum, d.Quo(d, norm))
		}
	}
	add(one, power(s))
	for x := int64(1); x < s; x++ {
		c := new(big.Rat).Sub(one, z)
		add(new(big.Rat).Mul(c, power(x)), c.Mul(c, power(s-x)))
	}
	add(power(s), one)
	return sum
}

// TestDiscreteLaplaceIsTheSum: the closed form contains the sum of the definition, at any
// precision, and is narrow. a and ε are logarithms, by their enclosures; a is rounded
// to a rational number and the sum is taken at e^−a from either side.
func TestDiscreteLaplaceIsTheSum(t *testing.T) {
	for _, s := range []int64{1, 2, 3, 8} {
		for _, a := range []string{"1/10", "1", "3", "1/3"} {
			for _, eps := range []string{"0", "1/10", "1", "19/10", "2", "-1", "-7", "1/3", "5", "100"} {
				const w = interval.Prec(160)
				zlo, zhi, _ := w.Exp(w.Rat(rat("-" + a))).Rationals()
				alo, ahi, _ := w.Exp(w.Rat(rat(eps))).Rationals()
				// δ falls with e^−a and with e^ε.
				lo, hi := discreteLaplaceSum(zhi, ahi, s), discreteLaplaceSum(zlo, alo, s)
				for _, p := range []interval.Prec{2, 8, 53, 128} {
					y := DiscreteLaplace(p, rat(a), s, interval.RealRat(rat(eps)))
					if y.LessRat(lo) == interval.True || y.LessEqRat(hi) == interval.False && !y.ContainsRat(hi) {
						t.Errorf("a = %s, s = %d, %d bits: δ(%s) in %s, want %s", a, s, p, eps, y, lo.FloatString(30))
					}
					if d := hi; p == 128 && d.Cmp(rat("1e-30")) > 0 && !narrow(y, 120) {
						t.Errorf("a = %s, s = %d: δ(%s) in %s", a, s, eps, y)
					}
				}
			}
		}
	}
}

// TestDiscreteLaplaceOfLongShift: with a·s = 1 and s → ∞ the profile is as for Laplace noise,
// 1 − e^((ε−1)/2), but for O(1/s²).
func TestDiscreteLaplaceOfLongShift(t *testing.T) {
	for _, s := range []int64{1e6, 1e9} {
		a := big.NewRat(1, s)
		y := DiscreteLaplace(128, a, s, interval.RealRat(rat("1/10")))
		want := Laplace(128, rat("1"), interval.RealRat(rat("1/10")))
		tiny := big.NewRat(1, s)
		tiny.Mul(tiny, tiny)
		d := interval.Prec(200).Sub(y, want).Abs()
		if d.LessEqRat(tiny) != interval.True || !narrow(y, 120) {
			t.Errorf("s = %d: %s, of Laplace noise %s", s, y, want)
		}
	}
	// An ε that is hardly known: both the integer and the value are open.
	for _, ends := range [][2]string{{"-1", "1"}, {"1/5", "1"}} {
		wide := func(interval.Prec) interval.Interval {
			const w = interval.Prec(64)
			return interval.Union(w.Rat(rat(ends[0])), w.Rat(rat(ends[1])))
		}
		y := DiscreteLaplace(64, big.NewRat(1, 1000), 1000, wide)
		for _, eps := range []string{ends[0], "1/3", "1/2", ends[1]} {
			if z := DiscreteLaplace(64, big.NewRat(1, 1000), 1000, interval.RealRat(rat(eps))); !y.Encloses(z) {
				t.Errorf("δ of %s = %s does not contain δ(%s) = %s", ends, y, eps, z)
			}
		}
	}
}
