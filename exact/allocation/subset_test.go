// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// tailsOf are the tails of a finite pair.
func tailsOf(f pair.Finite) closed.Tails {
	return func(w interval.Prec, eps closed.Arg) (p, q interval.Interval) {
		alpha := w.Exp(eps.Interval)
		for _, m := range f.Masses {
			if w.Rat(m.P).LessEq(w.Mul(alpha, w.Rat(m.Q))) != interval.True {
				p, q = w.Add(p, w.Rat(m.P)), w.Add(q, w.Rat(m.Q))
			}
		}
		return p, q
	}
}

// TestSubsetWrittenOut: an allocation to several steps of a finite pair, cut like noise, is enclosed, in either
// direction, and more than nothing is known of it.
func TestSubsetWrittenOut(t *testing.T) {
	for i, finite := range bases {
		for _, c := range testkit.InTurn(i, [][2]int64{{2, 3}, {2, 5}, {3, 4}}) {
			truth := writtenOut(finite, int(c[0]), int(c[1]))
			s := subsetOf(t.Context(), &base{tails: tailsOf(finite)}, c[0], c[1], Settings{Prec: 123, Cut: 30})
			for _, reversed := range testkit.InTurn(i, []bool{false, true}) {
				exactly := truth
				if reversed {
					exactly = truth.Reverse().(pair.Finite)
				}
				for _, alpha := range alphas {
					y, want := profileAt(t, s.Profile(reversed), alpha), exactly.Delta(alpha)
					if !y.ContainsRat(want) {
						t.Errorf("%d of %d of %s, reversed %v: δ at α = %s is %s, want %s", c[0], c[1], finite, reversed, alpha.RatString(), y, want.FloatString(20))
					}
					if third := times(want, rat("1/3")); y.Lower().LessRat(third) == interval.True {
						t.Errorf("%d of %d of %s, reversed %v: δ at α = %s is %s, far below %s", c[0], c[1], finite, reversed, alpha.RatString(), y, want.FloatString(20))
					}
				}
			}
		}
	}
}

// TestSubsetOfGaussians: values of a program of its own that draws outcomes by importance, to three standard errors.
func TestSubsetOfGaussians(t *testing.T) {
	for _, c := range []struct {
		mu2         string
		k, steps    int64
		eps         string
		least, most string
	}{
		{"1/4", 10, 100, "2.4", "1.0243e-6", "1.0381e-6"},
		{"1", 2, 10, "4.09", "9.75e-7", "9.99e-7"},
	} {
		s, ok, err := NewSubset(t.Context(), pair.Gaussian{Mu2: rat(c.mu2)}, c.k, c.steps, Settings{Prec: 123, Cut: 40})
		if !ok || err != nil {
			t.Fatal(err)
		}
		y, err := s.Profile(false)(t.Context(), 40, interval.RealRat(rat(c.eps)))
		if err != nil || y.Lower().LessRat(rat(c.most)) != interval.True || y.Upper().LessRat(rat(c.least)) == interval.True {
			t.Errorf("δ(%s) of %d of %d in %v, %v, want about [%s, %s]", c.eps, c.k, c.steps, y, err, c.least, c.most)
		}
		near, ok := s.Near(rat("1e-6"), false)
		if x, _ := near.Float64(); !ok || math.Abs(x-double.Of(interval.Prec(53).Rat(rat(c.eps))).Mid()) > 0.2 {
			t.Errorf("ε(1e-6) is near %v, want about %s", x, c.eps)
		}
	}
}

// TestCellBounds: what a cell counts is at least E(S − γ)₊ of any law of S in it that is at most U, by its mass and two
// moments.
func TestCellBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := new(statistic)
	tight := 0.0
	for range 5000 {
		u := math.Exp(rng.NormFloat64())
		gamma := u * rng.Float64()
		var q, p, w, want float64
		for range 2 {
			m, s := rng.Float64(), u*rng.Float64()
			if rng.IntN(4) == 0 {
				s = u
			}
			q, p, w, want = q+m, p+m*s, w+m*s*s, want+m*max(s-gamma, 0)
		}
		around := func(x float64) double.Interval { return double.Interval{Lo: x * (1 - 1e-14), Hi: x * (1 + 1e-14)} }
		got := x.cell(around(q), around(p), around(w), double.Point(u), double.Point(gamma)).Hi
		if got < want {
			t.Fatalf("%v, want at least %v: Q %v, P %v, W %v, U %v, γ %v", got, want, q, p, w, u, gamma)
		}
		if want > 0 {
			tight = max(tight, want/got)
		}
	}
	if tight < 0.999 {
		t.Errorf("the bound is reached to %v only", tight)
	}
}

// TestBesselBoundsCoins: no number of heads of independent coins is more likely than e^{−V}·I₀(V).
func TestBesselBoundsCoins(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	tight := 0.0
	for range 300 {
		law, v := []float64{1}, 0.0
		scale := rng.Float64()
		for range 1 + rng.IntN(40) {
			p := rng.Float64() * scale
			v += p * (1 - p)
			next := make([]float64, len(law)+1)
			for i, x := range law {
				next[i] += x * (1 - p)
				next[i+1] += x * p
			}
			law = next
		}
		bound := math.Exp(logBessel(double.Point(v)).Hi)
		for n, x := range law {
			if x > bound*(1+1e-12) {
				t.Fatalf("Pr[N = %d] = %v > %v, V = %v", n, x, bound, v)
			}
			tight = max(tight, x/bound)
		}
	}
	if tight < 0.95 {
		t.Errorf("the bound is reached to %v only", tight)
	}
}

// TestStepOfGaussian: E[Y²] of what is in cells is at most what a step has, and nearly that; V and what rounding takes
// are where they should be.
func TestStepOfGaussian(t *testing.T) {
	b, _ := newBase(pair.Gaussian{Mu2: rat("1")}, 160)
	plan := newSketch(t.Context(), b, 3, 20, Settings{Cut: 60})
	d := plan.tilted(1, -3)
	s, err := newStep(t.Context(), b, d, Settings{Prec: 123, Cut: 60})
	if err != nil {
		t.Fatal(err)
	}
	if got := double.Of(s.second); got.Lo < math.E-1e-6 || got.Hi > math.E*1.02 {
		t.Errorf("E[Y²] in %v, want e", got)
	}
	if s.round.Hi < s.meanQ.Hi || s.round.Hi < s.meanP.Lo || s.round.Hi > 0.51*d.spacing || s.round.Lo < -0.51*d.spacing || s.meanQ.Hi > 0.2*d.spacing {
		t.Errorf("rounding takes %v, means %v and %v, spacing %v", s.round, s.meanQ, s.meanP, d.spacing)
	}
	// Chebyshev's inequality, loosely: V is within the bounds but for a share of 1/4.
	least, most := s.tails(3, 20, double.Point(-math.Log(1e6)))
	var mean float64
	for i, u := range s.us {
		mean += 17*s.qs[i].Mid()*u.Mid() + 3*s.ps[i].Mid()*u.Mid()
	}
	if !(least.Lo < mean && mean < most.Hi && most.Hi <= 5 && least.Lo >= 0) {
		t.Errorf("V in [%v, %v], about %v", least, most, mean)
	}
}
