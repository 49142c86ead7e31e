// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// errorOf is the least type II error of tests of a finite pair with type I error at most alpha [Neyman & Pearson 1933]:
// P is the null hypothesis, and outcomes are rejected by falling Q/P.
func errorOf(f Finite, alpha *big.Rat) *big.Rat {
	left, beta := new(big.Rat).Set(alpha), big.NewRat(1, 1)
	for i := len(f.Masses) - 1; i >= 0; i-- {
		m := f.Masses[i]
		if m.P.Cmp(left) <= 0 {
			left.Sub(left, m.P)
			beta.Sub(beta, m.Q)
			continue
		}
		return beta.Sub(beta, new(big.Rat).Mul(m.Q, new(big.Rat).Quo(left, m.P)))
	}
	return beta
}

// TestTradeOffPair: of random points, the pair is self-dual; at each α its error is the greater of the hull of the
// points there and of its inverse, both by brute force over chords; so each point that is a corner of the hull is kept,
// in both orientations.
func TestTradeOffPair(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for range testkit.Draws(100, 300, 300) {
		n, d := 1+rng.Int63n(4), int64(12)
		var points []mechanism.TradeOffPoint
		for a := rng.Int63n(4); a <= d && int64(len(points)) < n; a += 1 + rng.Int63n(4) {
			points = append(points, mechanism.TradeOffPoint{Alpha: big.NewRat(a, d), Beta: big.NewRat(rng.Int63n(d-a+1), d)})
		}
		f := NewTradeOff(points)
		if !f.SelfDual() {
			t.Fatalf("%v: %s is not self-dual", points, f)
		}
		// The least value at x of chords between any two points, one on each side.
		hull := func(x *big.Rat, mirrored bool) *big.Rat {
			all := []Corner{{new(big.Rat), ratOne}, {ratOne, new(big.Rat)}}
			for _, p := range points {
				c := Corner{p.Alpha, p.Beta}
				if mirrored {
					c = Corner{p.Beta, p.Alpha}
				}
				all = append(all, c)
			}
			least := big.NewRat(2, 1)
			for _, a := range all {
				for _, b := range all {
					switch {
					case a.X.Cmp(x) == 0 && a.Y.Cmp(least) < 0:
						least = a.Y
					case a.X.Cmp(x) < 0 && b.X.Cmp(x) > 0:
						if y := chord(a, b, x); y.Cmp(least) < 0 {
							least = y
						}
					}
				}
			}
			return least
		}
		for k := range int64(37) {
			x := big.NewRat(k, 36)
			want := hull(x, false)
			if y := hull(x, true); y.Cmp(want) > 0 {
				want = y
			}
			if got := errorOf(f, x); got.Cmp(want) != 0 {
				t.Fatalf("%v at %v: %v, want %v", points, x, got, want)
			}
		}
	}
}

// TestUnderPoints: the pair under values at some α has them, or less, and more than any profile that has: it is on
// chords, and flat at the end.
func TestUnderPoints(t *testing.T) {
	rats := func(xs ...string) (out []*big.Rat) {
		for _, x := range xs {
			out = append(out, rat(x))
		}
		return out
	}
	// (1, 3/5) is above the chord from (1/2, 3/5) to (2, 3/10), the profile does not rise to (4, 1/2), and the order
	// does not matter.
	f := Under(rats("2", "1", "1/2", "4", "3"), rats("3/10", "3/5", "3/5", "1/2", "3/10"))
	for _, c := range [][2]string{{"0", "1"}, {"1/4", "4/5"}, {"1/2", "3/5"}, {"1", "1/2"}, {"2", "3/10"}, {"3", "3/10"}, {"9", "3/10"}} {
		if y := f.Delta(rat(c[0])); y.Cmp(rat(c[1])) != 0 {
			t.Errorf("at α = %s the profile is %s, want %s", c[0], y.RatString(), c[1])
		}
	}
	if f := Under(nil, nil); f.Inf().Cmp(rat("1")) != 0 {
		t.Errorf("under no points: %s", f)
	}
}
