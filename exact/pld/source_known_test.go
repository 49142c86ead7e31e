// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
)

// TestBelowKnownValues: from enclosures of values of a profile, at 2, 8 and 60 bits, comes a pair whose profile is
// nowhere above, whose masses are those of distributions, and which is near if much is known.
func TestBelowKnownValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range testkit.Draws(20, 60, 400) {
		w := []interval.Prec{40, 192}[i%2]
		x := randomFinite(r)
		n, bits := 1+r.IntN(40), []int{2, 8, 60}[r.IntN(3)]
		off := interval.Pow2(-bits)
		var points []hullPoint
		for i := -n; i <= n; i++ {
			alpha := big.NewRat(int64(i+n+1), int64(n))
			for i > 0 && r.IntN(4) == 0 {
				i++ // cells of different widths
			}
			up, down := new(big.Rat).Mul(off, big.NewRat(r.Int64N(3), 2)), new(big.Rat).Mul(off, big.NewRat(r.Int64N(3), 2))
			y := x.Delta(alpha)
			points = append(points, hullPoint{int64(i), w.Rat(alpha), interval.Union(w.Rat(up.Add(up, y)), w.Rat(down.Sub(y, down)))})
		}
		os := below(points, w)
		var p, q interval.Interval
		for _, o := range os {
			p, q = w.Add(p, o.P), w.Add(q, o.Q)
		}
		if one := interval.Int(1); !q.Encloses(one) || !p.Encloses(one) {
			t.Errorf("masses %v and %v, want 1", p, q)
		}
		for k := range int64(60) {
			alpha := big.NewRat(k, 17)
			var y interval.Interval
			for _, o := range os {
				y = w.Add(y, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))))
			}
			if want := x.Delta(alpha); interval.Point(y.Lo()).LessEqRat(want) == interval.False {
				t.Errorf("H_%s ≥ %v from %d values, but it is %s", alpha.RatString(), y, len(points), want.RatString())
			}
		}
	}
}

// randomFinite is a pair of up to five outcomes.
func randomFinite(r *rand.Rand) pair.Finite {
	var p, q []*big.Rat
	var sumP, sumQ int64
	n := 2 + r.IntN(4)
	weights := make([][2]int64, n)
	for i := range weights {
		weights[i] = [2]int64{1 + r.Int64N(9), 1 + r.Int64N(9)}
		sumP, sumQ = sumP+weights[i][0], sumQ+weights[i][1]
	}
	for _, x := range weights {
		p, q = append(p, big.NewRat(x[0], sumP)), append(q, big.NewRat(x[1], sumQ))
	}
	return pair.NewFinite(p, q)
}

// TestGridOfKnownProfiles: of one step, an allocation is a Gaussian pair, of which the grid knows the profile alone:
// the closed form of a composition is in every grid's interval, and a fine grid is near.
func TestGridOfKnownProfiles(t *testing.T) {
	type source struct {
		mu2    string
		points int
		prec   uint
	}
	for _, c := range testkit.Few(2, []source{{"1/4", 1 << 12, 123}, {"1/100", 64, 61}, {"1", 8, 61}, {"1/9", 1 << 9, 61}}) {
		const count = 3
		x := pair.OppositeAllocation{Mu2: rat(c.mu2), Steps: 1}
		g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: count}}, Settings{Points: c.points, Prec: c.prec, Cut: 36, Limit: 1 << 18})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		want := closed.GaussianDelta(new(big.Rat).Mul(rat(c.mu2), big.NewRat(4*count, 1)))
		for _, eps := range []string{"-1", "0", "1/3", "1", "3"} {
			e := interval.RealRat(rat(eps))
			y, err := g.Delta(ctx, 64, e)
			truth := want(64, e)
			if err != nil || !meets(y, truth) {
				t.Errorf("%s, %d points: δ(%s) = %v, want %v: %v", x, c.points, eps, y, truth, err)
			}
			const w = interval.Prec(64)
			if wide := w.Sub(y.Upper(), y.Lower()); c.points > 1000 && wide.LessRat(rat("1/2000")) != interval.True {
				t.Errorf("%s, %d points: δ(%s) = %v, wider than 1/2000", x, c.points, eps, y)
			}
		}
	}
}

// TestExtentOfKnownProfiles: a profile of which nothing is known far beyond its losses has an extent, and beyond it
// next to nothing.
func TestExtentOfKnownProfiles(t *testing.T) {
	for _, scale := range []int{-12, -7, -3} {
		f := closed.GaussianDelta(rat("1/2500"))
		s := &knownSource{scale: scale, of: func(bits interval.Prec) profile.Func {
			return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				if e := eps(64).Abs(); e.LessRat(rat("1/2")) != interval.True {
					return profile.Unit(), nil
				}
				return f(p, eps), nil
			}
		}}
		const cut = 36
		ok, err := s.prepare(ctx, Settings{Points: 64, Cut: cut}, 1)
		if !ok || err != nil || s.hi.Cmp(rat("1/2")) >= 0 ||
			f(64, interval.RealRat(s.hi)).LessEq(interval.Prec(64).Scale(interval.Int(1), -cut)) != interval.True {
			t.Errorf("scale %d: up to %v, %v %v", scale, s.hi, ok, err)
		}
	}
}

// TestRepeatedAllocationOfReplacedRecords: two copies of one of two steps, and five, against sums over a grid of all
// outputs of a step: docs/oracle/repeated_allocation.py.
func TestRepeatedAllocationOfReplacedRecords(t *testing.T) {
	for _, c := range []struct {
		mu2       string
		count     int64
		eps       int64
		low, high string
	}{
		{"1", 2, 0, "0.68265", "0.68273"}, {"1", 2, 1, "0.50983", "0.50989"}, {"1", 2, 2, "0.33187", "0.33193"},
		{"1/4", 5, 0, "0.57077", "0.57084"}, {"1/4", 5, 1, "0.35249", "0.35255"}, {"1/4", 5, 2, "0.17043", "0.17050"},
	}[:testkit.Draws(3, 6, 6)] {
		x := pair.OppositeAllocation{Mu2: rat(c.mu2), Steps: 2}
		g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: c.count}}, Settings{Points: 1 << 11, Prec: 61, Cut: 30, Limit: 1 << 17})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		y, err := g.Delta(ctx, 64, interval.RealRat(big.NewRat(c.eps, 1)))
		between := interval.Union(interval.Prec(64).Rat(rat(c.low)), interval.Prec(64).Rat(rat(c.high)))
		if err != nil || !meets(y, between) {
			t.Errorf("%d times %s: δ(%d) = %v, want a number in %v: %v", c.count, x, c.eps, y, between, err)
		}
	}
}
