// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

var ctx = context.Background()

var limits = Limits{Points: 1 << 12, Words: 1 << 18, Terms: 1 << 12}

func rats(ss ...string) []*big.Rat {
	var out []*big.Rat
	for _, s := range ss {
		out = append(out, rat(s))
	}
	return out
}

// quarters is (1/8, 1/2, 1/4, 1/8, 0) against (0, 1/8, 1/4, 1/2, 1/8): losses ∞, log 4, 0,
// −log 4, −∞, all masses dyadic.
var quarters = pair.NewFinite(rats("1/8", "1/2", "1/4", "1/8", "0"), rats("0", "1/8", "1/4", "1/2", "1/8"))

func at(t *testing.T, f func(context.Context, interval.Prec, interval.Real) (interval.Interval, error), alpha string) interval.Interval {
	t.Helper()
	y, err := f(ctx, 64, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(rat(alpha))) })
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestLatticeByHand: dyadic masses lose nothing, so that the enclosure is narrow; at
// 2 bits a quarter of the mass is lost, and counted in the upper bound only.
func TestLatticeByHand(t *testing.T) {
	for _, prec := range []uint{61, 3, 2} {
		d, ok, err := New(ctx, pair.Product{{Pair: quarters, Count: 1}}, prec, limits)
		if err != nil || !ok {
			t.Fatalf("%d bits: %v, %v", prec, ok, err)
		}
		for alpha, want := range map[string]string{"1": "1/2", "2": "3/8", "4": "1/8", "100": "1/8", "1/2": "11/16", "1/8": "57/64"} {
			y := at(t, d.Delta, alpha)
			if !y.ContainsRat(rat(want)) {
				t.Errorf("%d bits: H_%s = %s, want %s", prec, alpha, y, want)
			}
			if prec == 61 && y.RelativeBits(50) < 50 {
				t.Errorf("%d bits: H_%s = %s is wide", prec, alpha, y)
			}
		}
	}
}

// TestLatticeOfTwoPairs: a coarse and a fine lattice, offsets, and a pair that is on
// no common lattice with either.
func TestLatticeOfTwoPairs(t *testing.T) {
	fine := pair.NewFinite(rats("1/2", "1/2"), rats("1/4", "3/4")) // losses log 2 and log(2/3): not commensurable
	half := pair.NewFinite(rats("2/3", "1/3"), rats("1/3", "2/3")) // ± log 2
	odd := pair.NewFinite(rats("3/4", "1/4"), rats("1/4", "3/4"))  // ± log 3
	shifted := pair.NewFinite(rats("2/3", "1/3"), rats("1/6", "5/6"))
	for _, prod := range []pair.Product{
		{{Pair: quarters, Count: 2}, {Pair: half, Count: 3}},
		{{Pair: quarters, Count: 1}, {Pair: odd, Count: 2}},
		{{Pair: fine, Count: 1}, {Pair: half, Count: 1}},
		{{Pair: shifted, Count: 3}},
	} {
		d, ok, err := New(ctx, prod, 61, limits)
		if err != nil || !ok {
			t.Errorf("%s: %v, %v", prod, ok, err)
			continue
		}
		want := enumerate(prod)
		for _, alpha := range []string{"1/10", "1/2", "2/3", "1", "4/3", "2", "3", "8", "64", "1000"} {
			y := at(t, d.Delta, alpha)
			if w := want.Delta(rat(alpha)); !y.ContainsRat(w) || y.LessRat(new(big.Rat).Add(w, rat("1e-12"))) != interval.True {
				t.Errorf("%s: H_%s = %s, want %s", prod, alpha, y, w.FloatString(20))
			}
		}
	}
}

// enumerate multiplies finite pairs out.
func enumerate(prod pair.Product) pair.Finite {
	p, q := rats("1"), rats("1")
	for _, t := range prod {
		for range t.Count {
			var np, nq []*big.Rat
			for i := range p {
				for _, m := range t.Pair.(pair.Finite).Masses {
					np, nq = append(np, new(big.Rat).Mul(p[i], m.P)), append(nq, new(big.Rat).Mul(q[i], m.Q))
				}
			}
			p, q = np, nq
		}
	}
	return pair.NewFinite(p, q)
}

// TestGridByHand: the grid's bounds of finite products enclose the truth in both
// orientations, at precisions from 4 bits, and are narrow at many points.
func TestGridByHand(t *testing.T) {
	odd := pair.NewFinite(rats("1/10", "3/5", "3/10", "0"), rats("0", "1/5", "1/2", "3/10"))
	base := pair.Product{{Pair: odd, Count: 2}}
	sampled := pair.Sampled{Rate: rat("1/4"), Base: base}
	sampledModel := enumerate(base).Sample(rat("1/4"))
	for _, c := range []struct {
		prod pair.Product
		want pair.Finite
	}{
		{pair.Product{{Pair: odd, Count: 3}}, enumerate(pair.Product{{Pair: odd, Count: 3}})},
		{pair.Product{{Pair: sampled, Count: 2}}, enumerate(pair.Product{{Pair: sampledModel, Count: 2}})},
		{pair.Product{{Pair: sampled.Reverse(), Count: 2}}, enumerate(pair.Product{{Pair: sampledModel.Reverse(), Count: 2}})},
		{pair.Product{{Pair: odd, Count: 1}, {Pair: sampled, Count: 1}}, enumerate(pair.Product{{Pair: odd, Count: 1}, {Pair: sampledModel, Count: 1}})},
	} {
		for _, set := range []Settings{
			{Points: 8, Prec: 4, Cut: 3, Limit: 1 << 12}, {Points: 16, Prec: 12, Cut: 5, Limit: 1 << 12}, {Points: 64, Prec: 61, Cut: 60, Limit: 1 << 12},
			{Points: 512, Prec: 61, Cut: 55, Limit: 1 << 14},
		} {
			g, ok, err := NewGrid(ctx, c.prod, set)
			if err != nil || !ok {
				t.Errorf("%s, %+v: %v, %v", c.prod, set, ok, err)
				continue
			}
			for _, alpha := range []string{"1/20", "1/2", "3/5", "1", "3/2", "3", "9", "27", "100"} {
				y, w := at(t, g.Delta, alpha), c.want.Delta(rat(alpha))
				if !y.ContainsRat(w) {
					t.Errorf("%s, %d points, %d bits: H_%s = %s, want %s", c.prod, set.Points, set.Prec, alpha, y, w.FloatString(20))
				}
				if set.Points > 500 && y.LessRat(new(big.Rat).Add(w, rat("1/100"))) != interval.True {
					t.Errorf("%s: H_%s = %s is wide, want %s", c.prod, alpha, y, w.FloatString(20))
				}
			}
		}
	}
}

// TestGridOfLaplace: grids of Laplace pairs contain the values of their composition.
func TestGridOfLaplace(t *testing.T) {
	// δ_2 and δ_3 by quadrature, mpmath 1.3: see package closed.
	for _, c := range []struct {
		k         int64
		shift     string
		eps, want string
	}{
		{2, "1", "0", "0.448180838242836"}, {2, "1", "1/2", "0.350495989981104"}, {2, "1/3", "-1/4", "0.301794935502682"}, {3, "1", "1", "0.310226047803545"},
	} {
		for _, set := range []Settings{{Points: 8, Prec: 6, Cut: 4, Limit: 1 << 10}, {Points: 400, Prec: 61, Cut: 55, Limit: 1 << 14}} {
			g, ok, err := NewGrid(ctx, pair.Product{{Pair: pair.Laplace{Shift: rat(c.shift)}, Count: c.k}}, set)
			if err != nil || !ok {
				t.Fatalf("%v, %v", ok, err)
			}
			y, err := g.Delta(ctx, 64, interval.RealRat(rat(c.eps)))
			lo, hi := rat(c.want), new(big.Rat).Add(rat(c.want), rat("1e-15"))
			if err != nil || y.LessRat(lo) == interval.True || y.LessEqRat(hi) == interval.False {
				t.Errorf("k = %d, %d points: δ(%s) = %s, want %s", c.k, set.Points, c.eps, y, c.want)
			}
			if set.Points > 100 && y.RelativeBits(20) < 10 {
				t.Errorf("k = %d: δ(%s) = %s is wide", c.k, c.eps, y)
			}
		}
	}
}

// TestCoarsenKeepsBothMasses: the Q-mass that losses imply does not grow, and P-mass
// moves up at most by rounding.
func TestCoarsenKeepsBothMasses(t *testing.T) {
	for _, prec := range []uint{4, 61} {
		masses := []string{"1/16", "1/8", "1/4", "3/16", "1/8", "1/16"}
		l := latticeOf(rat("1/4"), -3, prec, masses)
		c := l.coarsen()
		if c.step.rat.Cmp(rat("1/2")) != 0 {
			t.Errorf("step %s", c.step.rat)
		}
		if l.v.Sum().Cmp(c.v.Sum()) != 0 {
			t.Errorf("%d bits: P-mass %v, was %v", prec, c.v.Sum(), l.v.Sum())
		}
		before, after := impliedQ(l), impliedQ(c)
		const w = interval.Prec(100)
		if after.LessEq(before) == interval.False {
			t.Errorf("%d bits: the implied Q-mass grows from %s to %s", prec, before, after)
		}
		if prec == 61 && w.Sub(before, after).LessEqRat(rat("1e-15")) != interval.True {
			t.Errorf("the implied Q-mass falls from %s to %s", before, after)
		}
		// Profiles only rise.
		for _, alpha := range []string{"1/4", "1", "3/2", "2"} {
			a, b := at(t, newSums(l).delta, alpha), at(t, newSums(c).delta, alpha)
			if b.Less(a) == interval.True {
				t.Errorf("%d bits: H_%s falls from %s to %s", prec, alpha, a, b)
			}
		}
	}
}

func latticeOf(step_ *big.Rat, first int64, prec uint, masses []string) *lattice {
	l := &lattice{step: step{rat: step_}, first: first, v: vector(prec, masses)}
	return l
}

// impliedQ is Σ a_i·e^(−x_i).
func impliedQ(l *lattice) interval.Interval {
	const w = interval.Prec(100)
	sum := interval.Int(0)
	for i := range l.v.Len() {
		m := w.Scale(w.BigInt(l.v.At(i)), -int(l.v.Prec()))
		sum = w.Add(sum, w.Mul(m, w.Exp(l.loss(i).Enclose(w).Neg())))
	}
	return sum
}

// TestCutTails: of an upper bound, what is cut at the upper end is missing and what
// is cut at the lower end moves up; of groups, both masses go.
func TestCutTails(t *testing.T) {
	l := latticeOf(rat("1/4"), 5, 4, []string{"1/16", "1/16", "1/2", "1/8", "1/16"})
	c := l.cutTails(big.NewInt(2))
	if c.first != 7 || c.v.Len() != 2 || c.v.At(0).Int64() != 10 || c.v.At(1).Int64() != 2 {
		t.Errorf("cut to %d entries from %d: %v", c.v.Len(), c.first, c.v.At(0))
	}
	if l.v.At(2).Int64() != 8 {
		t.Error("the original has changed")
	}
	g := &groups{delta: rat("1/4"), first: 5, a: vector(4, []string{"1/16", "1/2", "1/16"}), b: vector(4, []string{"1/2", "1/4", "1/4"})}
	d := g.cutTails(big.NewInt(1))
	if d.first != 6 || d.a.Len() != 1 || d.a.At(0).Int64() != 8 || d.b.At(0).Int64() != 4 {
		t.Errorf("cut to %d groups from %d", d.a.Len(), d.first)
	}
}

// TestCommonSteps: commensurability of losses, exactly.
func TestCommonSteps(t *testing.T) {
	log := func(s string) step { return step{base: rat(s)} }
	for _, c := range []struct {
		a, b step
		s    step
		m, n int64
		ok   bool
	}{
		{step{rat: rat("1/2")}, step{rat: rat("1/3")}, step{rat: rat("1/6")}, 3, 2, true},
		{log("4"), log("8"), log("2"), 2, 3, true},
		{log("4/9"), log("4/9"), log("4/9"), 1, 1, true},
		{log("9/4"), log("27/8"), log("3/2"), 2, 3, true},
		{log("2"), log("3"), step{}, 0, 0, false},
		{log("2"), log("6"), step{}, 0, 0, false},
		{log("2"), step{rat: rat("1")}, step{}, 0, 0, false},
	} {
		if c.a.base != nil && c.a.base.Cmp(ratOne) < 0 {
			continue // bases exceed 1
		}
		s, m, n, ok := common(c.a, c.b)
		if ok != c.ok || ok && (m != c.m || n != c.n || s.loss(1).String() != c.s.loss(1).String()) {
			t.Errorf("common(%s, %s) = %s, %d, %d, %v", c.a.loss(1), c.b.loss(1), s.loss(1), m, n, ok)
		}
	}
}

func vector(prec uint, masses []string) convolve.Vector {
	v := convolve.NewVector(len(masses), prec)
	for i, m := range masses {
		x := new(big.Rat).Mul(rat(m), interval.Pow2(int(prec)))
		if !x.IsInt() {
			panic("a mass that does not fit")
		}
		v.Set(i, x.Num())
	}
	return v
}

// TestLossesWithAFineLattice: losses that are commensurable, but by a spacing far below both
// of theirs, are summed up apart.
func TestLossesWithAFineLattice(t *testing.T) {
	prod := pair.Product{
		{Pair: pair.Response{Eps: rat("1/3"), Delta: rat("1/100")}, Count: 3},
		{Pair: pair.Response{Eps: rat("1.0000001"), Delta: rat("0")}, Count: 2},
		{Pair: pair.Response{Eps: rat("2/3"), Delta: rat("0")}, Count: 1},
	}
	d, ok, err := New(ctx, prod, 61, limits)
	if err != nil || !ok {
		t.Fatalf("no lattices: %v", err)
	}
	if len(d.groups) != 2 {
		t.Errorf("%d lattices, want the lattice of 1/3 and 2/3, and the lattice of 1.0000001", len(d.groups))
	}
	const w = interval.Prec(128)
	os, rest, ok := pair.ProductOutcomes(prod, w, 1<<12)
	if !ok || !rest.IsZero() {
		t.Fatal("no outcomes")
	}
	for _, alpha := range []string{"1/3", "1", "3/2", "4", "1000"} {
		want := interval.Int(0)
		for _, o := range os {
			want = w.Add(want, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(rat(alpha)), o.Q))))
		}
		y := at(t, d.Delta, alpha)
		if _, ok := interval.Intersect(y, want); !ok || y.RelativeBits(60) < 45 {
			t.Errorf("H_%s in %s, want %s", alpha, y, want)
		}
	}
}

// TestLatticeAddsEqualLosses: a mixture with nothing has the loss 0 twice, from nothing
// and from the two rounds that cancel; both masses count.
func TestLatticeAddsEqualLosses(t *testing.T) {
	half := pair.NewFinite(rats("2/3", "1/3"), rats("1/3", "2/3"))
	mixed := pair.Mixed(rat("1/2"), pair.Product{{Pair: half, Count: 2}})
	// Losses 2·log 2, 0, 0, −2·log 2 with P-masses 2/9, 2/9 and 1/2, 1/18.
	model := pair.NewFinite(rats("2/9", "13/18", "1/18"), rats("1/18", "13/18", "2/9"))
	for _, count := range []int64{1, 2, 5} {
		d, ok, err := New(ctx, pair.Product{{Pair: mixed, Count: count}}, 61, limits)
		if err != nil || !ok {
			t.Fatalf("%d copies: %v, %v", count, ok, err)
		}
		want := enumerate(pair.Product{{Pair: model, Count: count}})
		for _, alpha := range []string{"1/10", "1", "2", "3", "5", "64"} {
			y := at(t, d.Delta, alpha)
			if w := want.Delta(rat(alpha)); !y.ContainsRat(w) || y.LessRat(new(big.Rat).Add(w, rat("1e-12"))) != interval.True {
				t.Errorf("%d copies: H_%s = %s, want %s", count, alpha, y, w.FloatString(20))
			}
		}
	}
}
