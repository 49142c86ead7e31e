// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
)

// TestEvaluationEndsWhereWordsDo: beyond their precision and range exact/interval answers, to the
// precision asked for.
func TestEvaluationEndsWhereWordsDo(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, p := range []interval.Prec{2, 24, 64, 128, 160, 192, 300} {
		for i := range 40 {
			q := big.NewRat(r.Int63()-1<<62, 1<<uint(r.Intn(20)+43))
			if i%8 == 0 {
				q.SetInt64(1 << 21) // beyond the range of words
			}
			y, v := Exp(p, q), reference.Exp(reference.Rat(q))
			if y.Lo().Cmp(v.Hi()) > 0 || v.Lo().Cmp(y.Hi()) > 0 || y.RelativeBits(int(p)) < int(p)-26 {
				t.Fatalf("e^%v = %v at %d bits, want %v", q, y, p, v)
			}
		}
	}
}

// TestNormalTailsEndWhereWordsDo: tails of points and of intervals hold the tails at both ends, to the precision of
// exact/interval or so.
func TestNormalTailsEndWhereWordsDo(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, p := range []interval.Prec{2, 8, 64, 105, 167, 192, 250} {
		for i := range 24 {
			a := new(big.Rat).Mul(big.NewRat(r.Int63()-1<<62, 1<<62), interval.Pow2(4-r.Intn(8)))
			b := new(big.Rat).Add(a, big.NewRat(r.Int63(), 1<<62))
			switch i % 4 {
			case 0:
				b.Set(a)
			case 1:
				b.Add(a, new(big.Rat).Mul(a, interval.Pow2(-100))) // as narrow as what has been computed
			}
			x := interval.Union(reference.Rat(a), reference.Rat(b))
			for _, c := range []struct {
				name       string
				got, slow  interval.Interval
				want, also interval.Interval
			}{
				{"1 − Φ", NormalSF(p, x), p.NormalSF(x), reference.NormalSF(reference.Rat(a)), reference.NormalSF(reference.Rat(b))},
				{"Φ", NormalCDF(p, x), p.NormalCDF(x), reference.NormalCDF(reference.Rat(a)), reference.NormalCDF(reference.Rat(b))},
			} {
				v := interval.Union(c.want, c.also)
				if c.got.Lo().Cmp(v.Lo()) > 0 || c.got.Hi().Cmp(v.Hi()) < 0 {
					t.Fatalf("%s at %v is %v at %d bits, want %v", c.name, x, c.got, p, v)
				}
				if got, want := c.got.RelativeBits(300), min(c.slow.RelativeBits(300), int(p)); got < want-2 {
					t.Errorf("%s at %v has %d bits of %d, exact/interval's %d", c.name, x, got, p, want)
				}
			}
		}
	}
	if y := NormalSF(64, interval.Entire()); y.Lo().Sign() > 0 || y.Hi().Cmp(big.NewFloat(1)) < 0 {
		t.Errorf("somewhere, 1 − Φ is %v", y)
	}
}
