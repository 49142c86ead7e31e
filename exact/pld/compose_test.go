// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// TestGridOfUnboundedLosses: whatever lies beyond a short grid counts as infinite loss
// above, and by its own masses below.
func TestGridOfUnboundedLosses(t *testing.T) {
	base := pair.Product{{Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}
	for _, x := range []pair.Pair{
		pair.Sampled{Rate: rat("1/3"), Base: base}, pair.Sampled{Rate: rat("1/3"), Base: base, Reversed: true},
		pair.Gaussian{Mu2: rat("4")},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("2"), Width: rat("1"), Shift: rat("1")},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("2"), Width: rat("1"), Shift: rat("1"), Reversed: true},
	} {
		tails, ok := closed.PairTails(x)
		if !ok {
			t.Fatalf("no tails for %s", x)
		}
		for _, cut := range []int{1, 3, 20} {
			g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: 1}}, Settings{Points: 8, Prec: 61, Cut: cut, Limit: 1 << 12})
			if err != nil || !ok {
				t.Fatalf("%s: %v, %v", x, ok, err)
			}
			for _, eps := range []string{"-2", "-1/2", "0", "1", "3", "6"} {
				e := interval.RealRat(rat(eps))
				y, err := g.Delta(ctx, 64, e)
				if want := tails.Delta(64, e); err != nil || !meets(y, want) {
					t.Errorf("%s, cut %d: δ(%s) = %s, %v, want %s", x, cut, eps, y, err, want)
				}
			}
		}
	}
}

func meets(x, y interval.Interval) bool {
	_, ok := interval.Intersect(x, y)
	return ok
}

// farAway is a pair whose losses reach from −∞ to ∞ and are incommensurable, so that
// short grids cut them off; its powers are enumerated.
var farAway = pair.NewFinite(rats("1/50", "97/100", "9/1000", "1/1000", "0"), rats("0", "1/50", "1/100", "939/1000", "31/1000"))

// TestGridsOfPowers: the group above the grid composes as it should, in either
// orientation, at few points and bits.
func TestGridsOfPowers(t *testing.T) {
	for _, k := range []int64{1, 2, 3, 4} {
		for _, x := range []pair.Finite{farAway, farAway.Reverse().(pair.Finite)} {
			prod := pair.Product{{Pair: x, Count: k}}
			want := enumerate(prod)
			for _, set := range []Settings{
				{Points: 2, Prec: 3, Cut: 1, Limit: 1 << 12}, {Points: 4, Prec: 6, Cut: 2, Limit: 1 << 12}, {Points: 16, Prec: 10, Cut: 4, Limit: 1 << 12},
				{Points: 64, Prec: 20, Cut: 4, Limit: 1 << 12}, {Points: 128, Prec: 61, Cut: 60, Limit: 1 << 14},
			} {
				g, ok, err := NewGrid(ctx, prod, set)
				if err != nil || !ok {
					t.Errorf("%s, %+v: %v, %v", prod, set, ok, err)
					continue
				}
				for _, alpha := range []string{"1/1000", "1/50", "1/2", "1", "2", "10", "40", "50", "2000", "1000000"} {
					if y, w := at(t, g.Delta, alpha), want.Delta(rat(alpha)); !y.ContainsRat(w) {
						t.Errorf("%s, %d points, %d bits: H_%s = %s, want %s", prod, set.Points, set.Prec, alpha, y, w.FloatString(20))
					}
				}
			}
		}
	}
}

// TestGroupAboveTheGrid: what lies above x_hi has its own P- and Q-mass: the lower bound
// counts it at its likelihood ratio, the upper one as far as x_hi goes.
func TestGroupAboveTheGrid(t *testing.T) {
	const w = interval.Prec(80)
	m := func(s string) interval.Interval { return w.Rat(rat(s)) }
	// Losses log 2 and log(1/2) inside, log 8 above.
	l := &leaf{mesh: mesh{rat("1/2"), -2, 2},
		cells: []cell{{-2, -1, m("1/4"), m("1/2")}, {1, 2, m("1/4"), m("1/8")}},
		above: cell{p: m("1/2"), q: m("1/16")},
		below: cell{q: m("5/16")}}
	u := l.upper(w, 61)
	sum := w.Scale(w.BigInt(u.v.Sum()), -61)
	// e·q at x = 1 stays of the group above; the rest has infinite loss.
	stays := w.Add(m("1/2"), w.Mul(w.Exp(interval.Int(1)), m("1/16")))
	if d := w.Sub(sum, stays).Abs(); d.LessRat(rat("1e-15")) != interval.True {
		t.Errorf("P-mass %s stays, want %s", sum, stays)
	}
	if q := impliedQ(u); w.Sub(q, m("11/16")).Abs().LessRat(rat("1e-15")) != interval.True {
		t.Errorf("the implied Q-mass is %s, want 11/16", q)
	}
	r := l.reverse()
	if !r.below.p.ContainsRat(rat("1/16")) || !r.below.q.ContainsRat(rat("1/2")) || !r.above.p.ContainsRat(rat("5/16")) || !r.above.q.IsZero() {
		t.Errorf("reversed: below %s, %s, above %s, %s", r.below.p, r.below.q, r.above.p, r.above.q)
	}
	if c := r.cells[0]; c.lo != 1 || c.hi != 2 || !c.p.ContainsRat(rat("1/2")) || !c.q.ContainsRat(rat("1/4")) {
		t.Errorf("reversed: cell %+v", c)
	}
}

// TestGroupsRound: P-masses never grow and Q-masses never shrink, by being added, split,
// multiplied and coarsened.
func TestGroupsRound(t *testing.T) {
	const prec = 4
	const w = interval.Prec(80)
	total := func(g *groups) (a, b *big.Rat) {
		unit := interval.Pow2(-prec)
		scale := func(n *big.Int) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetInt(n), unit) }
		return scale(g.a.Sum()), scale(g.b.Sum())
	}
	check := func(name string, g *groups, p, q *big.Rat) {
		t.Helper()
		if a, b := total(g); a.Cmp(p) > 0 || b.Cmp(q) < 0 {
			t.Errorf("%s: P-mass %s of %s, Q-mass %s of %s", name, a.RatString(), p.RatString(), b.RatString(), q.RatString())
		}
	}
	for _, f := range []int64{0, 1, splitOne / 3, splitOne - 1} {
		g := newGroups(rat("1"), 0, 4, prec, untilted)
		p, q := new(big.Rat), new(big.Rat)
		for i, c := range []string{"1/3", "1/7", "3/16"} {
			x := w.Rat(rat(c))
			g.add(int64(i), f, cell{p: x, q: x})
			p.Add(p, rat(c))
			q.Add(q, rat(c))
			check(fmt.Sprintf("%d cells split at %d", i+1, f), g, p, q)
		}
	}
	g := &groups{delta: rat("1"), first: -3, a: vector(prec, []string{"3/16", "5/16", "1/16", "7/16"}), b: vector(prec, []string{"1/16", "3/16", "5/16", "7/16"})}
	p, q := total(g)
	check("coarsened", g.coarsen(), p, q)
	check("trimmed", g.trim(), p, q)
	h, err := g.times(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	check("squared", h, new(big.Rat).Mul(p, p), new(big.Rat).Mul(q, q))
}

// TestSumsBound: Σ v_i·(1 − e^(ε−x_i))₊ at few bits, against the sum in exact rationals
// for a lattice of step log 2, at ε on and between its points.
func TestSumsBound(t *testing.T) {
	for _, prec := range []uint{1, 2, 3, 5, 61} {
		for _, first := range []int64{-4, 0, 2} {
			v := vector(prec, []string{"0", "1/2", "0", "0", "0", "0", "1/2", "0", "0"})
			s := newSums(&lattice{step: step{base: rat("2")}, first: first, v: v})
			for _, alpha := range []string{"1/32", "1/8", "1/5", "1/2", "1", "3/2", "2", "3", "4", "16", "63", "64"} {
				want := new(big.Rat)
				for i := range v.Len() {
					// 1 − α·2^−(first+i)
					x := new(big.Rat).Mul(rat(alpha), interval.Pow2(int(-first)-i))
					if x.Sub(ratOne, x); x.Sign() > 0 && !v.IsZero(i) {
						want.Add(want, x.Mul(x, rat("1/2")))
					}
				}
				if y := at(t, s.delta, alpha); !y.ContainsRat(want) {
					t.Errorf("%d bits, from %d: %s at log %s, want %s", prec, first, y, alpha, want.RatString())
				}
			}
		}
	}
}

// TestSumsEncloseTheirTerms: Σ_{i≥j} v_i·b^(j−i) for the step log b, against the sum in exact
// rationals. 8·119/160 = 5.95 is next to an integer, and so is its product with 7/8.
func TestSumsEncloseTheirTerms(t *testing.T) {
	for _, prec := range []uint{3, 5, 61} {
		for _, base := range []string{"2", "3", "3/2", "8/7", "160/119"} {
			masses := append([]string{"1/8", "0", "0", "0", "0", "0", "0", "1/4"}, slices.Repeat([]string{"0"}, 2*stride+3)...)
			v := vector(prec, append(masses, "5/8"))
			s := newSums(&lattice{step: step{base: rat(base)}, v: v})
			sum := new(big.Rat)
			for j := v.Len() - 1; j >= 0; j-- {
				sum.Quo(sum, rat(base))
				sum.Add(sum, new(big.Rat).SetInt(v.At(j)))
				from := s.at(j)
				lo, hi := new(big.Rat).SetInt(from.lo), new(big.Rat).SetInt(from.hi)
				if lo.Cmp(sum) > 0 || hi.Cmp(sum) < 0 || from.a.Cmp(v.Slice(j, v.Len()).Sum()) != 0 {
					t.Errorf("%d bits, step log %s: entry %d in [%v, %v], want %s", prec, base, j, from.lo, from.hi, sum.FloatString(10))
				}
			}
		}
	}
}

// TestLatticeMassesAreLowerBounds: no entry of a lattice or of a product exceeds the mass
// that it stands for.
func TestLatticeMassesAreLowerBounds(t *testing.T) {
	x := pair.NewFinite(rats("2/3", "1/3"), rats("1/3", "2/3")) // losses ± log 2
	for _, prec := range []uint{1, 2, 3, 8, 61} {
		os, _, _ := x.Outcomes(100, 10)
		l, ok := newLattice(os, prec, 10)
		if !ok {
			t.Fatal("not on a lattice")
		}
		sq, err := l.times(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			l    *lattice
			want map[int64]string // by loss over log 2
		}{
			{l, map[int64]string{1: "2/3", -1: "1/3"}},
			{sq, map[int64]string{2: "4/9", 0: "4/9", -2: "1/9"}},
		} {
			for i := range c.l.v.Len() {
				m := new(big.Rat).Mul(new(big.Rat).SetInt(c.l.v.At(i)), interval.Pow2(-int(prec)))
				want := new(big.Rat)
				for n, mass := range c.want {
					if c.l.loss(i).Add(pair.LogLoss(rat("2")).Times(-n)).Cmp(new(big.Rat)) == 0 {
						want = rat(mass)
					}
				}
				if m.Cmp(want) > 0 {
					t.Errorf("%d bits: loss %s has mass %s, more than %s", prec, c.l.loss(i), m.RatString(), want.RatString())
				}
			}
		}
	}
}

// TestLatticesOfTwoSteps: a lattice of step log 4 on one of step log 2.
func TestLatticesOfTwoSteps(t *testing.T) {
	fine := pair.NewFinite(rats("1/2", "1/4", "1/4"), rats("1/4", "1/4", "1/2"))
	for _, prod := range []pair.Product{
		{{Pair: quarters, Count: 1}, {Pair: fine, Count: 1}}, {{Pair: fine, Count: 2}, {Pair: quarters, Count: 2}},
	} {
		d, ok, err := New(ctx, prod, 61, limits)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", prod, ok, err)
		}
		want := enumerate(prod)
		for _, alpha := range []string{"1/10", "1/2", "1", "3/2", "4", "8", "20"} {
			if y, w := at(t, d.Delta, alpha), want.Delta(rat(alpha)); !y.ContainsRat(w) {
				t.Errorf("%s: H_%s = %s, want %s", prod, alpha, y, w.RatString())
			}
		}
	}
}

// TestWideEpsilon: where ε is only known to lie in an interval, δ lies between its values
// at the two ends.
func TestWideEpsilon(t *testing.T) {
	masses := make([]string, 256)
	for i := range masses {
		masses[i] = "1/256"
	}
	s := newSums(latticeOf(rat("1/128"), 0, 61, masses))
	for _, span := range [][2]string{{"0", "2"}, {"1/2", "3/4"}, {"1", "1001/1000"}, {"0", "10"}} {
		y, err := s.delta(ctx, 64, func(w interval.Prec) interval.Interval {
			return interval.Union(w.Rat(rat(span[0])), w.Rat(rat(span[1])))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range span {
			if z, err := s.delta(ctx, 64, interval.RealRat(rat(end))); err != nil || !meets(y, z) {
				t.Errorf("ε in [%s, %s]: %s, at %s %s, %v", span[0], span[1], y, end, z, err)
			}
		}
	}
}

// TestHullDominates: the pair of the hull of points of a profile has a larger profile,
// with its missing mass, between the points too.
func TestHullDominates(t *testing.T) {
	const w = interval.Prec(100)
	x := pair.NewFinite(rats("1/10", "1/2", "1/5", "1/5"), rats("0", "1/5", "1/5", "3/5"))
	for _, indices := range [][]int64{{-4, -3, -2, -1, 0, 1, 2, 3, 4}, {-3, 0, 1, 4}, {0, 8}, {-2}} {
		var points []hullPoint
		for _, i := range indices {
			// α = e^(i/4), and the profile at a rational just below it.
			alpha := w.Exp(w.Scale(interval.Int(i), -2))
			lo, _, _ := alpha.Rationals()
			points = append(points, hullPoint{i, alpha, interval.Point(w.Rat(x.Delta(lo)).Hi())})
		}
		for _, prec := range []uint{3, 61} {
			l := hullLattice(points, rat("1/4"), w, prec)
			missing := w.Sub(interval.Int(1), w.Scale(w.BigInt(l.v.Sum()), -int(prec)))
			s := newSums(l)
			for _, alpha := range []string{"1/20", "1/3", "1/2", "9/10", "1", "6/5", "2", "5/2", "5", "50"} {
				y := w.Add(at(t, s.delta, alpha), missing)
				if want := x.Delta(rat(alpha)); y.LessRat(want) == interval.True {
					t.Errorf("%v, %d bits: H_%s ≤ %s, but it is %s", indices, prec, alpha, y, want.RatString())
				}
			}
		}
	}
}

// TestBoundsByTheirUpperEnd: a factor that is known by a bound is put on the grid by the
// upper ends of its enclosures.
func TestBoundsByTheirUpperEnd(t *testing.T) {
	x := pair.NewFinite(rats("1/10", "1/2", "2/5"), rats("0", "1/5", "4/5"))
	bound := func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		lo, _, ok := w.Exp(eps(w)).Rationals()
		if !ok {
			return interval.Union(interval.Int(0), interval.Int(1)), nil
		}
		return interval.Union(interval.Int(0), w.Rat(x.Delta(lo))), nil // [0, δ]
	}
	for _, values := range []int{0, 1, 2, 5, 9} {
		asked := 0
		counted := func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
			asked++
			return bound(ctx, w, eps)
		}
		boundDominates(t, x, Bound{counted, values})
		if values > 0 && asked > max(values, 2) {
			t.Errorf("%d values are asked for, want %d at most", asked, values)
		}
	}
}

func boundDominates(t *testing.T, x pair.Finite, bound Bound) {
	t.Helper()
	l, _, err := boundSource{bound, byFall}.cut(ctx, mesh{rat("1/4"), -8, 8}, 100, Settings{Points: 64, Prec: 61})
	if err != nil {
		t.Fatal(err)
	}
	const w = interval.Prec(100)
	missing := w.Sub(interval.Int(1), w.Scale(w.BigInt(l.v.Sum()), -61))
	for _, alpha := range []string{"1/5", "1/2", "1", "2", "5/2", "10"} {
		y := w.Add(at(t, newSums(l).delta, alpha), missing)
		if want := x.Delta(rat(alpha)); y.LessRat(want) == interval.True {
			t.Errorf("H_%s ≤ %s, but it is %s", alpha, y, want.RatString())
		}
	}
}

// TestCountsOfGaussians: a product of Gaussians has the sum of all μ².
func TestCountsOfGaussians(t *testing.T) {
	p := collapse(pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 3}, {Pair: farAway, Count: 2}, {Pair: pair.Gaussian{Mu2: rat("1/5")}, Count: 1}})
	if want := pair.Product([]pair.Term{{Pair: farAway, Count: 2}, {Pair: pair.Gaussian{Mu2: rat("19/20")}, Count: 1}}); p.String() != want.String() {
		t.Errorf("%s, want %s", p, want)
	}
}

// TestCellIndex: the least i with loss ≤ iΔ, for losses on and between points, known
// exactly and by an enclosure.
func TestCellIndex(t *testing.T) {
	const w = interval.Prec(64)
	l := &leaf{mesh: mesh{rat("1/4"), -8, 8}}
	for loss, want := range map[string]int64{"0": 0, "1/4": 1, "1/3": 2, "1/2": 2, "-1/3": -1, "-1/4": -1, "-1/5": 0, "7": 9, "-7": -8, "2": 8, "17/8": 9} {
		o := pair.Outcome{P: interval.Int(1), Q: interval.Int(1), Loss: pair.RatLoss(rat(loss)), Exact: true}
		if i, slack := l.cellIndex(w, o); i != want || !slack.IsZero() {
			t.Errorf("loss %s is in cell %d, want %d", loss, i, want)
		}
		// The same by masses that do not tell it exactly: never in a lower cell.
		x := w.Rat(rat(loss))
		o = pair.Outcome{P: w.Exp(x), Q: interval.Int(1)}
		i, slack := l.cellIndex(w, o)
		if i != want && i != want+1 || i == want+1 && want <= 8 && want > -8 && slack.IsZero() {
			t.Errorf("loss about %s is in cell %d with slack %s, want %d", loss, i, slack, want)
		}
	}
}

// TestGridOfPowersOfUnboundedLosses: k copies of a Gaussian mixture whose components
// are equal but for a tiny weight are nearly k Gaussians, of known profile: the mixture
// is dominated by the Gaussian with the larger mean, and dominates the other.
func TestGridOfPowersOfUnboundedLosses(t *testing.T) {
	testkit.SkipShort(t)
	x := pair.GaussianMixture{P: normals.Mixture{Means: rats("1/10", "100001/1000000"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()}
	for _, k := range []int64{2, 3} {
		profile := func(mu string) func(e interval.Real) interval.Interval {
			mu2 := new(big.Rat).Mul(rat(mu), rat(mu))
			tails, _ := closed.PairTails(pair.Gaussian{Mu2: mu2.Mul(mu2, new(big.Rat).SetInt64(k))})
			return func(e interval.Real) interval.Interval { return tails.Delta(64, e) }
		}
		low, high := profile("1/10"), profile("100001/1000000")
		for _, cut := range []int{1} {
			g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: k}}, Settings{Points: 64, Prec: 61, Cut: cut, Limit: 1 << 12})
			if err != nil || !ok {
				t.Fatalf("%v, %v", ok, err)
			}
			for _, eps := range []string{"-1/10", "0", "1/10", "1/4", "1/2"} {
				e := interval.RealRat(rat(eps))
				if y, err := g.Delta(ctx, 64, e); err != nil || !meets(y, interval.Union(low(e), high(e))) {
					t.Errorf("%d copies, cut %d: δ(%s) = %s, %v, want %s", k, cut, eps, y, err, low(e))
				}
			}
		}
	}
}
