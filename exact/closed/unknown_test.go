// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestTailsOfWideEpsilon: for an ε that is only known to lie in an interval with a jump of
// the tails in it, the enclosures contain the tails on both sides of the jump.
func TestTailsOfWideEpsilon(t *testing.T) {
	const p = interval.Prec(64)
	laplace := pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 1}}
	for _, x := range []pair.Pair{
		pair.Laplace{Shift: big.NewRat(1, 1)},
		pair.Mixed(big.NewRat(1, 3), laplace),
		pair.Sampled{Rate: big.NewRat(1, 3), Base: laplace},
		pair.Sampled{Rate: big.NewRat(1, 3), Base: laplace, Reversed: true},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(1, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(1, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true, Reversed: true},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(-1, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 2), ShiftFirst: true},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(1, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 2)},
		pair.Clamped{Noise: pair.LaplaceNoise, Location: big.NewRat(1, 1), Width: big.NewRat(1, 1), Shift: big.NewRat(1, 2), Reversed: true},
		pair.Truncated{Noise: pair.LaplaceNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 2), Radius: big.NewRat(2, 1)},
	} {
		tails, ok := PairTails(x)
		if !ok {
			t.Fatalf("%s has no tails", x)
		}
		for n := int64(-30); n <= 30; n++ {
			for _, radius := range []int64{1, 4, 16} {
				lo, mid, hi := big.NewRat(n-radius, 20), big.NewRat(n, 20), big.NewRat(n+radius, 20)
				y := Arg{Interval: interval.Union(p.Rat(lo), p.Rat(hi))}
				wideP, wideQ := tails(p, y)
				for _, e := range []*big.Rat{lo, mid, hi} {
					a, b := tails(p, Arg{Interval: p.Rat(e), Rat: e})
					if _, ok := interval.Intersect(a, wideP); !ok || interval.Point(wideP.Hi()).Less(a) == interval.True || a.Less(interval.Point(wideP.Lo())) == interval.True {
						t.Errorf("%s: P(L > %s) = %s, over [%s, %s] in %s", x, e.RatString(), a, lo.RatString(), hi.RatString(), wideP)
					}
					if _, ok := interval.Intersect(b, wideQ); !ok {
						t.Errorf("%s: Q(L > %s) = %s, over [%s, %s] in %s", x, e.RatString(), b, lo.RatString(), hi.RatString(), wideQ)
					}
				}
			}
		}
	}
}

// TestSampledTailsBelowTheLeastLoss: the loss of a Poisson sample is at least log(1 − γ), so that
// both tails are 1 below it, next to it too, where (e^ε − 1)/γ rounds to −1. The base has
// Q-mass of loss −∞, which is not in its tails at −∞.
func TestSampledTailsBelowTheLeastLoss(t *testing.T) {
	base := pair.Truncated{Noise: pair.GaussianNoise, Width: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 1), Radius: big.NewRat(1, 1)}
	for _, rate := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(9, 10)} {
		tails, _ := PairTails(pair.Sampled{Rate: rate, Base: pair.Product{{Pair: base, Count: 1}}})
		keep := new(big.Rat).Sub(big.NewRat(1, 1), rate)
		for _, w := range []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256, 1000} {
			e := interval.Point(w.Log((2*w + 64).Rat(keep)).Lo())
			if e.Less((2*w + 64).Log((2*w + 64).Rat(keep))) != interval.True {
				t.Fatalf("%s at %d bits is not below log(1 − γ)", e, w)
			}
			p, q := tails(w, Arg{Interval: e})
			if p.Less(one) == interval.True || q.Less(one) == interval.True {
				t.Errorf("γ = %s, %d bits: tails %s and %s, want both to contain 1", rate.RatString(), w, p, q)
			}
		}
	}
}
