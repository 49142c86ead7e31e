// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// chain is the greatest power of a test along k records, by iterating the power along one.
func chain(eps, delta, level float64, k int64) float64 {
	for range k {
		level = min(1, delta+math.Exp(eps)*level, 1-math.Exp(-eps)*(1-delta-level))
	}
	return level
}

// TestGroupResponseIsTheChain: the outcomes, the greatest losses first, add up to the greatest powers: at their ends,
// and at the middle between.
func TestGroupResponseIsTheChain(t *testing.T) {
	for _, g := range []GroupResponse{{rat("1"), rat("1/10"), 2}, {rat("1"), new(big.Rat), 3}, {rat("1/10"), rat("1/1000"), 12}, {rat("5"), rat("1/3"), 3}, {rat("2"), rat("1/100"), 5}} {
		out, _, ok := g.Outcomes(80, 100)
		if !ok {
			t.Fatal("not listed")
		}
		slices.SortFunc(out, func(a, b Outcome) int {
			switch {
			case a.Q.IsZero():
				return -1
			case b.Q.IsZero():
				return 1
			case a.P.IsZero():
				return 1
			case b.P.IsZero():
				return -1
			}
			x, _ := b.Loss.Rat()
			return -a.Loss.Cmp(x)
		})
		eps, _ := g.Eps.Float64()
		delta, _ := g.Delta.Float64()
		level, power := 0.0, 0.0
		check := func(level, power float64) {
			if want := chain(eps, delta, level, g.Size); math.Abs(power-want) > 1e-9 {
				t.Errorf("%s: a power of %v at the level %v, want %v", g, power, level, want)
			}
		}
		for _, o := range out {
			p, _ := o.P.Lo().Float64()
			q, _ := o.Q.Lo().Float64()
			if q > 0 {
				check(level+q/2, power+p/2)
			}
			level, power = level+q, power+p
			if q > 0 || p == 0 {
				check(level, power)
			}
			if e := o.P.RelativeBits(80); p > 0 && e < 70 {
				t.Errorf("%s: an outcome of %d bits", g, e)
			}
		}
		if math.Abs(level-1) > 1e-9 || math.Abs(power-1) > 1e-9 {
			t.Errorf("%s: masses %v and %v", g, power, level)
		}
		for _, coin := range g.Coins() {
			f, ok := Single[Finite](coin)
			if !ok {
				t.Fatalf("%s: %s is no coin", g, coin)
			}
			for _, m := range f.Masses {
				p, _ := m.P.Float64()
				q, _ := m.Q.Float64()
				if p > chain(eps, delta, q, g.Size)+1e-12 {
					t.Errorf("%s: a coin has the power %v at the level %v", g, p, q)
				}
			}
		}
	}
}
