// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLemmaA1Decomposition: of random pairs, at the least δ of both orientations and above, the four parts are
// distributions and make up P and Q, exactly; below the least δ there are none, as Theorem 4.5 has them dominated
// otherwise.
func TestLemmaA1Decomposition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	distribution := func(xs []*big.Rat) bool {
		sum := new(big.Rat)
		for _, x := range xs {
			if x.Sign() < 0 {
				return false
			}
			sum.Add(sum, x)
		}
		return sum.Cmp(ratOne) == 0
	}
	for range 400 {
		f := someFinite(rng)
		growth := big.NewRat(1+rng.Int64N(8), 1)
		growth.Quo(growth, big.NewRat(1+rng.Int64N(3), 1))
		if growth.Cmp(ratOne) < 0 {
			growth = ratOne
		}
		least := f.Delta(growth)
		if d := f.Reverse().(Finite).Delta(growth); d.Cmp(least) > 0 {
			least = d
		}
		delta := least
		if rng.IntN(3) == 0 {
			delta = new(big.Rat).Add(least, new(big.Rat).Mul(new(big.Rat).Sub(ratOne, least), big.NewRat(rng.Int64N(4), 3)))
		}
		s, ok := f.Simulate(growth, delta)
		if !ok || !distribution(s.A) || !distribution(s.B) || delta.Sign() > 0 && (!distribution(s.RestP) || !distribution(s.RestQ)) {
			t.Fatalf("%s at e^ε = %s, δ = %s: %+v, %v", f, growth.RatString(), delta.RatString(), s, ok)
		}
		mix := func(x, y *big.Rat, rest []*big.Rat, i int) *big.Rat {
			z := new(big.Rat).Mul(growth, x)
			z.Add(z, y)
			z.Mul(z, new(big.Rat).Sub(ratOne, delta))
			z.Quo(z, new(big.Rat).Add(growth, ratOne))
			if delta.Sign() > 0 {
				z.Add(z, new(big.Rat).Mul(delta, rest[i]))
			}
			return z
		}
		for i, m := range f.Masses {
			if mix(s.A[i], s.B[i], s.RestP, i).Cmp(m.P) != 0 || mix(s.B[i], s.A[i], s.RestQ, i).Cmp(m.Q) != 0 {
				t.Fatalf("%s at e^ε = %s, δ = %s: outcome %d", f, growth.RatString(), delta.RatString(), i)
			}
		}
		if least.Sign() > 0 {
			if _, ok := f.Simulate(growth, new(big.Rat).Mul(least, big.NewRat(999, 1000))); ok {
				t.Errorf("%s is simulated below its δ", f)
			}
		}
	}
}
