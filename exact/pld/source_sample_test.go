// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// sampledMasses are the masses of a sample, or of a mean with another finite pair, of count copies of a finite pair, by
// multiplication in rationals; outcomes of equal likelihood ratio are one.
func sampledMasses(x pair.Finite, count int, y pair.Pair) []pair.Mass {
	ms := pair.NewFinite([]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}).Masses
	for range count {
		var p, q []*big.Rat
		for _, a := range ms {
			for _, b := range x.Masses {
				p = append(p, new(big.Rat).Mul(a.P, b.P))
				q = append(q, new(big.Rat).Mul(a.Q, b.Q))
			}
		}
		ms = pair.NewFinite(p, q).Masses
	}
	times := func(rate *big.Rat, ms []pair.Mass) (out []pair.Mass) {
		for _, m := range ms {
			out = append(out, pair.Mass{P: new(big.Rat).Mul(rate, m.P), Q: new(big.Rat).Mul(rate, m.Q)})
		}
		return out
	}
	switch y := y.(type) {
	case pair.Mean:
		if y.Nothing() {
			return append(times(y.Shares[0], ms), pair.Mass{P: y.Shares[1], Q: y.Shares[1]})
		}
		other, _ := pair.Single[pair.Finite](y.Of[1])
		return append(times(y.Shares[0], ms), times(y.Shares[1], other.Masses)...)
	}
	s := y.(pair.Sampled)
	keep := new(big.Rat).Sub(big.NewRat(1, 1), s.Rate)
	mix := func(a, b *big.Rat) *big.Rat {
		y := new(big.Rat).Mul(keep, a)
		return y.Add(y, new(big.Rat).Mul(s.Rate, b))
	}
	for i, m := range ms {
		if s.Reversed {
			ms[i] = pair.Mass{P: m.P, Q: mix(m.P, m.Q)}
		} else {
			ms[i] = pair.Mass{P: mix(m.Q, m.P), Q: m.Q}
		}
	}
	return ms
}

func hockeyStick(ms []pair.Mass, alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, m := range ms {
		d := new(big.Rat).Mul(alpha, m.Q)
		if d.Sub(m.P, d); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestSamplePreservesDominance: the outcomes that a sample of a composition is put on a
// grid by are the outcomes of a dominating pair and of a post-processing, for every
// orientation, also with few bits.
func TestSamplePreservesDominance(t *testing.T) {
	testkit.SkipShort(t)
	rng := rand.New(rand.NewPCG(11, 4))
	mass := func(n int) []*big.Rat {
		out, sum := make([]*big.Rat, n), int64(0)
		weights := make([]int64, n)
		for i := range weights {
			if weights[i] = rng.Int64N(9); rng.IntN(5) == 0 {
				weights[i] = 0
			}
			sum += weights[i]
		}
		if sum == 0 {
			weights[0], sum = 1, 1
		}
		for i, k := range weights {
			out[i] = big.NewRat(k, sum)
		}
		return out
	}
	ctx := context.Background()
	cases := 0
	for cases < testkit.Draws(30, 80, 240) {
		n := 2 + rng.IntN(3)
		x := pair.NewFinite(mass(n), mass(n))
		if len(x.Masses) < 2 {
			continue
		}
		count := 1 + rng.IntN(3)
		if n == 2 && rng.IntN(2) == 0 {
			count = 10 + rng.IntN(30)
		}
		rate := big.NewRat(1+rng.Int64N(9), 10)
		prec := []uint{5, 20, 61}[rng.IntN(3)]
		cut := []int{2, 3, 4, int(prec) - 2}[rng.IntN(4)] // most of it may be cut off
		set := Settings{Points: 64, Prec: prec, Cut: cut, Limit: 1 << 14}
		base := pair.Product{{Pair: x, Count: int64(count)}}
		for _, y := range []pair.Pair{
			pair.Sampled{Rate: rate, Base: base},
			pair.Sampled{Rate: rate, Base: base.Reverse(), Reversed: true},
			pair.Mixed(rate, base),
			pair.Mean{Shares: []*big.Rat{rate, new(big.Rat).Sub(big.NewRat(1, 1), rate)}, Of: []pair.Product{base, pair.Copies(pair.NewFinite(mass(3), mass(3)), 1)}},
		} {
			s := newMean(y, twoSided)
			if ok, err := s.prepare(ctx, set, 3); !ok || err != nil {
				t.Fatalf("%s: not composed, %v", y, err)
			}
			const w = interval.Prec(96)
			for _, o := range s.dominating(w) {
				if o.Exact && o.P.Positive() == interval.True && o.Q.Positive() == interval.True {
					if _, ok := interval.Intersect(o.Loss.Enclose(w), w.Log(w.Div(o.P, o.Q))); !ok {
						t.Fatalf("%s: an outcome of the masses %s and %s has the loss %s", y, o.P, o.Q, o.Loss)
					}
				}
			}
			truth := sampledMasses(x, count, y)
			for _, alpha := range []*big.Rat{new(big.Rat), big.NewRat(1, 7), big.NewRat(9, 10), big.NewRat(1, 1), big.NewRat(21, 20), big.NewRat(5, 2), big.NewRat(40, 1)} {
				want := hockeyStick(truth, alpha)
				above, below := interval.Int(0), interval.Int(0)
				for _, o := range s.dominating(w) {
					d := w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))
					above = w.Add(above, interval.Max(interval.Int(0), d))
				}
				for _, o := range s.dominated(w) {
					d := w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))
					below = w.Add(below, interval.Max(interval.Int(0), interval.Point(d.Lo())))
				}
				what := fmt.Sprintf("%d copies of %s in %s at %d bits, cut at 2^−%d, α = %s", count, x, y, prec, cut, alpha.RatString())
				if above.LessRat(want) == interval.True {
					t.Fatalf("%s: the dominating pair has H = %s < %s", what, above, want.RatString())
				}
				if below.LessEqRat(want) == interval.False {
					t.Fatalf("%s: the post-processing has H = %s > %s", what, below, want.RatString())
				}
			}
			cases++
		}
	}
}

// TestBracketBoundsOneSetOfGroups: however much is cut off, the bounds of a group's P-mass
// and the bounds of its Q-mass do not cross, and the lower bounds of all groups are no more
// than 1: they are of the same groups. This holds in samples of samples too.
func TestBracketBoundsOneSetOfGroups(t *testing.T) {
	testkit.SkipShort(t)
	two := func(p, q int64) pair.Finite {
		return pair.NewFinite([]*big.Rat{big.NewRat(p, 10), big.NewRat(10-p, 10)}, []*big.Rat{big.NewRat(q, 10), big.NewRat(10-q, 10)})
	}
	noise := pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 2)}, Count: 3}}
	bases := []pair.Product{
		{{Pair: two(7, 4), Count: 10}},
		{{Pair: two(7, 4), Count: 37}},
		{{Pair: two(3, 8), Count: 5}, {Pair: two(6, 5), Count: 20}},
		{{Pair: pair.Laplace{Shift: big.NewRat(1, 3)}, Count: 20}, {Pair: two(6, 5), Count: 3}},
	}
	for _, reversed := range []bool{false, true} {
		bases = append(bases, pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 5), Base: noise, Reversed: reversed}, Count: 4}},
			pair.Product{{Pair: pair.Mixed(big.NewRat(3, 4), pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 5), Base: noise, Reversed: reversed}, Count: 2}}), Count: 2}})
	}
	for i, base := range bases {
		if !Gridded(base) {
			t.Fatalf("%s cannot be put on a grid", base)
		}
		for _, prec := range testkit.InTurn(i, []uint{8, 20, 61}) {
			for _, cut := range []int{1, 2, 4, 8} {
				what := fmt.Sprintf("%s at %d bits, cut at 2^−%d", base, prec, cut)
				c, err := compose(context.Background(), twoSided(base), Settings{Points: 128, Prec: prec, Cut: cut, Limit: 1 << 14},
					func(l *leaf, _ *plan) *bracket { return l.bracket(prec) })
				if c == nil || err != nil {
					t.Fatalf("%s: not composed, %v", what, err)
				}
				forth, back := c.lower.forth, c.lower.back
				if forth.first != back.first || forth.size() != back.size() {
					t.Fatalf("%s: groups %d+%d and %d+%d", what, forth.first, forth.size(), back.first, back.size())
				}
				for k := range forth.size() {
					if forth.a.At(k).Cmp(back.b.At(k)) > 0 || back.a.At(k).Cmp(forth.b.At(k)) > 0 {
						t.Fatalf("%s: of group %d, P-mass is in [%v, %v] and Q-mass in [%v, %v]", what, k,
							forth.a.At(k), back.b.At(k), back.a.At(k), forth.b.At(k))
					}
				}
				one := new(big.Int).Lsh(big.NewInt(1), prec)
				if forth.a.Sum().Cmp(one) > 0 || back.a.Sum().Cmp(one) > 0 {
					t.Errorf("%s: P-mass of at least %v and Q-mass of at least %v, of %v", what, forth.a.Sum(), back.a.Sum(), one)
				}
			}
		}
	}
}

// TestNestedSamples: bounds of a sample of samples by coarse grids, cut off early, with few
// bits, contain the bounds of fine grids.
func TestNestedSamples(t *testing.T) {
	testkit.SkipShort(t)
	ctx := context.Background()
	noise := pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 2)}, Count: 3}}
	for _, reversed := range []bool{false, true} {
		inner := pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 5), Base: noise, Reversed: reversed}, Count: 4}}
		prod := pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 2), Base: inner, Reversed: reversed}, Count: 3}}
		var grids []*Grid
		for _, set := range []Settings{
			{Points: 2048, Prec: 123, Cut: 40, Limit: 1 << 18},
			{Points: 512, Prec: 16, Cut: 4, Limit: 1 << 18},
			{Points: 64, Prec: 61, Cut: 3, Limit: 1 << 18},
			{Points: 2048, Prec: 20, Cut: 2, Limit: 1 << 18},
		}[:testkit.Cases(2, 4)] {
			g, ok, err := NewGrid(ctx, prod, set)
			if !ok || err != nil {
				t.Fatalf("%+v: no grid, %v", set, err)
			}
			grids = append(grids, g)
		}
		for _, eps := range []*big.Rat{big.NewRat(-1, 4), new(big.Rat), big.NewRat(1, 4), big.NewRat(1, 1), big.NewRat(2, 1)} {
			fine, err := grids[0].Delta(ctx, 64, interval.RealRat(eps))
			if err != nil || fine.RelativeBits(64) < 6 && fine.LessRat(big.NewRat(1, 1<<30)) != interval.True {
				t.Errorf("reversed %v: δ(%s) = %s, %v", reversed, eps.RatString(), fine, err)
			}
			for _, g := range grids[1:] {
				if x, err := g.Delta(ctx, 64, interval.RealRat(eps)); err != nil || x.Lo().Cmp(fine.Hi()) > 0 || x.Hi().Cmp(fine.Lo()) < 0 {
					t.Errorf("reversed %v: δ(%s) = %s by a fine grid, %s by a coarse one, %v", reversed, eps.RatString(), fine, x, err)
				}
			}
		}
	}
}

// TestSampleOfNoise: the grid of samples of composed Laplace noise contains what
// enumeration of a sample of few outcomes says, and is narrow.
func TestSampleOfNoise(t *testing.T) {
	noise := pair.Product{{Pair: pair.DiscreteLaplace{A: big.NewRat(1, 2), Sensitivity: 1}, Count: 3}}
	ctx := context.Background()
	for _, reversed := range []bool{false, true} {
		prod := pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 10), Base: noise, Reversed: reversed}, Count: 20}}
		set := Settings{Points: 4096, Prec: 123, Cut: 60, Limit: 1 << 18}
		direct, ok, err := NewGrid(ctx, prod, set) // by outcomes
		if !ok {
			t.Fatal(err)
		}
		plan, err := newPlan(ctx, twoSided(prod), set)
		if plan == nil {
			t.Fatal(err)
		}
		f := plan.factors[0]
		s := newMean(prod[0].Pair, twoSided)
		if s == nil {
			t.Fatal("no sample")
		}
		if ok, err := s.prepare(ctx, set, f.count); !ok {
			t.Fatal(err)
		}
		w := f.workingPrec(set.Prec)
		lo, hi := f.lo, f.hi
		if reversed { // the plan's grid is the grid of the reversed pair
			lo, hi = -f.hi, -f.lo
		}
		up, low := s.leaves(mesh{f.delta, lo - 1, hi + 1}, w)
		g := &Grid{infP: interval.Int(0), infQ: interval.Int(0), missing: interval.Int(0)}
		u, err := power(ctx, up.upper(w, set.Prec), f, set.Limit, func() {})
		if err != nil || u == nil {
			t.Fatal(err)
		}
		d, err := power(ctx, low.lower(set.Prec, byLoss), f, set.Limit, func() {})
		if err != nil || d == nil {
			t.Fatal(err)
		}
		g.upper, g.lower = newSums(u), d.suffixes()
		g.missing = interval.Max(interval.Int(0), w.Sub(interval.Int(1), w.Scale(w.BigInt(u.v.Sum()), -int(set.Prec))))
		for _, eps := range []*big.Rat{big.NewRat(1, 10), big.NewRat(1, 2), big.NewRat(1, 1)} {
			x, err := direct.Delta(ctx, 64, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			y, err := g.Delta(ctx, 64, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := interval.Intersect(x, y); !ok || y.RelativeBits(64) < 6 {
				t.Errorf("reversed %v: δ(%s) = %s by outcomes, %s by composition", reversed, eps.RatString(), x, y)
			}
		}
	}
}

// TestSampleOfNoSource: a sample of what cannot be put on a grid, or from above only, is no source, and no
// product with it is on a grid.
func TestSampleOfNoSource(t *testing.T) {
	none := pair.Product{{Pair: pair.ZCDP{Rho: big.NewRat(1, 2)}, Count: 1}}
	for _, base := range []pair.Product{none, {{Pair: pair.Maximum{Of: []pair.Product{{{Pair: pair.Laplace{Shift: big.NewRat(1, 3)}, Count: 1}}}}, Count: 1}}} {
		x := pair.Sampled{Rate: big.NewRat(1, 2), Base: base}
		if s := newSource(x, nil); s != nil {
			t.Errorf("%s has the source %v", x, s)
		}
		if g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: 2}}, Settings{Points: 64, Prec: 61, Cut: 20, Limit: 1 << 10}); g != nil || ok || err != nil {
			t.Errorf("%s is on a grid, %v", x, err)
		}
	}
}
