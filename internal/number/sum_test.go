// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

// The reference is a plain loop of reduced additions.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for range 500 {
		xs := make([]*big.Rat, rng.Intn(20))
		want := new(big.Rat)
		for i := range xs {
			xs[i] = testkit.RandomRat(rng)
			want.Add(want, xs[i])
		}
		got, err := Sum(xs)
		if err != nil {
			t.Fatal(err)
		}
		if value := new(big.Rat).SetFrac(got.num, got.Denom()); value.Cmp(want) != 0 {
			t.Fatalf("Sum(%v) = %s, want %s", xs, value, want)
		}
		if got.IsOne() != (want.Cmp(one) == 0) {
			t.Fatalf("IsOne(%s) = %v", want, got.IsOne())
		}
		for range 2 {
			got.num.Mul(got.Denom(), big.NewInt(1))
			if !got.IsOne() {
				t.Fatal("1 is not recognised")
			}
		}
	}
}

// With greatest common divisors, or when small terms meet large ones again and
// again, these take minutes.
func TestSumOfManyDenominators(t *testing.T) {
	testkit.SkipShort(t)
	var fractions, decimals []*big.Rat
	for i := int64(1); i <= 20_000; i++ {
		fractions = append(fractions, big.NewRat(1, 1_000_003+2*i))
		x, err := Parse("1234567890123456" + string(rune('0'+i%10)) + "e-" + strings.Repeat("9", int(1+i%3)))
		if err != nil {
			t.Fatal(err)
		}
		decimals = append(decimals, x)
	}
	tiny, err := Parse("1e-100000")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Sum(append(append(decimals, tiny), fractions...))
	if err != nil {
		t.Fatal(err)
	}
	if text := got.String(); !strings.HasPrefix(text, "about ") {
		t.Errorf("got %s", text)
	}
}

func TestSumBoundsTheCommonDenominator(t *testing.T) {
	var xs []*big.Rat
	for i := range int64(1000) {
		den := new(big.Int).Exp(big.NewInt(3), big.NewInt(2000+2*i), nil)
		xs = append(xs, new(big.Rat).SetFrac(big.NewInt(1), den))
	}
	if _, err := Sum(xs); err == nil || Wanted(err, "") != "a common denominator of at most 4194304 bits" {
		t.Errorf("got %v", err)
	}
}
