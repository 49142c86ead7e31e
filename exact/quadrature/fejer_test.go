// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// chebyshev returns T_j(y).
func chebyshev(y interval.Interval, j int) interval.Interval {
	a, b := interval.Int(1), y
	for range j {
		a, b = b, fine.Sub(fine.Scale(fine.Mul(y, b), 1), a)
	}
	return a
}

// TestFejerRule: nodes are zeros of T_n, and T_j is integrated to 2/(1 − j²), or 0, for j < n;
// T_n to 0. Weights are positive.
func TestFejerRule(t *testing.T) {
	for n := 1; n <= 13; n++ {
		for _, p := range []interval.Prec{2, 3, 8, 53, 128} {
			nodes, weights := Fejer(p, n)
			if len(nodes) != n || len(weights) != n {
				t.Fatalf("%d nodes, %d weights, want %d", len(nodes), len(weights), n)
			}
			for k, y := range nodes {
				if z := chebyshev(y, n); z.Positive() == interval.True || z.Negative() == interval.True {
					t.Errorf("n = %d at %d bits: T_n(y_%d) = %v", n, p, k, z)
				}
				if k > 0 && p >= 8 && y.Less(nodes[k-1]) != interval.True {
					t.Errorf("n = %d at %d bits: nodes do not fall", n, p)
				}
				if p >= 8 && weights[k].Positive() != interval.True {
					t.Errorf("n = %d at %d bits: w_%d = %v", n, p, k, weights[k])
				}
			}
			for j := 0; j <= n; j++ {
				sum := interval.Int(0)
				for k, y := range nodes {
					sum = fine.Add(sum, fine.Mul(weights[k], chebyshev(y, j)))
				}
				want := new(big.Rat)
				if j%2 == 0 && j < n {
					want = big.NewRat(2, int64(1-j*j))
				}
				if !sum.ContainsRat(want) {
					t.Errorf("n = %d at %d bits: ∫T_%d in %v, want %s", n, p, j, sum, want.RatString())
				}
				if e := fine.Sub(sum, fine.Rat(want)).Abs(); p == 128 && fine.Scale(one, -100).Less(e) != interval.False {
					t.Errorf("n = %d: ∫T_%d in %v: wide", n, j, sum)
				}
			}
		}
	}
}

// TestFejerFixedPoint: in any scale of the fixed-point numbers, the weights are the weights of a
// fine one.
func TestFejerFixedPoint(t *testing.T) {
	for _, n := range []int{1, 2, 5, 12, 31} {
		_, want := Fejer(fine, n)
		for v := 1; v <= 24; v++ {
			_, got := fixedFejer(100, n, v)
			for k := range want {
				if _, ok := interval.Intersect(got[k], want[k]); !ok {
					t.Errorf("n = %d in scale %d: w_%d in %v, want %v", n, v, k, got[k], want[k])
				}
			}
		}
	}
}

// TestFejerError: 1/(c − y), whose largest modulus on the ellipse is at its right end, and T_m,
// which is largest there, too, against the integrals.
func TestFejerError(t *testing.T) {
	sharpest := interval.Int(0)
	check := func(name string, n int, rho interval.Interval, f func(y interval.Interval) interval.Interval, integral, sup interval.Interval) {
		t.Helper()
		nodes, weights := Fejer(fine, n)
		sum := integral.Neg()
		for k, y := range nodes {
			sum = fine.Add(sum, fine.Mul(weights[k], f(y)))
		}
		bound := FejerError(upper(sup), rho, n)
		if sum.Abs().Lo().Cmp(bound.Hi()) > 0 {
			t.Errorf("%s with %d nodes, ρ = %v: the error is %v > %v", name, n, rho, sum, bound)
		}
		sharpest = interval.Max(sharpest, fine.Div(interval.Point(sum.Abs().Lo()), bound))
	}
	for _, r := range []string{"17/16", "3/2", "5"} {
		rho := fine.Rat(rat(r))
		end := fine.Scale(fine.Add(rho, fine.Inv(rho)), -1)
		for n := 1; n <= 12; n++ {
			for _, beyond := range []string{"1/1000", "1"} {
				c := fine.Add(end, fine.Rat(rat(beyond)))
				integral := fine.Log(fine.Div(fine.Add(c, one), fine.Sub(c, one)))
				f := func(y interval.Interval) interval.Interval { return fine.Inv(fine.Sub(c, y)) }
				check("1/(c − y)", n, rho, f, integral, fine.Inv(fine.Sub(c, end)))
			}
			for _, m := range []int{n, 2 * n, 2*n + 2} {
				integral := interval.Int(0)
				if m%2 == 0 {
					integral = fine.Rat(big.NewRat(2, int64(1-m*m)))
				}
				f := func(y interval.Interval) interval.Interval { return chebyshev(y, m) }
				check("T_m", n, rho, f, integral, chebyshev(end, m))
			}
		}
	}
	if sharpest.LessRat(rat("1/10")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", sharpest)
	}
}
