// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

// ratTrig encloses cos u for first = 0 and sin u for first = 1, 0 ≤ u ≤ 2.
func ratTrig(u *big.Rat, bits, first int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	if first == 1 {
		t.Set(u)
	}
	u2 := new(big.Rat).Mul(u, u)
	u2.Neg(u2)
	return testkit.Series(bits, func(i int) *big.Rat {
		if i > 0 {
			n := int64(2*i + first)
			t.Mul(t, u2)
			t.Mul(t, big.NewRat(1, n*(n-1)))
		}
		return new(big.Rat).Set(t)
	})
}

// distance returns how far x is from [lo, hi].
func distance(x, lo, hi *big.Rat) *big.Rat {
	switch {
	case x.Cmp(lo) < 0:
		return new(big.Rat).Sub(lo, x)
	case x.Cmp(hi) > 0:
		return new(big.Rat).Sub(x, hi)
	}
	return new(big.Rat)
}

// A circlePoint encloses (cos u, sin u) for 0 ≤ u ≤ 2.
type circlePoint struct{ clo, chi, slo, shi *big.Rat }

func newCirclePoint(u *big.Rat, bits int) (z circlePoint) {
	z.clo, z.chi = ratTrig(u, bits, 0)
	z.slo, z.shi = ratTrig(u, bits, 1)
	return z
}

// checkDisc verifies |(c + i·s)·2^−v − z| ≤ e·2^−v.
func checkDisc(t *testing.T, name string, c, s, e *big.Int, v int, z circlePoint) {
	t.Helper()
	dc, ds := distance(testkit.Scaled(c, v), z.clo, z.chi), distance(testkit.Scaled(s, v), z.slo, z.shi)
	d := dc.Mul(dc, dc)
	d.Add(d, ds.Mul(ds, ds))
	r := testkit.Scaled(e, v)
	if d.Cmp(r.Mul(r, r)) > 0 {
		t.Fatalf("%s: the disc of radius %v around (%v, %v)·2^−%d misses (%s, %s)", name, e, c, s, v, z.clo.FloatString(20), z.slo.FloatString(20))
	}
}

func TestExpiSeriesContainsExpAtEveryDegree(t *testing.T) {
	for _, v := range []int{14, 17, 20, 40} {
		limit := int64(1) << (v - 14) // u ≤ 2^−14
		for i := int64(0); i <= 64; i++ {
			U := big.NewInt(limit * i / 64)
			z := newCirclePoint(testkit.Scaled(U, v), 2*v+20)
			for _, d := range testkit.Degrees {
				c, s, e := expiSeries(U, v, d)
				checkDisc(t, fmt.Sprintf("expiSeries(%v, %d, %d)", U, v, d), c, s, e, v, z)
			}
		}
	}
}

// TestExpiFixedContainsExpAtEveryDegree: quarters of a turn are taken off by a value of
// π that is far more precise than the kernel's.
func TestExpiFixedContainsExpAtEveryDegree(t *testing.T) {
	half := testkit.Scaled(Pi(100), 101)
	for i := int64(-170); i <= 170; i += int64(100 / testkit.Draws(10, 20, 20)) {
		if i == 0 {
			continue
		}
		for _, w := range []int{8, 14, 20} {
			x := new(big.Float).SetMantExp(new(big.Float).SetInt64(i*i*i), -14)
			r, _ := x.Rat(nil)
			q := new(big.Rat).Quo(r, half)
			n := new(big.Int).Div(q.Num(), q.Denom())
			u := new(big.Rat).Sub(r, new(big.Rat).Mul(half, new(big.Rat).SetInt(n)))
			z := newCirclePoint(u, 50)
			for _, d := range testkit.Degrees {
				c, s, e, v := Circle(x, w, d)
				switch new(big.Int).And(n, big.NewInt(3)).Int64() { // times i^−n
				case 1:
					c, s = s, new(big.Int).Neg(c)
				case 2:
					c, s = new(big.Int).Neg(c), new(big.Int).Neg(s)
				case 3:
					c, s = new(big.Int).Neg(s), c
				}
				checkDisc(t, fmt.Sprintf("Circle(%s, %d, %d)", r.RatString(), w, d), c, s, e, v, z)
				if d < 0 && e.BitLen() > v-w+6 {
					t.Errorf("Circle(%s, %d): radius %v at scale %d", r.RatString(), w, e, v)
				}
			}
		}
	}
}
