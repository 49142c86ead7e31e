// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// writtenOut is an allocation to selected of steps steps, outcome by outcome.
func writtenOut(f pair.Finite, selected, steps int) pair.Finite {
	var p, q []*big.Rat
	at := make([]int, steps)
	for {
		mass := big.NewRat(1, 1)
		// sums over sets of so many of the first steps
		sets := make([]*big.Rat, selected+1)
		for i := range sets {
			sets[i] = new(big.Rat)
		}
		sets[0].SetInt64(1)
		for _, i := range at {
			m := f.Masses[i]
			mass.Mul(mass, m.Q)
			for k := selected; k >= 0; k-- {
				sets[k].Mul(sets[k], m.Q)
				if k > 0 {
					sets[k].Add(sets[k], new(big.Rat).Mul(sets[k-1], m.P))
				}
			}
		}
		c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(steps), int64(selected)))
		p, q = append(p, sets[selected].Quo(sets[selected], c)), append(q, mass)
		i := 0
		for ; i < steps; i++ {
			if at[i]++; at[i] < len(f.Masses) {
				break
			}
			at[i] = 0
		}
		if i == steps {
			return pair.NewFinite(p, q)
		}
	}
}

// TestAllocationDivergencesWrittenOut: allocations of random finite pairs against their outcomes, of whole and of
// other orders, in both directions and at all precisions.
func TestAllocationDivergencesWrittenOut(t *testing.T) {
	r := rand.New(rand.NewSource(16))
	narrowed := 0
	for i := range testkit.Draws(2, 6, 6) {
		f := randomPair(r)
		selected, steps := 1+i%2, 2+r.Intn(2)
		if selected == steps {
			steps++
		}
		full := writtenOut(f, selected, steps)
		for _, back := range []bool{false, true} {
			x := pair.Allocation{Base: f, Selected: int64(selected), Steps: int64(steps), Reversed: back}
			want := Of(once(full))
			if back {
				want = Of(once(full.Reverse()))
			}
			got := Of(once(x))
			orders := []Order{Infinity, At(rat("1"))}
			for _, a := range []string{"1/3", "2", "5/4", "7/2", "6"} {
				orders = append(orders, At(rat(a)))
			}
			for j, a := range orders {
				y := want(120, a)
				p := []interval.Prec{2, 5, 8, 24, 64}[(i+j)%5]
				z := got(p, a)
				if _, ok := interval.Intersect(y, z); !ok {
					t.Errorf("R_%s of %s with %d bits: %s, want %s", a, x, p, z, y)
				}
				if selected == 1 && p == 64 && y.IsFinite() && z.RelativeBits(64) > 30 {
					narrowed++
				}
			}
		}
	}
	if narrowed < 2 {
		t.Errorf("%d enclosures are narrow", narrowed)
	}
}

// TestAllocationAgainstOutside compares divergences of Gaussian noise with docs/oracle/renyi.py.
func TestAllocationAgainstOutside(t *testing.T) {
	for _, c := range []struct {
		steps     int64
		mu2       string
		alpha     string
		back      bool
		want, off string
	}{
		{2, "1", "5/2", false, "0.79330835650742", "1e-11"},
		{2, "1", "5/2", true, "0.70532354281542", "1e-11"},
		{2, "1", "1/2", true, "0.14711836247774", "1e-11"},
		{3, "1/4", "5/2", false, "0.11333253560500", "1e-8"},
	}[:testkit.Draws(1, 2, 4)] {
		x := pair.Allocation{Base: pair.Gaussian{Mu2: rat(c.mu2)}, Selected: 1, Steps: c.steps, Reversed: c.back}
		y := Of(once(x))(8, At(rat(c.alpha)))
		unit := interval.Prec(80).Rat(rat(c.off))
		want := interval.Prec(80).Add(interval.Prec(80).Rat(rat(c.want)), interval.Union(unit.Neg(), unit))
		if _, ok := interval.Intersect(y, want); !ok || !near(y, want, 6) {
			t.Errorf("R_%s of %s: %s, want %s", c.alpha, x, y, c.want)
		}
	}
}

// TestAllocationBounds: where nothing is exact both ends are finite, and the sum of all outputs is a lower bound.
func TestAllocationBounds(t *testing.T) {
	g := pair.Gaussian{Mu2: rat("1/4")}
	for i, back := range []bool{false, true} {
		x := pair.Allocation{Base: g, Selected: 10, Steps: 100, Reversed: back}
		for _, a := range testkit.InTurn(i, []string{"1/2", "2", "5/2", "300"}) {
			y := Of(once(x))(64, At(rat(a)))
			low := new(big.Rat).Mul(rat(a), rat("1/8"))
			if !y.IsFinite() || y.LessRat(low) == interval.True || y.LessEqRat(new(big.Rat).Mul(low, rat("10"))) != interval.True {
				t.Errorf("R_%s of %s: %s, want ≥ %s", a, x, y, low.RatString())
			}
		}
	}
}
