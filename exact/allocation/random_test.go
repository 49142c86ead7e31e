// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
)

// randomMasses is a law on n outcomes, some of them of mass 0 or next to nothing.
func randomMasses(rng *rand.Rand, n int) []*big.Rat {
	xs := make([]int64, n)
	total := int64(0)
	for total == 0 {
		total = 0
		for i := range xs {
			xs[i] = []int64{0, 1, 1 << rng.IntN(30), 1 + rng.Int64N(20)}[rng.IntN(4)]
			total += xs[i]
		}
	}
	out := make([]*big.Rat, n)
	for i, x := range xs {
		out[i] = big.NewRat(x, total)
	}
	return out
}

// TestAllocationsOfRandomPairs: the profiles of allocations of random finite pairs are enclosed, in either direction,
// with any settings, at ratios that outcomes have as well; so is what dominates and what is dominated.
// DPVERIFY_ALLOCATIONS says how many, and from where.
func TestAllocationsOfRandomPairs(t *testing.T) {
	const w = interval.Prec(200)
	rounds, seed := testkit.Draws(7, 20, 20), 0
	if n, err := strconv.Atoi(os.Getenv("DPVERIFY_ALLOCATIONS")); err == nil {
		rounds, seed = n, n
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 99))
	for range rounds {
		d := 2 + rng.IntN(2)
		f := pair.NewFinite(randomMasses(rng, d), randomMasses(rng, d))
		steps := 2 + rng.IntN(3)
		k := 1 + rng.IntN(steps-1)
		set := Settings{Points: 8 << rng.IntN(6), Prec: []uint{62, 123}[rng.IntN(2)], Cut: []int{1, 4, 20, 40}[rng.IntN(4)], Fine: -3}
		var of func(reversed bool) profile.Func
		var up func(w interval.Prec, reversed bool) []pair.Outcome
		var low []pair.Outcome
		if k == 1 {
			b := &base{tails: tailsOf(f)}
			if rng.IntN(2) == 0 {
				b, _ = newBase(f, w)
			}
			l, err := lawOf(t.Context(), b, int64(steps), set)
			if err != nil {
				t.Fatal(err)
			}
			of, up, low = l.Profile, l.Dominating, l.Dominated(w)
		} else {
			s := subsetOf(t.Context(), &base{tails: tailsOf(f)}, int64(k), int64(steps), set)
			var err error
			if low, err = s.Dominated(t.Context()); err != nil {
				t.Fatal(err)
			}
			of = s.Profile
		}
		name := pair.Allocation{Base: f, Selected: int64(k), Steps: int64(steps)}
		for _, reversed := range []bool{false, true} {
			truth := writtenOut(f, k, steps)
			if reversed {
				truth = truth.Reverse().(pair.Finite)
			}
			as := rats("1/1000000", "1", "7/5", "123456789")
			if m := truth.Masses[rng.IntN(len(truth.Masses))]; m.P.Sign() > 0 && m.Q.Sign() > 0 {
				as = append(as, new(big.Rat).Quo(m.P, m.Q))
			}
			for _, alpha := range as {
				want := truth.Delta(alpha)
				for _, p := range []interval.Prec{2, 64} {
					y, err := of(reversed)(t.Context(), p, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) })
					if err != nil || !y.ContainsRat(want) {
						t.Errorf("%s, %+v, reversed %v: δ at α = %s is %s, want %s: %v", name, set, reversed, alpha.RatString(), y, want.FloatString(30), err)
					}
				}
				listed := func(os []pair.Outcome) interval.Interval {
					sum := interval.Int(0)
					for _, o := range os {
						if reversed {
							o.P, o.Q = o.Q, o.P
						}
						sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))))
					}
					return sum
				}
				if up != nil {
					if y := listed(up(w, reversed)); y.Upper().LessRat(want) == interval.True {
						t.Errorf("%s, %+v, reversed %v: what dominates has δ = %s at α = %s, want %s", name, set, reversed, y, alpha.RatString(), want.FloatString(30))
					}
				}
				if y := listed(low); y.Lower().LessEqRat(want) != interval.True {
					t.Errorf("%s, %+v, reversed %v: what is dominated has δ = %s at α = %s, want %s", name, set, reversed, y, alpha.RatString(), want.FloatString(30))
				}
			}
		}
	}
}

// TestMomentsAreNotNegative: of steps with next to no P-mass, as Markov's inequality has it, V is at least 0.
func TestMomentsAreNotNegative(t *testing.T) {
	s := &step{qs: []double.Interval{double.Point(1)}, ps: []double.Interval{double.Point(0x1p-1000)}, us: []double.Interval{double.Point(0.1)}}
	if _, most := s.tails(3, 4, double.Point(-30)); !(most.Hi >= 0 && most.Hi <= 1) {
		t.Errorf("V ≤ %v", most.Hi)
	}
}

// TestBetweenOfTinyMasses: masses that float64 rounds are rounded outwards.
func TestBetweenOfTinyMasses(t *testing.T) {
	for bit := range uint(60) {
		v := convolve.NewVector(1, 1120)
		m := new(big.Int).Lsh(big.NewInt(0x1555555555), bit)
		v.Set(0, m)
		got := sum{0, v}.between(0, 1, double.Interval{})[0]
		want := new(big.Rat).Mul(new(big.Rat).SetInt(m), interval.Pow2(-1120))
		if !got.Exact().ContainsRat(want) {
			t.Errorf("%v in %v", m, got)
		}
	}
}

// TestSteepTangents: a step takes no tangent by which its statistic would fall.
func TestSteepTangents(t *testing.T) {
	b, _ := newBase(pair.Gaussian{Mu2: rat("1")}, 160)
	d := newSketch(t.Context(), b, 3, 20, Settings{Cut: 60}).tilted(1, -3)
	for _, tangent := range []float64{1.5, 9, -1} {
		d.tangent = tangent
		s, err := newStep(t.Context(), b, d, Settings{Prec: 123, Cut: 60})
		if err != nil || !(s.d.tangent >= 0 && s.d.tangent < 5.0/6) {
			t.Errorf("tangent %v: %v, %v", tangent, s.d.tangent, err)
		}
	}
}

// TestFactorOfLeftOut: what is left out is counted in full, however wide masses are known.
func TestFactorOfLeftOut(t *testing.T) {
	c := chainOf(t, 12)
	s := spread{steps: 2, slack: 3}
	s.leave(c, 0x1p-390, 0)
	if s.lost < math.Exp(2.999)*0x1p-390 || s.far < 10*c.inUnit*s.lost*(1-1e-9) {
		t.Errorf("%v and %v left out", s.lost, s.far)
	}
}
