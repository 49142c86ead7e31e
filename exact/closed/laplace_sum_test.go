// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// literalLaplaceSum is the sum over numbers c of densities and m of atoms below, without
// the reordering by powers of u, and from the other end: the densities are sums of powers
// (t − τ)₊^(c−1), which vanish together beyond kx, τ = (2m − k)x. Each is integrated up to kx,
// with y = (t − τ)/2 and
//
//	R_c(y) = e^y·Σ_{i<c}(−y)^i/i!,   S_c(y) = e^(−y)·Σ_{i<c} y^i/i!,
//	J_{c,m} = 2^c·{ (−1)^(c−1)·e^(τ/2)·[R_c(U) − R_c(u)] − e^(ε−τ/2)·[S_c(u) − S_c(U)] },
//	u = (max(ε, τ) − τ)/2, U = (kx − τ)/2, J_{0,m} = (e^(τ/2) − e^(ε−τ/2))₊.
func literalLaplaceSum(w interval.Prec, shift *big.Rat, k int64, eps *big.Rat) interval.Interval {
	x, e := w.Rat(shift), w.Rat(eps)
	exps := func(y interval.Interval, c int64, sign int64) interval.Interval { // R for sign 1, S for −1
		sum, term := zero, one
		for i := range c {
			sum = w.Add(sum, term)
			term = w.Div(w.Mul(term, w.Mul(interval.Int(-sign), y)), interval.Int(i+1))
		}
		return w.Mul(w.Exp(w.Mul(interval.Int(sign), y)), sum)
	}
	sum := zero
	for c := range k + 1 {
		kraw := []*big.Int{big.NewInt(1)} // (1−z)^c·(1+z)^(k−c)
		for i := range k {
			sign := int64(1)
			if i < c {
				sign = -1
			}
			kraw = times1z(kraw, sign)
		}
		row := zero
		for m := range k + 1 {
			tau := w.Mul(interval.Int(2*m-k), x)
			up, down := w.Exp(w.Scale(tau, -1)), w.Exp(w.Sub(e, w.Scale(tau, -1)))
			var j interval.Interval
			if c == 0 {
				j = interval.Max(zero, w.Sub(up, down))
			} else {
				from := w.Scale(interval.Max(zero, w.Sub(e, tau)), -1)
				to := w.Scale(w.Sub(w.Mul(interval.Int(k), x), tau), -1)
				r := w.Mul(up, w.Sub(exps(to, c, 1), exps(from, c, 1)))
				if c%2 == 0 {
					r = r.Neg()
				}
				j = w.Sub(r, w.Mul(down, w.Sub(exps(from, c, -1), exps(to, c, -1))))
			}
			row = w.Add(row, w.Mul(w.BigInt(kraw[m]), j))
		}
		sum = w.Add(sum, w.Mul(w.BigInt(new(big.Int).Binomial(k, c)), row))
	}
	d := w.Mul(sum, w.Exp(w.Scale(w.Mul(interval.Int(k), x), -1).Neg()))
	return w.Scale(d, int(-k))
}

// TestLaplaceSumIsTheLiteralOne: at every precision, with few and many copies, small and
// large shifts, on both sides of 0 and at atoms.
func TestLaplaceSumIsTheLiteralOne(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range []struct {
		k     int64
		shift string
		eps   []string
	}{
		{1, "1/3", []string{"-1/4", "0", "1/3", "1/4"}},
		{2, "5", []string{"-7", "0", "2", "9"}},
		{3, "1/100", []string{"-1/100", "1/100", "1/40"}},
		{7, "1", []string{"-6", "-1", "0", "1/2", "3", "5"}},
		{12, "20", []string{"1", "200", "239"}},
		{40, "1/10", []string{"-1", "39/10"}},
	} {
		for _, eps := range testkit.QuickTurn(int(c.k), c.eps) {
			want := literalLaplaceSum(512, rat(c.shift), c.k, rat(eps))
			for _, p := range []interval.Prec{2, 5, 64, 3, 8, 200}[:testkit.Cases(3, 6)] {
				y, err := LaplaceSum(t.Context(), p, rat(c.shift), c.k, interval.RealRat(rat(eps)))
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := interval.Intersect(y, want); !ok || want.Lo().Sign() > 0 && p < 100 && !y.Contains(want.Lo()) {
					t.Errorf("k = %d, x = %s: δ(%s) = %v at %d bits, want %v", c.k, c.shift, eps, y, p, want)
				}
				if want.Lo().Sign() > 0 && y.RelativeBits(int(p)) < int(p) {
					t.Errorf("k = %d, x = %s: δ(%s) = %v at %d bits is wide", c.k, c.shift, eps, y, p)
				}
				// Without more bits inside, it is wider and as true.
				z, err := laplaceSum(t.Context(), p, rat(c.shift), c.k, p.Rat(rat(eps)))
				if _, ok := interval.Intersect(z, want); err != nil || !ok {
					t.Errorf("k = %d, x = %s: δ(%s) = %v with %d bits, %v, want %v", c.k, c.shift, eps, z, p, err, want)
				}
			}
		}
	}
}

// TestLaplaceSumOfUnknownSign: δ of an enclosure around ε = 0 encloses δ at both ends.
func TestLaplaceSumOfUnknownSign(t *testing.T) {
	for _, k := range []int64{1, 4} {
		y, err := laplaceSum(t.Context(), 64, rat("1"), k, interval.Union(interval.Int(-3), interval.Int(2)))
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range []string{"-3", "-1", "0", "1/2", "2"} {
			z, err := LaplaceSum(t.Context(), 64, rat("1"), k, interval.RealRat(rat(eps)))
			if _, ok := interval.Intersect(y, z); err != nil || !ok {
				t.Errorf("k = %d: δ([−3, 2]) = %v, δ(%s) = %v, %v", k, y, eps, z, err)
			}
		}
	}
	y, err := laplaceSum(t.Context(), 64, rat("1"), 3, interval.Entire())
	if err != nil || !y.Encloses(interval.Union(zero, one)) {
		t.Errorf("of any ε: %v, %v", y, err)
	}
}

// TestHalving: from then on each term is at most half of the one before.
func TestHalving(t *testing.T) {
	for _, u := range []string{"1/3", "1", "7/5", "40", "401/10"} {
		x := interval.Prec(64).Rat(rat(u))
		n := halving(x)
		if r := new(big.Rat).SetFrac64(n+1, 2); r.Cmp(rat(u)) < 0 {
			t.Errorf("u = %s: %d", u, n)
		}
		if r := new(big.Rat).SetFrac64(n-1, 2); r.Cmp(rat(u)) >= 0 {
			t.Errorf("u = %s: %d is not the least", u, n)
		}
	}
}

// TestLaplaceTermRoundsDown: of one exact u, against the sum with rationals.
func TestLaplaceTermRoundsDown(t *testing.T) {
	for _, c := range []struct{ k, m int64 }{{4, 1}, {5, 2}, {9, 3}, {9, 8}, {30, 11}, {60, 59}} {
		f := []*big.Int{big.NewInt(1)}
		for i := range c.k - 2 {
			sign := int64(1)
			if i < c.m-1 {
				sign = -1
			}
			f = times1z(f, sign)
		}
		for _, u := range []string{"1/8", "1", "3", "21/2"} {
			want, power := new(big.Rat), big.NewRat(1, 1)
			for n, a := range f {
				power.Mul(power, rat(u))
				power.Quo(power, big.NewRat(int64(n)+1, 1))
				want.Add(want, new(big.Rat).Mul(new(big.Rat).SetInt(a), power))
			}
			for _, w := range []interval.Prec{2, 8, 64, 200} {
				if y := laplaceTerm(w, c.k, c.m, w.Rat(rat(u))); !y.ContainsRat(want) {
					t.Errorf("k = %d, m = %d, u = %s, %d bits: %v, want %v", c.k, c.m, u, w, y, want)
				}
			}
		}
	}
}

// times1z returns a·(1 + sign·z).
func times1z(a []*big.Int, sign int64) []*big.Int {
	out := make([]*big.Int, len(a)+1)
	for j := range out {
		out[j] = new(big.Int)
		if j < len(a) {
			out[j].Add(out[j], a[j])
		}
		if j > 0 {
			out[j].Add(out[j], new(big.Int).Mul(big.NewInt(sign), a[j-1]))
		}
	}
	return out
}
