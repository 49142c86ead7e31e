// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// neymanPearson is T[P, Q](x) in rationals: the outcomes of the least P/Q are rejected
// first, the last of them at random.
func neymanPearson(x pair.Finite, alpha *big.Rat) *big.Rat {
	beta, left := big.NewRat(1, 1), new(big.Rat).Set(alpha)
	ms := slices.Clone(x.Masses)
	slices.Reverse(ms) // listed by falling P/Q
	for _, m := range ms {
		if m.P.Cmp(left) <= 0 {
			left.Sub(left, m.P)
			beta.Sub(beta, m.Q)
			continue
		}
		part := new(big.Rat).Quo(left, m.P)
		return beta.Sub(beta, part.Mul(part, m.Q))
	}
	return beta
}

func times(a, b pair.Finite) pair.Finite {
	var p, q []*big.Rat
	for _, x := range a.Masses {
		for _, y := range b.Masses {
			p = append(p, new(big.Rat).Mul(x.P, y.P))
			q = append(q, new(big.Rat).Mul(x.Q, y.Q))
		}
	}
	return pair.NewFinite(p, q)
}

// TestTradeOffOfFinitePairs: under every relation and direction the answer contains the function of
// the best test, found by the lemma of Neyman and Pearson in rationals. Where each of two
// factors may be oriented either way, all orientations are above the lower end, and the
// two that are certainly possible above the upper end.
func TestTradeOffOfFinitePairs(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	rng := rand.New(rand.NewPCG(20, 1))
	masses := func(n int) []*big.Rat {
		out, sum := make([]*big.Rat, n), int64(0)
		ks := make([]int64, n)
		for i := range ks {
			ks[i] = rng.Int64N(6)
			sum += ks[i]
		}
		if sum == 0 {
			ks[0], sum = 1, 1
		}
		for i, k := range ks {
			out[i] = big.NewRat(k, sum)
		}
		return out
	}
	ctx := context.Background()
	cases := 2
	if testkit.Long() {
		cases = 20
	}
	for i := range cases {
		n := 2 + rng.IntN(3)
		e := mechanism.FinitePair{P: masses(n), Q: masses(n)}
		forth := pair.NewFinite(e.P, e.Q)
		back := forth.Reverse().(pair.Finite)
		twice := mechanism.SelfComposed{Event: e, Count: 2}
		alphas := []*big.Rat{big.NewRat(1, 100), big.NewRat(1, 3)}
		if !testkit.Long() {
			alphas = alphas[i%2 : i%2+1]
		}
		for _, alpha := range append(alphas, new(big.Rat), big.NewRat(1, 1)) {
			least := func(xs ...pair.Finite) *big.Rat {
				y := big.NewRat(1, 1)
				for _, x := range xs {
					if z := neymanPearson(x, alpha); z.Cmp(y) < 0 {
						y = z
					}
				}
				return y
			}
			for _, c := range []struct {
				event     mechanism.Event
				relation  mechanism.Relation
				direction mechanism.Direction
				want      *big.Rat
			}{
				{e, mechanism.AddOrRemoveOne, mechanism.Remove, least(forth)},
				{e, mechanism.AddOrRemoveOne, mechanism.Add, least(back)},
				{e, mechanism.AddOrRemoveOne, mechanism.Both, least(forth, back)},
				{e, mechanism.ReplaceOne, mechanism.Both, least(forth, back)},
				{twice, mechanism.AddOrRemoveOne, mechanism.Both, least(times(forth, forth), times(back, back))},
			} {
				r := tradeOff(ctx, t, c.event, c.relation, c.direction, alpha)
				if !r.ContainsRat(c.want) {
					t.Errorf("%s, %s, %s: f(%s) = %s, want %s", forth, c.relation, c.direction, alpha.RatString(), r, c.want.RatString())
				}
				if alpha.Sign() > 0 && r.RelativeBits(64) < 20 && c.want.Sign() > 0 {
					t.Errorf("%s, %s, %s: f(%s) = %s is wide", forth, c.relation, c.direction, alpha.RatString(), r)
				}
			}
			r := tradeOff(ctx, t, twice, mechanism.ReplaceOne, mechanism.Both, alpha)
			if all := least(times(forth, forth), times(forth, back), times(back, back)); r.LessEqRat(all) == interval.False {
				t.Errorf("%s twice: f(%s) = %s, but a test attains %s", forth, alpha.RatString(), r, all.RatString())
			}
			forward := least(times(forth, forth))
			if most := new(big.Rat).Add(forward, big.NewRat(1, 1<<40)); r.LessEqRat(most) != interval.True {
				t.Errorf("%s twice: f(%s) = %s, both forward give %s", forth, alpha.RatString(), r, forward.RatString())
			}
		}
	}
}

// TestTradeOffFalls: f is at most f(0) at the least type I error as well.
func TestTradeOffFalls(t *testing.T) {
	e := mechanism.FinitePair{P: []*big.Rat{rat("1/2"), rat("1/2"), new(big.Rat)}, Q: []*big.Rat{rat("1/5"), rat("1/2"), rat("3/10")}}
	r := tradeOff(t.Context(), t, e, mechanism.AddOrRemoveOne, mechanism.Remove, rat("1e-3000"))
	if r.LessEqRat(rat("0.7000001")) != interval.True || r.LessRat(rat("0.699")) != interval.False {
		t.Errorf("f(1e-3000) = %s, want 7/10", r)
	}
}

// TestTradeOffBetweenBounds: of a product that bounds a profile from below and one that
// bounds it from above, the trade-off functions are the upper and the lower end.
func TestTradeOffBetweenBounds(t *testing.T) {
	ctx := context.Background()
	p := Profile{prepared: prepared{solver: method.NewSolver(method.All, 1, nil)}}
	add := func(eps int64, lower, upper bool) {
		prod := pair.Product{{Pair: pair.Response{Eps: big.NewRat(eps, 1), Delta: new(big.Rat)}, Count: 1}}
		sol, err := p.solver.Solve(ctx, prod)
		if err != nil {
			t.Fatal(err)
		}
		p.bounds = append(p.bounds, method.Bound{Prod: prod, Sol: sol, Lower: lower, Upper: upper})
	}
	add(1, true, false)
	add(2, false, true)
	x := big.NewRat(1, 100)
	r, err := p.TradeOff(ctx, x, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	// Randomized response: f(x) = 1 − e^ε·x next to 0.
	const w = interval.Prec(64)
	for k, end := range []interval.Interval{interval.Point(r.Hi()), interval.Point(r.Lo())} {
		want := w.Sub(interval.Int(1), w.Mul(w.Exp(interval.Int(int64(k+1))), w.Rat(x)))
		if d := w.Sub(end, want).Abs(); d.LessRat(big.NewRat(1, 1<<30)) != interval.True {
			t.Errorf("f(1/100) = %s, want an end at %s", r, want)
		}
	}
}

func tradeOff(ctx context.Context, t *testing.T, e mechanism.Event, rel mechanism.Relation, d mechanism.Direction, alpha *big.Rat) Result {
	t.Helper()
	p, err := Prepare(ctx, Question{Event: e, Relation: rel, Direction: d}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.TradeOff(ctx, alpha, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
