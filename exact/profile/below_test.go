// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestBelowIsBelow: a pair by values of a profile is dominated by every pair with such a profile, however few bits are
// kept of it.
func TestBelowIsBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 450 {
		n := 2 + r.IntN(5)
		f := pair.NewFinite(testkit.Distribution(r.Int64N, n), testkit.Distribution(r.Int64N, n))
		a := big.NewRat(1+r.Int64N(5), 10)
		w := []interval.Prec{2, 8, 100}[i%3]
		var vs []Value
		for range 2 + r.IntN(12) {
			d := f.Delta(a)
			off := big.NewRat(r.Int64N(3), 1000)
			vs = append(vs, Value{a, new(big.Rat).Sub(d, off), new(big.Rat).Add(d, off)})
			a = new(big.Rat).Add(a, big.NewRat(1+r.Int64N(20), 10))
		}
		low, ok := Below(vs, w)
		if !ok {
			t.Fatal("no pair")
		}
		total := new(big.Rat)
		for _, m := range low.Masses {
			if m.P.Sign() < 0 || m.Q.Sign() < 0 {
				t.Fatalf("a mass of %v under P and %v under Q", m.P, m.Q)
			}
			total.Add(total, m.P)
		}
		if !total.IsInt() || total.Num().Int64() != 1 {
			t.Fatalf("masses of %v in all", total)
		}
		for i := range int64(120) {
			at := big.NewRat(i, 7)
			if low.Delta(at).Cmp(f.Delta(at)) > 0 {
				t.Fatalf("%v, values %v: %v at α = %v, more than %v", f, vs, low.Delta(at), at, f.Delta(at))
			}
		}
	}
}
