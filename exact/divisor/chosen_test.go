// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package divisor_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/divisor"
	"dpverify/exact/interval"
	"dpverify/exact/lattice"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestChosenVectorsStepByStep: the greatest δ of one vector is that of all shifts, by inversion, and of two it is the
// mean over the first outputs of what is the greatest then, whose masses are sums over all vectors of integers.
func TestChosenVectorsStepByStep(t *testing.T) {
	const w = interval.Prec(80)
	for _, c := range testkit.Few(2, []struct {
		sigma2 string
		norm   int64
		levels []string
	}{{"1", 4, []string{"1", "4", "13/2", "-2"}}, {"1/2", 5, []string{"3", "9"}}, {"2", 9, []string{"5/2", "7"}}}) {
		inversions := make([]*lattice.Inversion, 0)
		shifts := partitions(c.norm, c.norm)
		for _, s := range shifts {
			x, ok := lattice.New(vector(c.sigma2, s...))
			if !ok {
				t.Fatal("no inversion")
			}
			inversions = append(inversions, x)
		}
		greatest := func(eps *big.Rat) interval.Interval {
			most := interval.Int(0)
			for _, x := range inversions {
				y, err := x.Delta(t.Context(), 60, interval.RealRat(eps))
				if err != nil {
					t.Fatal(err)
				}
				most = interval.Max(most, y)
			}
			return most
		}
		one, ok1 := divisor.NewChosen(rat(c.sigma2), c.norm, 1)
		two, ok2 := divisor.NewChosen(rat(c.sigma2), c.norm, 2)
		if !ok1 || !ok2 {
			t.Fatal("too many")
		}
		twice := new(big.Rat).Mul(rat(c.sigma2), big.NewRat(2, 1))
		after := make(map[int64]interval.Interval)
		for i, level := range c.levels {
			eps := rat(level)
			check(t, one, eps, greatest(eps))
			if i > 0 && testing.Short() {
				continue
			}
			clear(after)
			most := interval.Int(0)
			for _, s := range shifts {
				sum := interval.Int(0)
				for sums, mass := range lawOf(w, rat(c.sigma2), s) {
					if after[sums].IsZero() {
						loss := big.NewRat(2*sums+c.norm, 1)
						after[sums] = greatest(new(big.Rat).Sub(eps, loss.Quo(loss, twice)))
					}
					sum = w.Add(sum, w.Mul(mass, after[sums]))
				}
				// What is not listed has a mass of less than 2^−70.
				most = interval.Max(most, w.Add(sum, interval.Union(interval.Int(0), w.Rat(interval.Pow2(-70)))))
			}
			check(t, two, eps, most)
		}
	}
}

func check(t *testing.T, c *divisor.Chosen, eps *big.Rat, want interval.Interval) {
	t.Helper()
	got, err := c.Profile(t.Context(), 64, interval.RealRat(eps))
	if _, meet := interval.Intersect(got, want); err != nil || !meet || got.RelativeBits(36) < 36 {
		t.Errorf("ε = %s: %v, %v; want %v", eps.RatString(), got, err, want)
	}
}

// lawOf encloses the masses of Σ s_i·x_i, by convolutions of all entries.
func lawOf(w interval.Prec, sigma2 *big.Rat, s []int64) map[int64]interval.Interval {
	const reach = 16
	var masses [2*reach + 1]interval.Interval
	total := interval.Int(0)
	for x := int64(-reach); x <= reach; x++ {
		masses[x+reach] = w.Exp(w.Rat(new(big.Rat).Quo(big.NewRat(-x*x, 2), sigma2)))
		total = w.Add(total, masses[x+reach])
	}
	law := map[int64]interval.Interval{0: interval.Int(1)}
	for _, entry := range s {
		next := make(map[int64]interval.Interval)
		for at, m := range law {
			for x := int64(-reach); x <= reach; x++ {
				y := w.Mul(m, w.Div(masses[x+reach], total))
				if y.LessRat(interval.Pow2(-90)) == interval.True {
					continue
				}
				if old, ok := next[at+entry*x]; ok {
					y = w.Add(old, y)
				}
				next[at+entry*x] = y
			}
		}
		law = next
	}
	return law
}

// TestChosenVectorsAreAboveFixedOnes: no fixed list of shifts is above what is chosen.
func TestChosenVectorsAreAboveFixedOnes(t *testing.T) {
	c, ok := divisor.NewChosen(rat("9/4"), 12, 3)
	if !ok {
		t.Fatal("too many")
	}
	shifts := partitions(12, 12)
	for i, eps := range []string{"2", "9/2", "6", "10"} {
		var prod pair.Product
		for j := range 3 {
			prod = append(prod, vector("9/4", shifts[(i*2+j*3)%len(shifts)]...)...)
		}
		fixed := delta(t, prod.Merged(), rat(eps))
		got, err := c.Profile(t.Context(), 64, interval.RealRat(rat(eps)))
		if err != nil || fixed.LessEq(interval.Point(got.Hi())) != interval.True {
			t.Errorf("ε = %s: %v, %v; a list has %v", eps, got, err, fixed)
		}
		policy, err := c.Policy(t.Context(), rat(eps))
		if err != nil || !strings.Contains(policy, "%") {
			t.Errorf("ε = %s: %q, %v", eps, policy, err)
		}
		t.Log(eps, fmt.Sprint(got), policy)
	}
}

// TestChosenVectorsAreFew: long laws, and many shifts, are left to others.
func TestChosenVectorsAreFew(t *testing.T) {
	for _, c := range []struct {
		sigma2 string
		norm   int64
		count  int64
	}{{"100000000", 36, 5}, {"9", 3600, 2}, {"9", 36, 1 << 40}, {"1/100000000", 4, 2}, {"9", 1 << 50, 2}} {
		if _, ok := divisor.NewChosen(rat(c.sigma2), c.norm, c.count); ok {
			t.Errorf("%v are few", c)
		}
	}
}
