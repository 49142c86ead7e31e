// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	_ "dpverify/internal/testkit" // less garbage collection
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

func rats(xs ...string) []*big.Rat {
	out := make([]*big.Rat, len(xs))
	for i, x := range xs {
		out[i] = rat(x)
	}
	return out
}

// bases have equal ratios, infinite ones, ones of 0, and one above all others.
var bases = []pair.Finite{
	pair.NewFinite(rats("3/4", "1/4"), rats("1/4", "3/4")),
	pair.NewFinite(rats("1/2", "1/3", "1/6"), rats("1/3", "1/3", "1/3")),
	pair.NewFinite(rats("1/2", "1/2", "0"), rats("0", "1/2", "1/2")),
	pair.NewFinite(rats("9/10", "1/10"), rats("1/100", "99/100")),
}

// writtenOut is the pair of an allocation outcome by outcome: the mean over all sets of steps.
func writtenOut(base pair.Finite, selected, steps int) pair.Finite {
	var ps, qs []*big.Rat
	sets := 0
	for s := range 1 << steps {
		if ones(s) == selected {
			sets++
		}
	}
	var walk func(i int, q *big.Rat, at []int)
	walk = func(i int, q *big.Rat, at []int) {
		if i < steps {
			for k, m := range base.Masses {
				walk(i+1, new(big.Rat).Mul(q, m.Q), append(at[:i:i], k))
			}
			return
		}
		p := new(big.Rat)
		for s := range 1 << steps {
			if ones(s) != selected {
				continue
			}
			x := big.NewRat(1, int64(sets))
			for j, k := range at {
				if s>>j&1 == 1 {
					x.Mul(x, base.Masses[k].P)
				} else {
					x.Mul(x, base.Masses[k].Q)
				}
			}
			p.Add(p, x)
		}
		ps, qs = append(ps, p), append(qs, q)
	}
	walk(0, big.NewRat(1, 1), nil)
	return pair.NewFinite(ps, qs)
}

func ones(s int) int {
	n := 0
	for ; s > 0; s >>= 1 {
		n += s & 1
	}
	return n
}

// alphas are exact values of e^ε, about which enclosures of ε are asked for.
var alphas = rats("1/3", "9/10", "1", "6/5", "2", "3", "10")

// profileAt evaluates a profile at ε = log α.
func profileAt(t *testing.T, f profile.Func, alpha *big.Rat) interval.Interval {
	t.Helper()
	y, err := f(context.Background(), 64, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) })
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestAllocationWrittenOut: an allocation to one step of a finite pair is enclosed, in either direction,
// at a precision of a few bits as well, and narrowly at a moderate one.
func TestAllocationWrittenOut(t *testing.T) {
	for _, base := range bases {
		for steps := 2; steps <= 4; steps++ {
			truth := writtenOut(base, 1, steps)
			for _, set := range []Settings{{Points: 8, Prec: 12, Cut: 4}, {Points: 64, Prec: 62, Cut: 30}, {Points: 1 << 10, Prec: 123, Cut: 60}} {
				l, ok, err := New(context.Background(), base, int64(steps), set)
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				for _, reversed := range []bool{false, true} {
					exactly := truth
					if reversed {
						exactly = truth.Reverse().(pair.Finite)
					}
					for _, alpha := range alphas {
						y, want := profileAt(t, l.Profile(reversed), alpha), exactly.Delta(alpha)
						if !y.ContainsRat(want) {
							t.Errorf("1 of %d of %s, reversed %v, %d points: δ at α = %s is %s, want %s", steps, base, reversed, set.Points, alpha.RatString(), y, want.FloatString(20))
						}
						const p = interval.Prec(64)
						if wide := p.Sub(interval.Point(y.Hi()), interval.Point(y.Lo())); set.Points > 64 && wide.LessEqRat(rat("1/4")) != interval.True {
							t.Errorf("1 of %d of %s, reversed %v: δ at α = %s is %s: wide", steps, base, reversed, alpha.RatString(), y)
						}
					}
				}
			}
		}
	}
}

// TestAllocationOfGaussians: 1 of 2, against integrals of prices of options, by mpmath at 30 digits.
func TestAllocationOfGaussians(t *testing.T) {
	for _, c := range []struct{ mu2, remove, add string }{
		{"1", "0.0592065010858926532787215680696898", "0.0501976623694882363528262513200395"},
		{"1/4", "0.000646128371984074126761880578635391", "0.000479006242234778128836690079419797"},
	} {
		l, ok, err := New(context.Background(), pair.Gaussian{Mu2: rat(c.mu2)}, 2, Settings{Points: 1 << 11, Prec: 123, Cut: 30})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		for reversed, want := range map[bool]string{false: c.remove, true: c.add} {
			y, err := l.Profile(reversed)(context.Background(), 64, interval.RealRat(rat("1")))
			if err != nil || !y.ContainsRat(rat(want)) {
				t.Errorf("μ² = %s, reversed %v: %s, %v, want %s", c.mu2, reversed, y, err, want)
			}
		}
	}
}

// TestGridsReachFar: grids reach to sums of several ratios that are as large as ratios get, also where many steps have
// them, and to sums of small ones: of Laplace noise with ε₀ = 5/2 the largest have a P-mass of 1/2, and the smallest the
// same Q-mass. The bounds are near to each other.
func TestGridsReachFar(t *testing.T) {
	laplace, gaussian := func(e string) pair.Pair { return pair.Laplace{Shift: rat(e)} }, pair.Gaussian{Mu2: rat("5")}
	for _, c := range []struct {
		base     pair.Pair
		steps    int64
		eps, add string
	}{{laplace("5/2"), 2, "1", "1"}, {laplace("5/2"), 64, "1/2", "1/2"}, {laplace("5/2"), 256, "1/4", "1/4"},
		{laplace("10"), 64, "5", "3"}, {gaussian, 2, "5", "8"}} {
		l, ok, err := New(t.Context(), c.base, c.steps, Settings{Points: 1 << 10, Prec: 123, Cut: 40})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for reversed, eps := range map[bool]string{false: c.eps, true: c.add} {
			y, err := l.Profile(reversed)(t.Context(), 64, interval.RealRat(rat(eps)))
			if err != nil || y.Positive() != interval.True || interval.Prec(64).Div(y.Upper(), y.Lower()).LessRat(rat("101/100")) != interval.True {
				t.Errorf("1 of %d steps of %s, reversed %v: δ(%s) ∈ %s, %v", c.steps, c.base, reversed, eps, y, err)
			}
		}
	}
}
