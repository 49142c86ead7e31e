// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package candidates

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/adversary"
	"dpverify/exact/interval"
)

// duelOf encloses the P- and Q-masses of the first of two candidates, straight from the definition of a selection
// with ε = x: their weights are 1 and e^(t−x) under P, and e^−t and 1 under Q.
func duelOf(w interval.Prec, of Selection, x, t *big.Rat) (p, q interval.Interval) {
	one := interval.Int(1)
	first := func(a, b interval.Interval) interval.Interval { // of weights a ≥ b or b ≥ a, of which one is 1
		if of == Exponential { // of range x: the scores of e^−t − e^−x and 1 − e^−t
			return w.Div(a, w.Add(a, b))
		}
		if less := w.Scale(a, -1); b.LessEq(one) == interval.True && one.LessEq(b) == interval.True {
			return less
		}
		return w.Sub(one, w.Scale(b, -1))
	}
	up, down := w.Exp(w.Rat(t).Neg()), w.Exp(w.Rat(new(big.Rat).Sub(t, x)))
	if of == Exponential { // losses t and t − x
		all := w.Expm1(w.Rat(x).Neg())
		p = w.Div(w.Expm1(w.Rat(new(big.Rat).Sub(t, x))), all)
		return p, w.Mul(p, up)
	}
	return first(one, down), first(up, one)
}

// chosen encloses the greatest E V of duels whose t is a multiple of x/parts.
func chosen(w interval.Prec, of Selection, x *big.Rat, parts int, eps interval.Interval,
	v func(interval.Interval) interval.Interval) interval.Interval {
	most := interval.Int(0)
	one := interval.Int(1)
	for i := range parts + 1 {
		p, q := duelOf(w, of, x, new(big.Rat).Mul(x, big.NewRat(int64(i), int64(parts))))
		y := interval.Int(0)
		for _, c := range [][2]interval.Interval{{p, q}, {w.Sub(one, p), w.Sub(one, q)}} {
			if c[0].Positive() != interval.True || c[1].Positive() != interval.True {
				continue // t = 0 or t = x of the exponential mechanism: the other candidate is certain
			}
			y = w.Add(y, w.Mul(c[0], v(w.Add(eps, w.Log(w.Div(c[1], c[0]))))))
		}
		most = interval.Max(most, y)
	}
	return most
}

// hockeyAt is (1 − e^ε)₊.
func hockeyAt(w interval.Prec) func(interval.Interval) interval.Interval {
	return func(eps interval.Interval) interval.Interval {
		return interval.Max(interval.Int(0), w.Expm1(eps).Neg())
	}
}

// TestSelectedHoldsPolicies: V of two steps is not below what policies have whose t are on a much finer grid, of which
// the lower end has some; on points of the grid, between them and beside it.
func TestSelectedHoldsPolicies(t *testing.T) {
	const w = interval.Prec(40)
	for _, c := range []struct {
		of           Selection
		x, delta     string
		first, count int
		parts        int
	}{
		{Exponential, "1", "1/4", -8, 24, 6}, {Exponential, "2", "1/4", -6, 40, 3}, {Exponential, "3", "7/10", -3, 9, 2},
		{Exponential, "1/10", "1/37", -20, 40, 3}, {PermuteAndFlip, "1", "1/4", -8, 24, 6},
		{PermuteAndFlip, "2", "3/10", -6, 30, 3}, {PermuteAndFlip, "3", "7/10", -3, 9, 2}, {PermuteAndFlip, "1/10", "1/37", -20, 40, 3},
	} {
		x, delta := rat(c.x), rat(c.delta)
		b, err := NewSelected(context.Background(), c.of, x, 2, SelectionGrid{delta, c.first, c.count, c.parts})
		if err != nil {
			t.Fatal(err)
		}
		one := func(eps interval.Interval) interval.Interval { return chosen(w, c.of, x, 6, eps, hockeyAt(w)) }
		for _, e := range []string{"-1/5", "1/20", "1/4", "1", "19/10", "7"} {
			eps := rat(e)
			want := chosen(w, c.of, x, 6, w.Rat(eps), one)
			above, _ := b.Above(context.Background(), 64, interval.RealRat(eps))
			below, _ := b.Below(context.Background(), 64, interval.RealRat(eps))
			if above.Less(want) == interval.True {
				t.Errorf("%d, x = %s, ε = %s: at most %v, but a policy has %v", c.of, c.x, e, above, want)
			}
			if interval.Point(below.Lo()).LessEq(interval.Point(want.Hi())) != interval.True {
				t.Errorf("%d, x = %s, ε = %s: at least %v, but policies have %v", c.of, c.x, e, below, want)
			}
		}
	}
}

// TestSelectedOfGreatLosses: e^x and its products with the width of a grid may be more than a float64 holds. One step is
// at least as bad as a choice of six, and both sides of two steps have something in common.
func TestSelectedOfGreatLosses(t *testing.T) {
	const w = interval.Prec(40)
	for _, of := range []Selection{Exponential, PermuteAndFlip} {
		for _, x := range []int64{150, 300, 720, 990} {
			for steps := int64(1); steps <= 2; steps++ {
				loss := big.NewRat(x, 1)
				g, ok := GridOf(of, loss, steps, big.NewRat(1, 1<<30), 1<<22)
				if !ok {
					t.Fatalf("x = %d: there is no grid", x)
				}
				b, err := NewSelected(context.Background(), of, loss, steps, g)
				if err != nil {
					t.Fatal(err)
				}
				for _, less := range []int64{400, 100, 20, 3} {
					eps := interval.Int(x*steps - less)
					above, _ := b.Above(context.Background(), 64, func(interval.Prec) interval.Interval { return eps })
					below, _ := b.Below(context.Background(), 64, func(interval.Prec) interval.Interval { return eps })
					if steps == 1 {
						below = chosen(w, of, loss, 6, eps, hockeyAt(w))
					}
					if interval.Point(below.Lo()).LessEq(interval.Point(above.Hi())) != interval.True {
						t.Errorf("%d, x = %d, ε = %v: at most %v, but at least %v", of, x, eps, above, below)
					}
				}
			}
		}
	}
}

// rat reads a rational.
func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// flips are the probabilities of permute-and-flip with these weights, of which the greatest is 1: ∫ w_i·Π (1 − w_j·y)
// over the others, for y from 0 to 1.
func flips(weights []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(weights))
	for i := range weights {
		poly := []*big.Rat{weights[i]}
		for j, w := range weights {
			if j == i {
				continue
			}
			next := make([]*big.Rat, len(poly)+1)
			for k := range next {
				next[k] = new(big.Rat)
				if k < len(poly) {
					next[k].Set(poly[k])
				}
				if k > 0 {
					next[k].Sub(next[k], new(big.Rat).Mul(w, poly[k-1]))
				}
			}
			poly = next
		}
		out[i] = new(big.Rat)
		for k, c := range poly {
			out[i].Add(out[i], new(big.Rat).Quo(c, big.NewRat(int64(k+1), 1)))
		}
	}
	return out
}

// scored are random weights of one candidate under P and Q, whose ratios are between a and aρ for some a, and whose
// greatest is 1 in both.
func scored(r *rand.Rand, n int, rho *big.Rat) (p, q []*big.Rat) {
	p, q = nil, nil
	var top [2]*big.Rat
	for range n {
		w := big.NewRat(1+int64(r.Intn(8)), 8)
		v := new(big.Rat).Set(w)
		switch r.Intn(3) { // the ends of what the ratio may be are the most interesting
		case 0:
			v.Mul(v, rho)
		case 1:
			v.Mul(v, new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(big.NewRat(int64(r.Intn(4)), 4),
				new(big.Rat).Sub(rho, big.NewRat(1, 1)))))
		}
		p, q = append(p, w), append(q, v)
		for i, x := range []*big.Rat{w, v} {
			if top[i] == nil || x.Cmp(top[i]) > 0 {
				top[i] = x
			}
		}
	}
	for i := range n {
		p[i], q[i] = new(big.Rat).Quo(p[i], top[0]), new(big.Rat).Quo(q[i], top[1])
	}
	return p, q
}

// TestNoCandidatesAreAbove: two steps of selections among up to five candidates, the second one chosen in view of the
// first, are not above the bound. All of 500 pairs of exact distributions, by enumeration of all policies.
func TestNoCandidatesAreAbove(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		of  Selection
		rho string // e^x at most
		x   string
	}{{PermuteAndFlip, "3", "1.0986122886681099"}, {Exponential, "3", "1.0986122886681099"}, {PermuteAndFlip, "3/2", "0.40546510810816439"}} {
		x := rat(c.x)
		b, err := NewSelected(context.Background(), c.of, x, 2, SelectionGrid{new(big.Rat).Quo(x, big.NewRat(16, 1)), -48, 96, 24})
		if err != nil {
			t.Fatal(err)
		}
		for range 170 {
			n := 2 + r.Intn(4)
			var family []adversary.Finite
			for range 2 {
				p, q := scored(r, n, rat(c.rho))
				if c.of == PermuteAndFlip {
					family = append(family, adversary.Finite{P: flips(p), Q: flips(q)})
					continue
				}
				family = append(family, adversary.Finite{P: shares(p), Q: shares(q)})
			}
			steps := int64(2)
			if n > 3 { // one step, and a choice of two after it
				steps = 1
			}
			alpha := big.NewRat(1+int64(r.Intn(30)), 1+int64(r.Intn(15)))
			best, ok := adversary.Enumerate(context.Background(), family, steps, 1<<16)
			if !ok {
				t.Fatal("too many ways")
			}
			eps := func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) }
			want, _ := best(context.Background(), 128, eps)
			above, _ := b.Above(context.Background(), 96, eps)
			if above.Less(want) == interval.True {
				t.Errorf("%v, %d steps at α = %v: a policy has %v, at most %v", family, steps, alpha.RatString(), want, above)
			}
		}
	}
}

// shares are weights divided by their sum.
func shares(weights []*big.Rat) (out []*big.Rat) {
	sum := new(big.Rat)
	for _, w := range weights {
		sum.Add(sum, w)
	}
	for _, w := range weights {
		out = append(out, new(big.Rat).Quo(w, sum))
	}
	return out
}

// TestSelectedIsNarrow: with more cells the two sides come together as their square.
func TestSelectedIsNarrow(t *testing.T) {
	x := big.NewRat(1, 2)
	for _, of := range []Selection{Exponential, PermuteAndFlip} {
		for _, cells := range []int{8, 16} {
			delta := new(big.Rat).Quo(x, big.NewRat(int64(cells), 1))
			b, err := NewSelected(context.Background(), of, x, 20, SelectionGrid{delta, -9 * cells, 27 * cells, 2 * cells})
			if err != nil {
				t.Fatal(err)
			}
			eps := interval.RealRat(big.NewRat(2, 1))
			above, _ := b.Above(context.Background(), 64, eps)
			below, _ := b.Below(context.Background(), 64, eps)
			const w = interval.Prec(64)
			width := w.Div(w.Sub(interval.Point(above.Hi()), interval.Point(below.Lo())), interval.Point(below.Lo()))
			if width.LessRat(big.NewRat(12, int64(cells*cells))) != interval.True {
				t.Errorf("%d, %d cells: %v and %v are %v apart", of, cells, below, above, width)
			}
		}
	}
}
