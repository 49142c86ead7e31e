// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// randomRows have entries of both signs, and zeros.
func randomRows(r *rand.Rand, n int) [][]float64 {
	rows := square(n)
	for i := range rows {
		for k := range i {
			if r.IntN(3) > 0 {
				rows[i][k] = 0.9*r.Float64() - 0.3
			}
		}
		rows[i][i] = 0.3 + 0.7*r.Float64()
	}
	return rows
}

// TestStatisticsBelowQuadrature: whatever a statistic is, and however coarse its lattice and its places are, it bounds
// δ from below, in both directions.
func TestStatisticsBelowQuadrature(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	cases := testkit.Draws(5, 12, 300)
	for range cases {
		n := 2 + r.IntN(2)
		s := &statistic{rows: randomRows(r, n), rho: 1.4*r.Float64() - 0.6, per: r.IntN(4)}
		s.fit(s.per > 0)
		for i := range n {
			s.first[i] += 0.1 * r.Float64()
			s.rest[i] += 0.4 * (r.Float64() - 0.5)
		}
		target := 2*r.Float64() - 0.5
		cut := 3 + r.IntN(30)
		s.lay(0.5+2*r.Float64(), s.per > 0, target, cut)
		s.places = s.places[:len(s.places)/(1+r.IntN(2))]
		l, err := s.run(context.Background(), cut)
		if err != nil {
			t.Fatal(err)
		}
		g := middles(gramOf(s.rows))
		for _, eps := range []float64{-0.4, 0.3, 1.1, 2.2} {
			remove, add := deltas(g, eps, 0.1)
			alpha := double.Of(interval.Prec(64).Exp(double.Point(eps).Exact()))
			for reversed, truth := range map[bool]float64{false: remove, true: add} {
				if x := l.below(alpha, reversed).Lo; x > truth+2e-9 {
					t.Errorf("%+v: δ(%g), reversed %t, is %g, and at least %g", s, eps, reversed, truth, x)
				}
			}
		}
	}
}

// TestStatisticsOfBins: what is chosen is near δ, and nearer with more work, in both directions; also where columns are
// of both signs, or equal.
func TestStatisticsOfBins(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	equal := [][]float64{{0.5, 0.5, 0.2}, {0.5, 0.5, 0.2}, {0.2, 0.2, 0.6}}
	g1, _ := floats(bins(3, 2, 3, 2))
	for _, g := range [][][]float64{g1, equal, middles(gramOf(randomRows(r, 3)))} {
		for _, reversed := range []bool{false, true} {
			const eps = 0.7
			target := eps
			var truth float64
			if equal[0][0] == g[0][0] && equal[0][1] == g[0][1] { // two bins are one, of twice the weight
				truth = ofTwo(g, eps, reversed)
			} else {
				var add float64
				if truth, add = deltas(g, eps, 0.1); reversed {
					truth = add
				}
			}
			if reversed {
				target = -eps
			}
			end := func(work float64) float64 {
				s := newStatistic(g, enclosedOf(g), target, Settings{Work: work, Cut: 30})
				if s == nil {
					t.Fatalf("%v: none", g)
				}
				l, err := s.run(context.Background(), 30)
				if err != nil {
					t.Fatal(err)
				}
				return l.below(double.Of(interval.Prec(64).Exp(double.Point(eps).Exact())), reversed).Lo
			}
			few, many := end(1e5), end(1e7)
			if !(few > 0.7*truth && many > 0.98*truth && many > few && many < truth) {
				t.Errorf("%v: δ(%g), reversed %t, is %g, and at least %g, and %g with more work", g, eps, reversed, truth, few, many)
			}
		}
	}
}

// ofTwo is δ for (2·A_0 + A_2)/3, by the trapezoidal rule.
func ofTwo(g [][]float64, eps float64, reversed bool) float64 {
	total, l := 0.0, factorOf([][]float64{{g[0][0], g[0][2]}, {g[0][2], g[2][2]}})
	const h = 0.01
	for x := -9.0; x < 9; x += h {
		for y := -9.0; y < 9; y += h {
			s := (2*math.Exp(l[0][0]*x-g[0][0]/2) + math.Exp(l[1][0]*x+l[1][1]*y-g[2][2]/2)) / 3
			v := max(s-math.Exp(eps), 0)
			if reversed {
				v = max(1-math.Exp(eps)*s, 0)
			}
			total += v * h * h * math.Exp(-(x*x+y*y)/2) / (2 * math.Pi)
		}
	}
	return total
}

// TestStatisticsForgetAlike: the masses of all places stand for at most 1 under Q and under each P_i, and nearly 1 if
// little may be left out.
func TestStatisticsForgetAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for k := range 12 {
		cut := 2 + 3*k
		s := &statistic{rows: randomRows(r, 4), rho: 0.4, per: k % 3}
		s.fit(s.per > 0)
		s.lay(1.5, s.per > 0, 0.5, cut)
		l, err := s.run(context.Background(), cut)
		if err != nil {
			t.Fatal(err)
		}
		var q, p float64
		for i := range l.q {
			q, p = q+l.q[i], p+l.p[i]/4
		}
		most := math.Exp(l.slack) // what they stand for is at most 1
		if most > 1+1e-4 || q > most || p > most || cut > 20 && (q < 1-1e-3 || p < 1-1e-3) {
			t.Errorf("cut %d: masses of %g and %g", cut, q, p)
		}
	}
}

// TestRowsAreLess: no statistic is made of rows whose Gram matrix cannot be seen to be less.
func TestRowsAreLess(t *testing.T) {
	g := [][]float64{{1, -1 + 0x1p-40}, {-1 + 0x1p-40, 1}}
	if newStatistic(g, enclosedOf(g), 1, Settings{Work: 1e4, Cut: 10}) != nil {
		t.Error("a matrix that is nearly singular, of both signs, has rows")
	}
	if newStatistic([][]float64{{1}}, [][]double.Interval{{double.Point(0.9)}}, 1, Settings{Work: 1e4, Cut: 10}) != nil {
		t.Error("rows are larger than what they are for")
	}
}
