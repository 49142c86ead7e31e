// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package masses

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

var rat = testkit.Rat

// drawnMasses are a random distribution, some of it without mass.
func drawnMasses(r *rand.Rand, n int) []*big.Rat {
	weights, total := make([]int64, n), int64(1)
	weights[r.Intn(n)] = 1
	for i := range weights {
		if x := r.Int63n(5); r.Intn(4) > 0 {
			weights[i] += x
			total += x
		}
	}
	out := make([]*big.Rat, n)
	for i, w := range weights {
		out[i] = big.NewRat(w, total)
	}
	return out
}

// TestQuantitiesOfAllSets: δ is the best of all sets of outcomes, and the trade-off function that of all of them with
// one outcome in part; divergences are as float64 has them.
func TestQuantitiesOfAllSets(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Cases(200, 5000) {
		n := 2 + r.Intn(3)
		p, q := drawnMasses(r, n), drawnMasses(r, n)
		pair := Pair{Exactly(p), Exactly(q)}
		alpha := big.NewRat(r.Int63n(21), 20)
		best, error2 := new(big.Rat), big.NewRat(1, 1)
		for set := range 1 << n {
			ps, qs := new(big.Rat), new(big.Rat)
			for i := range n {
				if set>>i&1 == 1 {
					ps.Add(ps, p[i])
					qs.Add(qs, q[i])
				}
			}
			if d := new(big.Rat).Sub(ps, new(big.Rat).Mul(rat("3/2"), qs)); d.Cmp(best) > 0 {
				best = d
			}
			// The set rejects P, and another outcome does with a probability x.
			for i := range n {
				room := new(big.Rat).Sub(alpha, ps)
				if set>>i&1 == 1 || room.Sign() < 0 {
					continue
				}
				x := big.NewRat(1, 1)
				if p[i].Cmp(room) > 0 {
					x.Quo(room, p[i])
				}
				beta := new(big.Rat).Sub(big.NewRat(1, 1), qs)
				if beta.Sub(beta, x.Mul(x, q[i])); beta.Cmp(error2) < 0 {
					error2 = beta
				}
			}
		}
		if got := pair.beyond(rat("3/2")); got.Cmp(best) != 0 {
			t.Fatalf("δ of %v and %v is %v, want %v", p, q, got, best)
		}
		if got := pair.TradeOffAtMost(alpha); got.Cmp(error2) != 0 {
			t.Fatalf("f(%v) of %v and %v is %v, want %v", alpha, p, q, got, error2)
		}
		for _, order := range []string{"1/2", "1", "3/2", "2", "5"} {
			a, _ := rat(order).Float64()
			want := RenyiFloat(Floats(p), Floats(q), a)
			got, _ := pair.RenyiAtLeast(rat(order)).Lo().Float64()
			if got != want && !(math.Abs(got-want) < 1e-9*(1+want)) {
				t.Fatalf("R_%s of %v and %v is %v, want %v", order, p, q, got, want)
			}
		}
	}
}

// TestBoundsAreOnTheirSides: of masses that are known up to something, each quantity is at most as great as for any
// masses between.
func TestBoundsAreOnTheirSides(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range testkit.Draws(40, 100, 2000) {
		n := 2 + r.Intn(3)
		p, q := Exactly(drawnMasses(r, n)), Exactly(drawnMasses(r, n))
		sharp := Pair{p, q}
		wide := Pair{widened(r, p), widened(r, q)}
		alpha := rat("1/4")
		if wide.DeltaAtLeast(rat("1/2")).Cmp(sharp.DeltaAtLeast(rat("1/2"))) > 0 || wide.TradeOffAtMost(alpha).Cmp(sharp.TradeOffAtMost(alpha)) < 0 {
			t.Fatalf("wider masses have more loss: %v and %v", sharp, wide)
		}
		for _, order := range []string{"1/2", "1", "3/2", "3"} {
			if wide.RenyiAtLeast(rat(order)).Lo().Cmp(sharp.RenyiAtLeast(rat(order)).Hi()) > 0 {
				a, b := wide.RenyiAtLeast(rat(order)), sharp.RenyiAtLeast(rat(order))
				if x, _ := a.Lo().Float64(); !math.IsInf(x, 1) && x > 1e-30 {
					t.Fatalf("wider masses have more loss of order %s: %v and %v", order, a, b)
				}
			}
		}
		if wide.GaussianDPAtLeast(rat("1/10")).Lo().Cmp(sharp.GaussianDPAtLeast(rat("1/10")).Hi()) > 0 {
			t.Fatalf("wider masses have a greater μ: %v and %v", sharp, wide)
		}
	}
}

// widened has bounds of masses in place of them.
func widened(r *rand.Rand, l Law) Law {
	out := Law{make([]*big.Int, len(l.lo)), make([]*big.Int, len(l.lo)), new(big.Int).Mul(l.den, big.NewInt(100))}
	for i, x := range l.lo {
		out.lo[i] = new(big.Int).Mul(x, big.NewInt(100))
		out.hi[i] = new(big.Int).Set(out.lo[i])
		if x.Sign() > 0 {
			out.lo[i].Sub(out.lo[i], big.NewInt(r.Int63n(50)))
			out.hi[i].Add(out.hi[i], big.NewInt(r.Int63n(50)))
		}
	}
	return out
}

// TestGaussianDPByHand: the best test of two coins.
func TestGaussianDPByHand(t *testing.T) {
	p := Pair{Exactly([]*big.Rat{rat("3/4"), rat("1/4")}), Exactly([]*big.Rat{rat("1/4"), rat("3/4")})}
	// f(1/4) = 1/4: μ = 2·Φ⁻¹(3/4).
	if got, _ := p.GaussianDPAtLeast(rat("1/10")).Lo().Float64(); math.Abs(got-2*0.6744897501960817) > 1e-12 {
		t.Errorf("μ = %v", got)
	}
	apart := Pair{Exactly([]*big.Rat{rat("1"), rat("0")}), Exactly([]*big.Rat{rat("0"), rat("1")})}
	if got := apart.GaussianDPAtLeast(rat("1/10")); !got.Lo().IsInf() {
		t.Errorf("of two coins that always differ μ = %v", got)
	}
}

// TestNumbersOutOfReach: e^x that is too long to be written has bounds, and δ what the second data set never shows.
func TestNumbersOutOfReach(t *testing.T) {
	if lo, hi := ExpRat(rat("1000000")); hi != nil || lo.Cmp(rat("1e300")) < 0 {
		t.Error("e^1000000 has an upper bound, or too low a lower one")
	}
	if lo, hi := ExpRat(rat("-1000000")); lo.Sign() != 0 || hi.Sign() <= 0 || hi.Cmp(rat("1e-300")) > 0 {
		t.Error("e^−1000000 is not between 0 and little more")
	}
	p := Pair{Exactly([]*big.Rat{rat("1/4"), rat("3/4")}), Exactly([]*big.Rat{rat("0"), rat("1")})}
	if got := p.DeltaAtLeast(rat("1000000")); got.Cmp(rat("1/4")) != 0 {
		t.Errorf("δ(1000000) ≥ %v, want 1/4", got)
	}
}
