// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestMaximumAgainstAdversaries: of two finite pairs of which an adversary runs one in each of two rounds, the second
// in view of the output of the first, no way to choose is above the answer, and the answer is at least every fixed
// sequence. Alone it is the greater one.
func TestMaximumAgainstAdversaries(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	const w = interval.Prec(100)
	for range 12 {
		a, b := randomPair(rng, 3), randomPair(rng, 3)
		pairs := []mechanism.FinitePair{a, b}
		one := mechanism.Maximum{Events: []mechanism.Event{a, b}}
		for _, eps := range []string{"0", "1/5", "1"} {
			x := w.Exp(w.Rat(testkit.Rat(eps)))
			// profile encloses Σ (p − e^ε·q)₊ over the outputs of a way to choose.
			profile := func(first int, second [3]int) interval.Interval {
				sum := interval.Int(0)
				for i := range 3 {
					f, s := pairs[first], pairs[second[i]]
					for j := range 3 {
						p, q := new(big.Rat).Mul(f.P[i], s.P[j]), new(big.Rat).Mul(f.Q[i], s.Q[j])
						sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(w.Rat(p), w.Mul(x, w.Rat(q)))))
					}
				}
				return sum
			}
			delta := func(e mechanism.Event) exact.Result {
				r, err := exact.Delta(t.Context(), exact.Question{Event: e, Direction: mechanism.Remove}, testkit.Rat(eps), 0)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			twice := delta(mechanism.SelfComposed{Event: one, Count: 2})
			for way := range 16 {
				second := [3]int{way >> 1 & 1, way >> 2 & 1, way >> 3 & 1}
				y := profile(way&1, second)
				if y.Lo().Cmp(twice.Hi()) > 0 {
					t.Errorf("%v, ε = %s: choosing %d, %v has δ = %v, above %v", pairs, eps, way&1, second, y, twice.Interval)
				}
			}
			for _, both := range []mechanism.Event{mechanism.SelfComposed{Event: a, Count: 2}, mechanism.Composed{Events: []mechanism.Event{a, b}}, mechanism.SelfComposed{Event: b, Count: 2}} {
				if y := delta(both); twice.Lo().Cmp(y.Lo()) < 0 {
					t.Errorf("%v, ε = %s: δ ∈ %v, though it is %v for one sequence", pairs, eps, twice.Interval, y.Interval)
				}
			}
			alone, x1, x2 := delta(one), delta(a), delta(b)
			if want := interval.Max(x1.Interval, x2.Interval); alone.Lo().Cmp(want.Lo()) != 0 || alone.Hi().Cmp(want.Hi()) != 0 {
				t.Errorf("%v, ε = %s: δ = %v, want %v", pairs, eps, alone.Interval, want)
			}
		}
	}
}

// randomPair draws a pair of n outputs.
func randomPair(rng *rand.Rand, n int) mechanism.FinitePair {
	draw := func() []*big.Rat {
		weights, sum := make([]int64, n), int64(0)
		for i := range weights {
			weights[i] = 1 + rng.Int63n(20)
			sum += weights[i]
		}
		out := make([]*big.Rat, n)
		for i, x := range weights {
			out[i] = big.NewRat(x, sum)
		}
		return out
	}
	return mechanism.FinitePair{P: draw(), Q: draw()}
}

// TestExamples14And16: distance to instability [Zhu, Dong & Wang 2022]. Where the query is stable, and moves by one
// step of the distance, the output is a test of Laplace noise of scale 1/ε; where its values differ, the distance is 0
// and an answer comes out with probability P(Lap(1/ε) > log(1/δ)/ε) = δ/2, which shows which of the two data sets it
// is. The worst of both is (ε, δ)-DP, for no smaller δ than δ/2, and its Rényi divergences are infinite.
func TestExamples14And16(t *testing.T) {
	half := testkit.Rat("5e-7")                                      // δ = 1e-6
	stable := mechanism.Laplace{NoiseMultiplier: testkit.Rat("1/2")} // ε = 2
	shown := mechanism.FinitePair{P: []*big.Rat{half, new(big.Rat).Sub(big.NewRat(1, 1), half)}, Q: []*big.Rat{new(big.Rat), big.NewRat(1, 1)}}
	q := exact.Question{Event: mechanism.Maximum{Events: []mechanism.Event{stable, shown}}}
	at, err := exact.Delta(t.Context(), q, testkit.Rat("2"), 0)
	if err != nil || at.Value == nil || at.Value.Cmp(half) != 0 {
		t.Errorf("δ(2) = %v, %v; want %s", at.Enclosure, err, half.RatString())
	}
	below, err := exact.Delta(t.Context(), q, testkit.Rat("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	// Laplace noise of scale 1/2: δ(1) = 1 − e^((1 − 2)/2).
	want := interval.Prec(100).Expm1(interval.Prec(100).Rat(testkit.Rat("-1/2"))).Neg()
	if _, ok := interval.Intersect(below.Interval, want); !ok {
		t.Errorf("δ(1) = %v, want %v", below.Interval, want)
	}
	for _, alpha := range []string{"3/2", "2", "64"} {
		r, err := exact.Renyi(q, renyi.At(testkit.Rat(alpha)), 0)
		if err != nil || !r.Lo().IsInf() {
			t.Errorf("R_%s = %v, %v; want ∞", alpha, r.Enclosure, err)
		}
	}
	// Beyond all finite losses of ten answers: at least ten that show, and at most the sum of what each may show.
	ten, err := exact.Delta(t.Context(), exact.Question{Event: mechanism.SelfComposed{Event: q.Event, Count: 10}}, testkit.Rat("20"), 0)
	least := new(big.Rat).Mul(half, big.NewRat(9, 1))
	if most := new(big.Rat).Mul(half, big.NewRat(10, 1)); err != nil || ten.LessEqRat(most) != interval.True || ten.LessEqRat(least) != interval.False {
		t.Errorf("δ(20) of ten = %v, %v", ten.Interval, err)
	}
}
