// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// someFinite draws a pair of up to four outcomes with small fractions, also 0.
func someFinite(rng *rand.Rand) Finite {
	n := 1 + rng.IntN(4)
	list := func() []*big.Rat {
		var sum int64
		ns := make([]int64, n)
		for sum == 0 {
			sum = 0
			for i := range ns {
				ns[i] = rng.Int64N(5)
				sum += ns[i]
			}
		}
		out := make([]*big.Rat, n)
		for i, k := range ns {
			out[i] = big.NewRat(k, sum)
		}
		return out
	}
	return NewFinite(list(), list())
}

// expanded returns a product of finite pairs and of samples of such, as one pair.
func expanded(t *testing.T, p Product) Finite {
	t.Helper()
	var out Product
	for _, x := range p {
		if s, ok := x.Pair.(Sampled); ok {
			f := expanded(t, s.Base).Sample(s.Rate)
			if s.Reversed {
				f = f.Reverse().(Finite)
			}
			x.Pair = f
		}
		out = append(out, x)
	}
	f, ok := out.Expand(1 << 12)
	if !ok {
		t.Fatalf("%s is not finite", p)
	}
	return f
}

// TestExcessIsTheGreatest: no α has a greater difference, with those beyond all ratios.
func TestExcessIsTheGreatest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f, g := someFinite(rng), someFinite(rng)
		at, most := f.Excess(g)
		difference := func(a *big.Rat) *big.Rat { return new(big.Rat).Sub(g.Delta(a), f.Delta(a)) }
		if difference(at).Cmp(most) != 0 || most.Sign() < 0 {
			t.Fatalf("%s above %s: %s at %s", g, f, most.RatString(), at.RatString())
		}
		for i := range int64(80) {
			if a := big.NewRat(i*i, 40); difference(a).Cmp(most) > 0 {
				t.Errorf("%s exceeds %s by %s at %s, more than %s", g, f, difference(a).RatString(), a.RatString(), most.RatString())
			}
		}
	}
}

// TestCoversIsTrue: of random products of finite pairs and their samples, each one that Covers another
// dominates it, by all ratios of the expanded products; and many do.
func TestCoversIsTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pool := []Finite{NewFinite(rats("3/4", "1/4"), rats("1/3", "2/3")), NewFinite(rats("1/2", "1/2"), rats("1/3", "2/3")),
		NewFinite(rats("1/3", "2/3"), rats("3/4", "1/4")), NewFinite(rats("1/2", "1/2", "0"), rats("0", "1/2", "1/2"))}
	factor := func() Pair {
		f := pool[rng.IntN(len(pool))]
		if rng.IntN(3) == 0 {
			return someFinite(rng)
		}
		if rng.IntN(2) == 0 {
			return Sampled{Rate: big.NewRat(1+rng.Int64N(4), 5), Base: Product{{f, 1 + rng.Int64N(2)}}, Reversed: rng.IntN(2) == 0}
		}
		return f
	}
	some := func() Product {
		var p Product
		for range 1 + rng.IntN(2) {
			p = append(p, Term{factor(), 1 + rng.Int64N(2)})
		}
		return p
	}
	covered := 0
	for range 1500 {
		p, q := some(), some()
		if !p.Covers(q) {
			continue
		}
		covered++
		if at, most := expanded(t, p).Excess(expanded(t, q)); most.Sign() > 0 {
			t.Fatalf("%s is said to cover %s, but lacks %s at %s", p, q, most.RatString(), at.RatString())
		}
	}
	if covered < 60 {
		t.Errorf("%d of 1500 cover", covered)
	}
}

// TestCoversKnows: what each theorem is for, and that its converse does not hold.
func TestCoversKnows(t *testing.T) {
	one, half, two := rat("1"), rat("1/2"), rat("2")
	gauss := func(mu2 *big.Rat, n int64) Term { return Term{Gaussian{Mu2: mu2}, n} }
	coin := NewFinite(rats("3/4", "1/4"), rats("1/3", "2/3"))
	for _, c := range []struct{ p, q Product }{
		{Product{gauss(two, 1)}, Product{gauss(one, 1), gauss(half, 1)}},
		{Product{{Laplace{Shift: one}, 3}}, Product{{Laplace{Shift: half}, 2}, {Laplace{Shift: one}, 1}}},
		{Product{{DiscreteLaplace{one, 2}, 1}}, Product{{DiscreteLaplace{half, 2}, 1}}},
		{Product{{Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: two, Radius: two}, 1}}, Product{{Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: one, Radius: two}, 1}}},
		{Product{{Truncated{Noise: GaussianNoise, Width: one, Sensitivity: two, Radius: two}, 1}}, Product{{Truncated{Noise: GaussianNoise, Width: one, Sensitivity: one, Radius: two}, 1}}},
		{Product{{Response{two, half}, 1}}, Product{{Response{one, rat("1/3")}, 1}}},
		{Product{{Laplace{Shift: one}, 1}}, Product{{Sampled{Rate: half, Base: Product{{Laplace{Shift: one}, 1}}}, 1}}},
		{Product{{coin, 1}}, Product{{Sampled{Rate: half, Base: Product{{coin.Reverse(), 1}}, Reversed: true}, 1}}},
		{Product{{Sampled{Rate: half, Base: Product{gauss(two, 1)}}, 1}}, Product{{Sampled{Rate: rat("1/3"), Base: Product{gauss(one, 1)}}, 1}}},
		{Product{gauss(two, 2)}, Product{gauss(one, 1), {Sampled{Rate: half, Base: Product{gauss(one, 1)}}, 3}}},
	} {
		if !c.p.Covers(c.q) || !c.p.Covers(nil) || !c.p.Covers(c.p) {
			t.Errorf("%s covers %s: unknown", c.p, c.q)
		}
		if c.q.Covers(c.p) {
			t.Errorf("%s covers %s", c.q, c.p)
		}
	}
	for _, c := range []struct{ p, q Product }{
		{Product{gauss(one, 1)}, Product{{Sampled{Rate: half, Base: Product{gauss(one, 1)}}, 1}, {Sampled{Rate: rat("1/3"), Base: Product{gauss(one, 1)}}, 1}}},
		{Product{gauss(two, 1)}, Product{gauss(one, 1), {Sampled{Rate: half, Base: Product{gauss(one, 1)}}, 2}}}, // too many
		{Product{{coin, 1}}, Product{{coin.Reverse(), 1}}},
		{Product{{coin, 1}}, Product{{coin, 2}}},
		{Product{{DiscreteLaplace{one, 2}, 1}}, Product{{DiscreteLaplace{half, 3}, 1}}},
		{Product{{Response{two, half}, 1}}, Product{{Response{one, rat("2/3")}, 1}}},
		{Product{{Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: two, Radius: two}, 1}}, Product{{Truncated{Noise: LaplaceNoise, Width: one, Sensitivity: one, Radius: one}, 1}}},
	} {
		if c.p.Covers(c.q) {
			t.Errorf("%s covers %s", c.p, c.q)
		}
	}
}
