// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRoundedGuarantees: every ε_i is between two neighbouring multiples of the spacing, or one of them, and nothing
// else changes; of all that are 0 there is no spacing.
func TestRoundedGuarantees(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		points := 1 + r.Int64N(1000)
		gs := make([]Guarantee, 1+r.IntN(4))
		sum := new(big.Rat)
		for i := range gs {
			gs[i] = Guarantee{Eps: big.NewRat(r.Int64N(9), 1+r.Int64N(9)), Delta: big.NewRat(r.Int64N(3), 7), Count: 1 + r.Int64N(5)}
			sum.Add(sum, new(big.Rat).Mul(gs[i].Eps, big.NewRat(gs[i].Count, 1)))
		}
		up, down, ok := Rounded(gs, points)
		if ok != (sum.Sign() > 0) {
			t.Fatalf("Σε = %s: %v", sum.RatString(), ok)
		}
		if !ok {
			continue
		}
		spacing := sum.Mul(sum, big.NewRat(2, points))
		for i, g := range gs {
			for _, x := range []Guarantee{up[i], down[i]} {
				if !new(big.Rat).Quo(x.Eps, spacing).IsInt() || x.Delta.Cmp(g.Delta) != 0 || x.Count != g.Count {
					t.Errorf("%v became %v in units of %s", g, x, spacing.RatString())
				}
			}
			wide := new(big.Rat).Sub(up[i].Eps, down[i].Eps)
			if down[i].Eps.Cmp(g.Eps) > 0 || up[i].Eps.Cmp(g.Eps) < 0 || wide.Sign() != 0 && wide.Cmp(spacing) != 0 {
				t.Errorf("%v is rounded to %s and %s", g, down[i].Eps.RatString(), up[i].Eps.RatString())
			}
		}
	}
}
