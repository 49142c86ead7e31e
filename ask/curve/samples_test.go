// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"math/big"
	"slices"
	"testing"

	"dpverify/internal/number"
)

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	x, err := number.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The points rise from the first to the last, none is far from its even place, and
// those inside are short.
func TestSpaced(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"0", "1"}, {"0", "7"}, {"-1/3", "2"}, {"0", "1e-100"}, {"1e50", "1e51"}, {"5", "5.000000001"}, {"0", "1e3000"}, {"-7.77", "-1e-9"},
	} {
		from, to := rat(t, c.from), rat(t, c.to)
		for _, n := range []int{2, 3, 7, 100, 101} {
			xs := spaced(from, to, n)
			if len(xs) != n || xs[0].Cmp(from) != 0 || xs[n-1].Cmp(to) != 0 {
				t.Fatalf("[%s, %s]: %d points from %v to %v", c.from, c.to, len(xs), xs[0], xs[n-1])
			}
			step := new(big.Rat).Sub(to, from)
			step.Quo(step, new(big.Rat).SetInt64(int64(n-1)))
			for i, x := range xs {
				if i > 0 && x.Cmp(xs[i-1]) <= 0 {
					t.Fatalf("[%s, %s] at %d points: %v does not exceed %v", c.from, c.to, n, x, xs[i-1])
				}
				even := new(big.Rat).Mul(step, big.NewRat(int64(i), 1))
				off := even.Sub(even.Add(even, from), x)
				if off.Abs(off).Cmp(new(big.Rat).Quo(step, big.NewRat(200, 1))) > 0 {
					t.Errorf("[%s, %s] at %d points: %v is not near its place", c.from, c.to, n, x)
				}
				if i > 0 && i < n-1 && c.from == "0" && len(number.Format(x)) > 12 {
					t.Errorf("[%s, %s] at %d points: %s is long", c.from, c.to, n, number.Format(x))
				}
			}
		}
	}
	for i, x := range spaced(rat(t, "0"), rat(t, "7"), 101) {
		if x.Cmp(big.NewRat(7*int64(i), 100)) != 0 {
			t.Errorf("7 in 100 parts: point %d is %v", i, x)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, c := range []struct{ x, want string }{
		{"1", "1"}, {"6.5999", "6.6"}, {"6.6", "6.6"}, {"6.6000001", "6.7"}, {"9.91", "10"}, {"123", "130"}, {"0.00101", "0.0011"},
		{"1e-3000", "1e-3000"}, {"9.9999e200", "1e201"}, {"1/3", "0.34"},
	} {
		if got := roundUp(rat(t, c.x)); got.Cmp(rat(t, c.want)) != 0 {
			t.Errorf("roundUp(%s) = %s, want %s", c.x, number.Format(got), c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		last int64
		n    int
		want []int64
	}{
		{1, 5, []int64{1}},
		{3, 100, []int64{1, 2, 3}},
		{10, 4, []int64{1, 4, 7, 10}},
		{1_000_000_000_000, 3, []int64{1, 500_000_000_001, 1_000_000_000_000}},
	} {
		same := func(x *big.Rat, k int64) bool { return x.Cmp(big.NewRat(k, 1)) == 0 }
		if got := counts(c.last, c.n); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("counts(%d, %d) = %v, want %v", c.last, c.n, got, c.want)
		}
	}
}
