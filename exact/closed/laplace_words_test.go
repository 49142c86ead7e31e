// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// slowWords is the precision of the other side, which is laplaceSum and laplaceTerm.
const slowWords = interval.Prec(500)

// TestLaplaceSumInWords: with few and many copies, on atoms and between, at 0 and next to the largest loss, and with
// nearly all terms only bounded, words enclose what laplaceSum does, and have the bits that they are asked for.
func TestLaplaceSumInWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range testkit.Draws(15, 120, 1200) {
		k := int64(1 + rng.IntN([]int{4, 40, 400}[i%3]))
		x := big.NewRat(1+rng.Int64N(1<<20), 1<<18)
		x.Mul(x, big.NewRat(1+rng.Int64N(80), 4*k))
		if i%4 == 0 {
			x = big.NewRat(1+rng.Int64N(20), k) // not in binary
		}
		eps := new(big.Rat).Mul(x, big.NewRat(k*rng.Int64N(1<<20), 1<<20))
		switch rng.IntN(4) {
		case 0:
			eps.Mul(x, big.NewRat(max(0, k-2*rng.Int64N(k)), 1)) // an atom
		case 1:
			eps.SetInt64(0)
		}
		want, err := laplaceSum(t.Context(), slowWords, x, k, slowWords.Rat(eps))
		if err != nil {
			t.Fatal(err)
		}
		for _, bits := range []int{-8, 0, 4, 8, 30, 88} {
			e := interval.Prec(wordInput).Rat(eps)
			if i%5 == 0 {
				e = interval.Union(e, interval.Prec(wordInput).Rat(new(big.Rat).Add(eps, big.NewRat(1, 1<<20))))
			}
			y := laplaceSumInWords(t.Context(), bits, x, k, e)
			if _, ok := interval.Intersect(y.Interval(), want); !ok {
				t.Fatalf("%d copies of %v: δ(%v) is %v with %d bits, want %v", k, x, eps, y.Interval(), bits, want)
			}
			if p := interval.Prec(64); bits > 64 && i%5 > 0 && want.Lo().Sign() > 0 && LaplaceSumBits(x, k) >= p && !y.Good(uint(p)) {
				t.Errorf("%d copies of %v: δ(%v) is %v with %d bits", k, x, eps, y.Interval(), bits)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if y := laplaceSumInWords(ctx, 64, big.NewRat(1, 2), 3, one); y.Known() {
		t.Errorf("after its end, a context has %v", y.Interval())
	}
}

// TestLaplaceTermsInWords: a term is what laplaceTerm encloses and below its bound, wherever its series ends: after few
// bits, what is left out is much of it.
func TestLaplaceTermsInWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	known := 0
	for range testkit.Draws(400, 1200, 12000) {
		k := int64(1 + rng.IntN(1<<rng.IntN(11)))
		m := rng.Int64N((k + 1) / 2)
		u := big.NewRat(1+rng.Int64N(1<<20), 1<<(10+rng.IntN(24)))
		switch rng.IntN(8) {
		case 0:
			m = 0
		case 1: // terms grow by their second ratio alone
			m, u = (k-1)/2, big.NewRat(1+rng.Int64N(20), 8)
		}
		x, of := three.Rat(u), laplaceSeries{k: k}
		want := laplaceTerm(slowWords, k, m, slowWords.Rat(u))
		bound, _ := laplaceTermBound(k, x)
		if bound.Interval().Lo().Cmp(want.Abs().Lo()) < 0 {
			t.Fatalf("k = %d, m = %d, u = %v: %v is not below %v", k, m, u, want, bound.Interval())
		}
		for _, bits := range []int{-4, 0, 1, 2, 4, 8, 100} {
			y := of.term(m, x, bits)
			if _, ok := interval.Intersect(y.Interval(), want); !ok {
				t.Fatalf("k = %d, m = %d, u = %v: %v with %d bits, want %v", k, m, u, y.Interval(), bits, want)
			}
			if y.Known() {
				known++
			}
		}
		// Of unknown sign, and down to 0.
		y := of.term(m, fixed.FromInterval(interval.Union(zero, slowWords.Rat(u))), 100)
		if _, ok := interval.Intersect(y.Interval(), want); !ok || !y.Interval().ContainsRat(new(big.Rat)) {
			t.Fatalf("k = %d, m = %d, u up to %v: %v, want %v and 0", k, m, u, y.Interval(), want)
		}
	}
	if known < 1000 {
		t.Errorf("only %d terms are known", known)
	}
}

// TestLaplaceRest: the bounds of all terms below one, added up, are at most what laplaceRest says.
func TestLaplaceRest(t *testing.T) {
	const w = interval.Prec(100)
	rng := rand.New(rand.NewPCG(3, 2))
	known := 0
	for range testkit.Draws(60, 200, 2000) {
		k := int64(2 + rng.IntN(1<<(1+rng.IntN(9))))
		m := rng.Int64N((k + 1) / 2)
		u, x := big.NewRat(1+rng.Int64N(1<<20), 1<<(12+rng.IntN(16))), big.NewRat(1+rng.Int64N(1<<20), 1<<(20+rng.IntN(10)))
		bound, r := laplaceTermBound(k, three.Rat(u))
		y := three.Mul(bound, three.Rat(new(big.Rat).SetInt(new(big.Int).Binomial(k, m))))
		rest := laplaceRest(y, three.Div(fixed.Int(m), fixed.Int(k-m+1)), three.Rat(x), r)
		if !rest.Known() {
			continue
		}
		known++
		sum, at := zero, w.Rat(u)
		kr := w.Mul(interval.Int(k), r.Interval())
		for j := m; j >= 0; j-- {
			c := w.BigInt(new(big.Int).Binomial(k, j))
			sum = w.Add(sum, w.Mul(c, w.Exp(w.Add(kr, w.Div(at, r.Interval())))))
			at = w.Add(at, w.Rat(x))
		}
		if rest.Interval().Hi().Cmp(sum.Lo()) < 0 {
			t.Fatalf("k = %d, m = %d, u = %v, x = %v: the rest is %v, and below %v", k, m, u, x, sum, rest.Interval())
		}
	}
	if known < 20 {
		t.Errorf("only %d rests are known", known)
	}
}

// TestLaplaceSeriesFalls: where a series is said to fall, both quotients of its recurrence are small from there on.
func TestLaplaceSeriesFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	falling := 0
	for range testkit.Draws(300, 1000, 10000) {
		k, d, n := 1+rng.Int64N(1<<rng.IntN(14)), 1+rng.Int64N(1<<rng.IntN(12)), 1+rng.Int64N(1<<(1+rng.IntN(10)))
		u := big.NewRat(1+rng.Int64N(1<<20), 1<<(8+rng.IntN(20)))
		switch rng.IntN(3) { // next to the end of what falls
		case 0:
			u.SetFrac64(n*(n+1)+rng.Int64N(3)-1, 4*d)
		case 1:
			u.SetFrac64(n+rng.Int64N(3)-1, 3)
		}
		if u.Sign() <= 0 {
			continue
		}
		s, x := laplaceSeries{k: k}, three.Rat(u)
		if !s.falling(three.Times(x, d), x)(n) {
			continue
		}
		falling++
		for _, j := range []int64{n, n + 1, 2 * n, k, 2 * k, 10 * k} {
			if j < n {
				continue
			}
			first := new(big.Rat).Mul(u, big.NewRat(4*d, j*(j+1)))
			second := new(big.Rat).Mul(new(big.Rat).Mul(u, u), big.NewRat(8*max(k-j, j-k), j*j*(j+1)))
			if first.Cmp(ratOne) > 0 || second.Cmp(ratOne) > 0 {
				t.Fatalf("k = %d, d = %d, u = %v does not fall from %d on: at %d by %v and %v", k, d, u, n, j, first, second)
			}
		}
	}
	if falling < 30 {
		t.Errorf("only %d fall", falling)
	}
}

// TestManyLaplaceTerms: above MaxLaplaceTerms all bits are those that three words have, and the answer is none where
// they have none.
func TestManyLaplaceTerms(t *testing.T) {
	const k = MaxLaplaceTerms + 1
	at := func(p interval.Prec, shift string) interval.Interval {
		y, err := LaplaceSum(t.Context(), p, rat(shift), k, interval.RealRat(rat("1/5")))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	few, all, more := at(8, "1/1000"), at(140, "1/1000"), at(1000, "1/1000")
	if _, ok := interval.Intersect(few, all); !ok || all.RelativeBits(200) < 100 || more.RelativeBits(200) < 100 {
		t.Errorf("δ(1/5) in %v, %v and %v", few, all, more)
	}
	if y := at(20, "1"); y.Lo().Sign() != 0 || y.Hi().Cmp(big.NewFloat(1)) != 0 {
		t.Errorf("δ(1/5) of large shifts in %v, want [0, 1]", y)
	}
}
