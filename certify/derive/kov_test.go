// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// theoremByHand is Theorem 3.3 of Kairouz, Oh & Viswanath as it is printed, for δ₀ and a rational
// e^ε₀: the δ at (k − 2i)ε₀.
func theoremByHand(a, delta *big.Rat, k, i int) *big.Rat {
	power := func(x *big.Rat, n int) *big.Rat {
		y := big.NewRat(1, 1)
		for range n {
			y.Mul(y, x)
		}
		return y
	}
	sum := new(big.Rat)
	for l := range i {
		c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(l)))
		sum.Add(sum, c.Mul(c, new(big.Rat).Sub(power(a, k-l), power(a, k-2*i+l))))
	}
	sum.Quo(sum, power(new(big.Rat).Add(one, a), k))
	left := new(big.Rat).Mul(power(new(big.Rat).Sub(one, delta), k), new(big.Rat).Sub(one, sum))
	return left.Sub(one, left)
}

// TestTheoremIsTheirs: the points of the theorem are the points of its printed sums, in rational
// numbers; ε₀ is enclosed, a little to both sides of log a.
func TestTheoremIsTheirs(t *testing.T) {
	const w = interval.Prec(200)
	for _, c := range []struct {
		a, delta string
		k        int
	}{{"11/10", "0", 1}, {"11/10", "1e-3", 2}, {"3/2", "0", 5}, {"2", "1/10", 6}, {"101/100", "1e-8", 30}, {"7", "1/3", 9}} {
		a, delta := mustParse(t, c.a), mustParse(t, c.delta)
		lo, hi, _ := w.Log(w.Rat(a)).Rationals()
		for i := range c.k/2 + 1 {
			want := theoremByHand(a, delta, c.k, i)
			var ends [2]interval.Interval
			for j, eps := range []*big.Rat{lo, hi} {
				x, err := newKOV(t.Context(), eps, spare(delta), int64(c.k))
				if err != nil {
					t.Fatal(err)
				}
				if _, ends[j], err = x.at(t.Context(), int64(i)); err != nil {
					t.Fatal(err)
				}
			}
			// δ_i rises with ε₀.
			if ends[0].LessEqRat(want) == interval.False || ends[1].LessRat(want) == interval.True {
				t.Errorf("%v, i = %d: from %s to %s, want %s", c, i, ends[0], ends[1], want.FloatString(20))
			}
			if y := w.Rat(want); !ends[0].IsFinite() || w.Sub(ends[1], ends[0]).LessEqRat(mustParse(t, "1e-17")) != interval.True {
				t.Errorf("%v, i = %d: from %s to %s is wide for %s", c, i, ends[0], ends[1], y)
			}
		}
	}
}

// TestKOVBoundsFromAbove: what the theorem derives, of stated pairs or of the mechanism's own
// profile, is never less than the least ε and the least δ.
func TestKOVBoundsFromAbove(t *testing.T) {
	testkit.SkipShort(t)
	for _, single := range []string{
		`{"class_name": "GaussianDpEvent", "noise_multiplier": 3}`,
		`{"class_name": "LaplaceDpEvent", "noise_multiplier": 2}`,
		`{"class_name": "EpsilonDeltaDpEvent", "epsilon": "0.3", "delta": "1e-4"}`,
		`{"class_name": "FinitePairEvent", "p": ["0.7", "0.2", "0.1"], "q": ["0.5", "0.4", "0.1"]}`,
	} {
		for _, k := range []int{1, 4} {
			q := asked(t, fmt.Sprintf(`{"class_name": "SelfComposedDpEvent", "count": %d, "event": %s}`, k, single))
			for _, at := range []string{"1e-4", "0.3"} {
				x := mustParse(t, at)
				eps, err1 := exact.Epsilon(t.Context(), q.Question, x, 20, 1)
				delta, err2 := exact.Delta(t.Context(), q.Question, x, 1)
				if err1 != nil || err2 != nil {
					t.Fatal(err1, err2)
				}
				for _, method := range []string{"kov", "kov-optimal", "kov-profile", "adaptive"} {
					m, _ := Named(method)
					if y, err := m.Epsilon(t.Context(), q, x); err == nil && y.Less(eps.Interval) == interval.True {
						t.Errorf("%s of %d × %s: ε(%s) in %v, and the least in %v", method, k, single, at, y.Interval, eps.Interval)
					}
					if y, err := m.Delta(t.Context(), q, x); err == nil && y.Less(delta.Interval) == interval.True {
						t.Errorf("%s of %d × %s: δ(%s) in %v, and the least in %v", method, k, single, at, y.Interval, delta.Interval)
					}
				}
			}
		}
	}
}

// TestSearchOfPairsStopsInTime: the best of all pairs of the grid is that at which the search,
// which stops early, arrives.
func TestSearchOfPairsStopsInTime(t *testing.T) {
	q := asked(t, `{"class_name": "SelfComposedDpEvent", "count": 20, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 5}}`)
	m, _ := Named("kov-profile")
	for _, c := range testkit.Few(2, [][2]string{{"1e-3", "1.5"}, {"0.0037", "0.7"}, {"0.02", "0.3"}, {"0.1", "0.1"}}) {
		delta, eps := mustParse(t, c[0]), mustParse(t, c[1])
		gotE, err1 := m.Epsilon(t.Context(), q, delta)
		gotD, err2 := m.Delta(t.Context(), q, eps)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		d := deriver{Question: q, ctx: t.Context()}
		x, err := d.kovOfProfile()
		if err != nil {
			t.Fatal(err)
		}
		bestE, bestD := infinite(), nothing()
		for _, e := range x.grid(new(big.Rat), big.NewRat(2, 1)) {
			p, _, err := x.pair(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			y, err1 := p.epsilon(t.Context(), delta)
			z, err2 := p.delta(t.Context(), eps)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if y.Less(bestE.Interval) == interval.True {
				bestE = y
			}
			if z.Less(bestD.Interval) == interval.True {
				bestD = z
			}
		}
		if !bestE.IsFinite() || gotE.Less(bestE.Interval) == interval.True || bestE.Less(gotE.Interval) == interval.True {
			t.Errorf("ε(%s) in %v, over all pairs %v", c[0], gotE.Interval, bestE.Interval)
		}
		if gotD.Less(bestD.Interval) == interval.True || bestD.Less(gotD.Interval) == interval.True {
			t.Errorf("δ(%s) in %v, over all pairs %v", c[1], gotD.Interval, bestD.Interval)
		}
	}
}

// TestBetweenThePointsOfTheTheorem: δ at an ε between two points is the δ of the lower one, 1 below
// all of them.
func TestBetweenThePointsOfTheTheorem(t *testing.T) {
	for _, k := range []int64{4, 5} {
		x, err := newKOV(t.Context(), big.NewRat(1, 4), spare(big.NewRat(1, 1000)), k)
		if err != nil {
			t.Fatal(err)
		}
		for i := range k/2 + 1 {
			eps, want, err := x.at(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			for _, more := range []*big.Rat{new(big.Rat), big.NewRat(1, 1000), big.NewRat(499, 1000)} {
				at := more.Add(more, eps)
				got, err := x.delta(t.Context(), at)
				if err != nil || got.Less(want) == interval.True || want.Less(got.Interval) == interval.True {
					t.Errorf("k = %d: δ(%s) in %v, %v, want the δ at %s, %v", k, at.RatString(), got.Interval, err, eps.RatString(), want)
				}
			}
		}
		if y, err := x.delta(t.Context(), big.NewRat(1, 8)); k == 5 && (err != nil || y.Value == nil || y.Value.Cmp(one) != 0) {
			t.Errorf("δ(1/8) in %v, %v, want 1", y.Interval, err)
		}
	}
}
