// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// bruteForce is δ(t) of a composition by all outcomes, one at a time, at 400 bits.
func bruteForce(gs []Guarantee, t *big.Rat) interval.Interval {
	const w = interval.Prec(400)
	alpha := w.Exp(w.Rat(t))
	sum, finite := zero, one
	var walk func(i int, p, q interval.Interval, loss *big.Rat)
	walk = func(i int, p, q interval.Interval, loss *big.Rat) {
		if i == len(gs) {
			if loss.Cmp(t) > 0 { // rational numbers, exactly
				sum = w.Add(sum, w.Sub(p, w.Mul(alpha, q)))
			}
			return
		}
		e := w.Exp(w.Rat(gs[i].Eps))
		low := w.Inv(w.Add(one, e))
		high := w.Mul(low, e)
		walk(i+1, w.Mul(p, high), w.Mul(q, low), new(big.Rat).Add(loss, gs[i].Eps))
		walk(i+1, w.Mul(p, low), w.Mul(q, high), new(big.Rat).Sub(loss, gs[i].Eps))
	}
	var single []Guarantee
	for _, g := range gs {
		for range g.Count {
			single = append(single, Guarantee{g.Eps, g.Delta, 1})
			finite = w.Mul(finite, w.Sub(one, w.Rat(g.Delta)))
		}
	}
	gs = single
	walk(0, one, one, new(big.Rat))
	return w.Add(w.Sub(one, finite), w.Mul(finite, sum))
}

func randomGuarantees(r *rand.Rand) []Guarantee {
	eps := []func() *big.Rat{
		func() *big.Rat { return big.NewRat(1+r.Int64N(12), 4) },                                     // ties
		func() *big.Rat { return new(big.Rat).SetFloat64(r.ExpFloat64()) },                           // 53 bits
		func() *big.Rat { return big.NewRat(1+r.Int64N(1e15), 1+r.Int64N(1e15)) },                    // long denominators
		func() *big.Rat { return new(big.Rat).Add(big.NewRat(1, 3), interval.Pow2(-30-r.IntN(90))) }, // near ties
		func() *big.Rat { return new(big.Rat).SetInt64(r.Int64N(40)) },                               // 0, and large ones
	}
	of := eps[r.IntN(len(eps))]
	var gs []Guarantee
	n := 0
	for range 1 + r.IntN(5) {
		if r.IntN(3) == 0 {
			of = eps[r.IntN(len(eps))]
		}
		g := Guarantee{of(), big.NewRat(r.Int64N(2), 100), 1 + r.Int64N(3)}
		if n += int(g.Count); n > 8 {
			break
		}
		gs = append(gs, g)
	}
	return gs
}

// TestHalvesEnumerate: the enclosure contains the sum over all outcomes, at ε on, next to and
// between the losses, whatever the bits of masses, and is as narrow as they and the keys are.
func TestHalvesEnumerate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	for i := range testkit.Draws(10, 25, 25) {
		gs := randomGuarantees(r)
		var hs []*Halves
		precs := []uint{3, 8, 63, 64, 200}
		for _, prec := range precs {
			h, err := newHalves(ctx, prec, gs, 1<<10)
			if err != nil {
				t.Fatalf("%v: %v", gs, err)
			}
			hs = append(hs, h)
		}
		sum := new(big.Rat)
		for _, g := range gs {
			x := new(big.Rat).SetInt64(g.Count - 2*r.Int64N(g.Count+1))
			sum.Add(sum, x.Mul(x, g.Eps))
		}
		top := total(gs)
		for _, at := range []*big.Rat{
			sum, new(big.Rat), new(big.Rat).Sub(sum, interval.Pow2(-61)), new(big.Rat).Sub(top, interval.Pow2(-40)),
			new(big.Rat).Mul(top, big.NewRat(r.Int64N(2000)-1000, 900)),
		} {
			want := bruteForce(gs, at)
			for j, h := range hs {
				y, err := h.Delta(ctx, 128, interval.RealRat(at))
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := interval.Intersect(y, want); !ok {
					t.Fatalf("case %d: %v at %s, %d bits: %s, want %s", i, gs, at.RatString(), precs[j], y, want)
				}
				alpha, _ := interval.Prec(64).Exp(interval.Prec(64).Rat(top)).Hi().Float64()
				lim := new(big.Float).SetMantExp(big.NewFloat(1e4*alpha), -int(precs[j]))
				lim.Add(lim, big.NewFloat(1e-12)) // keys of 60 bits
				if new(big.Float).Sub(y.Hi(), y.Lo()).Cmp(lim) > 0 {
					t.Errorf("case %d: %v at %s, %d bits: %s is wide", i, gs, at.RatString(), precs[j], y)
				}
			}
		}
	}
}

// TestHalvesMeetEqual: all guarantees equal, told as different ones, agree with Corollary 4.7.
func TestHalvesMeetEqual(t *testing.T) {
	gs := []Guarantee{}
	for range 16 {
		gs = append(gs, Guarantee{big.NewRat(1, 10), big.NewRat(1, 1000), 1})
	}
	h, ok, err := NewHalves(context.Background(), 64, gs, 1<<8)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	k, err := NewEqual(context.Background(), 64, Guarantee{big.NewRat(1, 10), big.NewRat(1, 1000), 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []*big.Rat{new(big.Rat), big.NewRat(1, 10), big.NewRat(-1, 5), big.NewRat(7, 20), big.NewRat(8, 5), big.NewRat(3, 1)} {
		x, _ := h.Delta(context.Background(), 64, interval.RealRat(at))
		y, _ := k.Delta(context.Background(), 64, interval.RealRat(at))
		if _, ok := interval.Intersect(x, y); !ok || x.RelativeBits(64) < 40 {
			t.Errorf("ε = %s: %s, want %s", at.RatString(), x, y)
		}
	}
}

// TestHalvesRefuse: more outcomes than the limit, or masses of too many bits.
func TestHalvesRefuse(t *testing.T) {
	var gs []Guarantee
	for i := range int64(9) {
		gs = append(gs, Guarantee{big.NewRat(i+1, 7), new(big.Rat), 1})
	}
	for _, c := range []struct {
		limit int64
		eps   int64
		ok    bool
	}{{16, 1, false}, {32, 1, true}, {32, 1 << 20, false}} {
		gs[0].Eps = big.NewRat(c.eps, 1)
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if _, ok, err := NewHalves(context.Background(), 64, gs, c.limit); ok != c.ok || err != nil {
				t.Error(ok, err)
			}
		})
	}
}

// TestHalvesNearTies: losses that differ by less than keys can tell, at 0 and away from it.
func TestHalvesNearTies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ctx := context.Background()
	near := func() *big.Rat { // up to a few units of a key
		return new(big.Rat).Mul(big.NewRat(r.Int64N(2e9)-1e9, 1e9), interval.Pow2(-54-r.IntN(50)))
	}
	for i := range 50 {
		var gs []Guarantee
		at := near()
		for range 4 {
			x := new(big.Rat).SetFrac64(1e17+r.Int64N(1e17), 3e17)
			gs = append(gs, Guarantee{x.Add(x, near()), new(big.Rat), 1})
			if r.IntN(3) > 0 {
				// One outcome has the loss at, nearly.
				gs = append(gs, Guarantee{new(big.Rat).Add(x, near()), new(big.Rat), 1})
			} else {
				at.Add(at, x)
			}
		}
		h, err := newHalves(ctx, 250, gs, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		y, err := h.Delta(ctx, 240, interval.RealRat(at))
		if err != nil {
			t.Fatal(err)
		}
		want := bruteForce(gs, at)
		if _, ok := interval.Intersect(y, want); !ok {
			t.Fatalf("case %d: %v at %s: %s, want %s", i, gs, at.RatString(), y, want)
		}
		if new(big.Float).Sub(y.Hi(), y.Lo()).MantExp(nil) > -45 {
			t.Errorf("case %d: %v at %s: %s is wide", i, gs, at.RatString(), y)
		}
	}
}

// TestWeightsOfGreatLosses: masses that are too small to be written as fractions are at most one unit, and none is
// left out.
func TestWeightsOfGreatLosses(t *testing.T) {
	const prec = 64
	us, off := weights(prec, Guarantee{Eps: big.NewRat(2_000_001, 1), Delta: new(big.Rat), Count: 2})
	all, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), prec)
	for _, u := range us {
		all.Add(all, u)
	}
	if len(us) != 3 || off != 1 || us[0].Sign() != 0 || us[1].Sign() != 0 || all.Cmp(most) > 0 ||
		all.Add(all, big.NewInt(3*off)).Cmp(most) < 0 {
		t.Errorf("%v, less than %d off", us, off)
	}
}
