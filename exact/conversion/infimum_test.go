// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestInfimumOfFewSamples: whatever samples a search ends with, and at whatever precision,
// its lower bound is one of N(t)/t over all t > 0, N(t) = a + bt + ct² with infimum b + 2√(ac).
func TestInfimumOfFewSamples(t *testing.T) {
	points := []string{"1/64", "1/3", "1/2", "1", "5/4", "2", "3", "17", "100"}
	for _, coefficients := range [][3]string{{"1", "0", "1"}, {"1/10", "2", "3"}, {"0", "1", "1"}, {"9", "-1", "1/100"}, {"1", "1", "0"}} {
		a, b, c := rat(coefficients[0]), rat(coefficients[1]), rat(coefficients[2])
		const q = interval.Prec(300)
		truth := q.Add(q.Rat(b), q.Scale(q.Sqrt(q.Rat(new(big.Rat).Mul(a, c))), 1))
		for _, w := range []interval.Prec{2, 5, 24, 100} {
			n := func(x *big.Rat) interval.Interval {
				return w.Add(w.Rat(a), w.Mul(w.Rat(x), w.Add(w.Rat(b), w.Mul(w.Rat(c), w.Rat(x)))))
			}
			for i := range points {
				for length := 1; i+length <= len(points); length++ {
					s := infimumSearch{w: w, n: n}
					for _, x := range points[i : i+length] {
						s.list = append(s.list, s.sample(rat(x)))
					}
					if y := s.lower(s.best()); interval.Point(y.Lo()).LessEq(truth) == interval.False {
						t.Errorf("%v at %d bits, points %v: lower bound %v, infimum %s", coefficients, w, points[i:i+length], y.Lo(), truth)
					}
				}
			}
		}
	}
}

// TestInfimumWithFewRounds: the lower bound holds after any number of rounds.
func TestInfimumWithFewRounds(t *testing.T) {
	const p = interval.Prec(64)
	for _, l := range []string{"1/100", "1", "1000"} {
		for _, rho := range []string{"1/1000", "3", "500"} {
			// N(t) = ρt² + ρt + l: N/t is least at √(l/ρ).
			n := func(t *big.Rat) interval.Interval {
				y := new(big.Rat).Mul(t, t)
				y.Add(y, t).Mul(y, rat(rho))
				return (p + 64).Rat(y.Add(y, rat(l)))
			}
			want := p.Add(p.Rat(rat(rho)), p.Scale(p.Sqrt(p.Mul(p.Rat(rat(l)), p.Rat(rat(rho)))), 1))
			for rounds := range 12 {
				got, _ := infimum(p, rounds, n)
				if _, ok := interval.Intersect(got, want); !ok || !got.IsFinite() {
					t.Errorf("ρ = %s, l = %s, %d rounds: %s, want %s", rho, l, rounds, got, want)
				}
			}
		}
	}
	// A kink: N = max(l + t/2, 3t), least where they meet.
	for rounds := range 12 {
		got, _ := infimum(p, rounds, func(t *big.Rat) interval.Interval {
			return interval.Max(p.Rat(new(big.Rat).Add(rat("7"), new(big.Rat).Mul(t, rat("1/2")))), p.Rat(new(big.Rat).Mul(t, rat("3"))))
		})
		if !got.ContainsRat(rat("3")) {
			t.Errorf("a kink, %d rounds: %s, want 3", rounds, got)
		}
	}
}
