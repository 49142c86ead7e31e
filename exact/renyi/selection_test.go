// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestBoundedRange: no choice between two candidates exceeds the greatest divergence, the best
// of many comes near it, and it is below the divergence of the logistic pair, below ε, and below αε²/8.
func TestBoundedRange(t *testing.T) {
	const p = interval.Prec(96)
	for _, e := range []string{"1", "1/10", "6", "1/100000"} {
		eps := rat(e)
		bound := Of(pair.Product{{Pair: pair.BoundedRange{Eps: eps}, Count: 1}})
		noise := Of(pair.Product{{Pair: pair.Logistic{Shift: eps}, Count: 1}})
		for _, a := range []string{"1/10", "1/2", "9/10", "1", "1000001/1000000", "3/2", "2", "10", "100"} {
			alpha := At(rat(a))
			most := bound(p, alpha)
			if most.RelativeBits(40) < 40 {
				t.Errorf("ε = %s: R_%s = %s", e, a, most)
			}
			best := zero
			const n = 64
			for i := int64(1); i < n; i++ {
				up := new(big.Rat).Mul(eps, big.NewRat(i, n))
				y := Of(pair.Product{{Pair: pair.TwoPoint{Up: up, Down: new(big.Rat).Sub(eps, up)}, Count: 1}})(p, alpha)
				if most.Less(y) == interval.True {
					t.Errorf("ε = %s: R_%s = %s, more than %s, with the loss %s", e, a, y, most, up.RatString())
				}
				best = interval.Max(best, y)
			}
			if p.Mul(best, p.Rat(rat("1001/1000"))).Less(most) == interval.True && rat(a).Cmp(rat("50")) < 0 {
				t.Errorf("ε = %s: R_%s = %s, no choice has more than %s", e, a, most, best)
			}
			line := p.Rat(new(big.Rat).Mul(rat(a), new(big.Rat).Mul(eps, new(big.Rat).Quo(eps, rat("8")))))
			for _, above := range []interval.Interval{noise(p, alpha), line, p.Rat(eps)} {
				if above.Less(most) == interval.True {
					t.Errorf("ε = %s: R_%s = %s, more than %s", e, a, most, above)
				}
			}
		}
		if y := bound(p, Infinity); !y.ContainsRat(eps) {
			t.Errorf("R_∞ = %s", y)
		}
	}
	// R₁ and R₂ of ε = 1, mpmath.
	for a, want := range map[string]string{"1": "0.12330156", "2": "0.24022"} {
		lo := rat(want)
		y := Of(pair.Product{{Pair: pair.BoundedRange{Eps: ratOne}, Count: 1}})(p, At(rat(a)))
		if y.LessRat(lo) == interval.True || y.LessRat(new(big.Rat).Add(lo, rat("1/10000"))) != interval.True {
			t.Errorf("R_%s = %s, want %s…", a, y, want)
		}
	}
}

// TestLogisticMoments: M by the masses of thin cells of the loss.
func TestLogisticMoments(t *testing.T) {
	x := pair.Logistic{Shift: rat("3/2")}
	closed, _ := logMoment(x)
	f, ok := cells(x)
	if !ok {
		t.Fatal("no cells")
	}
	for _, a := range []string{"1/4", "1/2", "2", "7/2", "20"} {
		y, z := closed(96, rat(a)), f(96, rat(a))
		if _, ok := interval.Intersect(y, z); !ok {
			t.Errorf("log M(%s) = %s, by cells %s", a, y, z)
		}
	}
}
