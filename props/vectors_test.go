// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/mechanism"
)

// A lossMass is the mass of an outcome under P and Q.
type lossMass struct{ p, q *big.Rat }

// geometric has the outcomes of discrete Laplace noise with e^−a = p moved by s, grouped by their loss: exact, as p is
// rational.
func geometric(p *big.Rat, s int) []lossMass {
	one := big.NewRat(1, 1)
	norm := new(big.Rat).Add(one, p)
	out := make([]lossMass, s+1)
	power := new(big.Rat).Set(one)
	for j := range out {
		m := new(big.Rat).Quo(power, norm)
		if j > 0 && j < s {
			m.Mul(m, new(big.Rat).Sub(one, p))
		}
		out[j].p = m
		power = new(big.Rat).Mul(power, p)
	}
	for j := range out {
		out[j].q = out[s-j].p
	}
	return out
}

func multiplied(a, b []lossMass) []lossMass {
	var out []lossMass
	for _, x := range a {
		for _, y := range b {
			out = append(out, lossMass{new(big.Rat).Mul(x.p, y.p), new(big.Rat).Mul(x.q, y.q)})
		}
	}
	return out
}

// hockeyStick is Σ (P − αQ)₊.
func hockeyStick(x []lossMass, alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, a := range x {
		if d := new(big.Rat).Sub(a.p, new(big.Rat).Mul(alpha, a.q)); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestVectorsOfLaplaceNoise: of all vectors with an L1 norm the one with a single entry is the worst, for discrete
// Laplace noise at every α, exactly, and for Laplace noise.
func TestVectorsOfLaplaceNoise(t *testing.T) {
	strict := 0
	for _, p := range []*big.Rat{big.NewRat(1, 2), big.NewRat(9, 10), big.NewRat(1, 10)} {
		for _, s := range [][]int{{1, 1}, {1, 2}, {2, 2}, {1, 4}, {3, 2}, {1, 1, 1}, {2, 1, 3}} {
			vector, sum := geometric(p, s[0]), s[0]
			for _, x := range s[1:] {
				vector, sum = multiplied(vector, geometric(p, x)), sum+x
			}
			single := geometric(p, sum)
			// losses are multiples of a, between which both are linear in α
			alpha := big.NewRat(1, 1)
			for range sum {
				alpha.Quo(alpha, p)
			}
			for range 2*sum + 1 {
				switch hockeyStick(vector, alpha).Cmp(hockeyStick(single, alpha)) {
				case 1:
					t.Errorf("e^−a = %s: H(%s) of the shifts %v is above the one of %d", p, alpha.RatString(), s, sum)
				case -1:
					strict++
				}
				alpha.Mul(alpha, p)
			}
		}
	}
	if strict < 50 {
		t.Errorf("%d times less for certain", strict)
	}
	for _, eps := range []string{"0", "1/2", "5/4"} {
		at := rat(eps)
		two, err := exact.Delta(background, exact.Question{Event: mechanism.Composed{Events: []mechanism.Event{
			mechanism.Laplace{NoiseMultiplier: rat("1")}, mechanism.Laplace{NoiseMultiplier: rat("2")}}}}, at, 0)
		if err != nil {
			t.Fatal(err)
		}
		one, err := exact.Delta(background, exact.Question{Event: mechanism.Laplace{NoiseMultiplier: rat("2/3")}}, at, 0)
		if err != nil || two.Lo().Cmp(one.Hi()) > 0 {
			t.Errorf("δ(%s) of two entries %s, of one %s, %v", eps, two.Interval, one.Interval, err)
		}
	}
}
