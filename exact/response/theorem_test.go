// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestTheoremIsExactAtItsEpsilons: at (k − 2i)ε the optimal composition theorem gives
// the profile itself, in exact rationals for e^ε = 3.
func TestTheoremIsExactAtItsEpsilons(t *testing.T) {
	const p = interval.Prec(100)
	for _, k := range []int64{1, 2, 3, 4, 5, 8} {
		for _, delta := range []string{"0", "1/10"} {
			for i := int64(0); 2*i <= k; i++ {
				alpha := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(3), big.NewInt(k-2*i), nil))
				want := byHand(k, rat(delta), alpha)
				g := []Guarantee{{Eps: nearLog3, Delta: rat(delta), Count: k}}
				eps := new(big.Rat).Mul(nearLog3, new(big.Rat).SetInt64(k-2*i))
				eps.Add(eps, rat("1e-40"))
				y, ok, err := Theorem(context.Background(), p, g, interval.RealRat(eps))
				if err != nil || !ok {
					t.Fatalf("%v, %v", ok, err)
				}
				hi := interval.Point(y.Hi())
				if hi.LessRat(new(big.Rat).Sub(want, rat("1e-20"))) == interval.True || hi.LessEqRat(new(big.Rat).Add(want, rat("1e-20"))) == interval.False {
					t.Errorf("k = %d, δ = %s, i = %d: at most %s, want %s", k, delta, i, hi, want.FloatString(20))
				}
			}
		}
	}
}

// TestUncertainEpsilon: where ε is not told from an atom of the loss, the profile on both
// sides of it is possible.
func TestUncertainEpsilon(t *testing.T) {
	s, err := NewEqual(context.Background(), 64, Guarantee{Eps: rat("1"), Delta: rat("0"), Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range [][2]string{{"-1", "1"}, {"1/2", "5/2"}, {"-5", "5"}, {"2", "9"}} {
		y, err := s.Delta(context.Background(), 64, func(w interval.Prec) interval.Interval {
			return interval.Union(w.Rat(rat(span[0])), w.Rat(rat(span[1])))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range span {
			z, err := s.Delta(context.Background(), 64, interval.RealRat(rat(end)))
			if _, ok := interval.Intersect(y, z); err != nil || !ok {
				t.Errorf("ε in [%s, %s]: %s, at %s %s, %v", span[0], span[1], y, end, z, err)
			}
		}
	}
}

// TestAdvancedBelowItsDrift: nothing is known below Σε(e^ε − 1), which is 3.43… here.
func TestAdvancedBelowItsDrift(t *testing.T) {
	g := []Guarantee{{Eps: rat("1"), Delta: rat("1/10"), Count: 2}}
	for _, eps := range []string{"-5", "0", "1", "3"} {
		if y := Advanced(100, g, interval.RealRat(rat(eps))); !y.ContainsRat(rat("1")) {
			t.Errorf("δ(%s) in %s", eps, y)
		}
	}
}
