// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
	"dpverify/internal/testkit"
)

// patternsByCells are max(0, P − αQ) and max(0, Q − αP), summed over cells of the space, for the mean P over patterns of
// Gaussians at sums of columns: a post-processing.
func patternsByCells(columns [][]float64, patterns map[uint]float64, alpha float64) (remove, add float64) {
	const cells = 24
	n := len(columns[0])
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	border := func(i int) float64 {
		switch i {
		case 0:
			return math.Inf(-1)
		case cells:
			return math.Inf(1)
		}
		return float64(i)/2 - 3
	}
	var sum func(row int, p map[uint]float64, q float64)
	sum = func(row int, p map[uint]float64, q float64) {
		if row == n {
			total := 0.0
			for _, x := range p {
				total += x
			}
			remove, add = remove+max(0, total-alpha*q), add+max(0, q-alpha*total)
			return
		}
		for i := range cells {
			inside := func(mean float64) float64 { return cdf(border(i+1)-mean) - cdf(border(i)-mean) }
			next := make(map[uint]float64)
			for set, x := range p {
				mean := 0.0
				for t, c := range columns {
					if set>>t&1 == 1 {
						mean += c[row]
					}
				}
				next[set] = x * inside(mean)
			}
			sum(row+1, next, q*inside(0))
		}
	}
	sum(0, patterns, 1)
	return remove, add
}

// patternsOf are the patterns of steps, as bits, with their probabilities.
func patternsOf(draw pattern.Draw, size, steps int, q float64) map[uint]float64 {
	out := make(map[uint]float64)
	var walk func(t, wait int, set uint, p float64)
	walk = func(t, wait int, set uint, p float64) {
		switch {
		case t == steps:
			out[set] += p
		case wait > 0:
			walk(t+1, wait-1, set, p)
		default:
			walk(t+1, 0, set, p*(1-q))
			walk(t+1, size-1, set|1<<t, p*q)
		}
	}
	for wait := range size {
		switch {
		case draw == pattern.Apart && wait == 0:
			walk(0, 0, 0, 1/(1+float64(size-1)*q))
		case draw == pattern.Apart:
			walk(0, wait, 0, q/(1+float64(size-1)*q))
		default: // those that are congruent to wait
			for hits := range uint(1) << steps {
				p := 1 / float64(size)
				for t := range steps {
					switch hit := hits>>t&1 == 1; {
					case t%size != wait && hit:
						p = 0
					case t%size == wait && hit:
						p *= q
					case t%size == wait:
						p *= 1 - q
					}
				}
				out[hits] += p
			}
		}
	}
	return out
}

// TestPatternsAreBelowSamples: what cells show of patterns is at most the bounds by Poisson samples, of steps that are
// apart, also where their columns overlap, and of a shift that is known.
func TestPatternsAreBelowSamples(t *testing.T) {
	ctx := context.Background()
	type schedule struct {
		draw    pattern.Draw
		size    int64
		rate    string
		unit    int64
		columns [3][3]int64
	}
	for _, c := range testkit.Few(4, []schedule{
		{pattern.Apart, 1, "1/2", 1, [3][3]int64{{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}},
		{pattern.Apart, 1, "1/16", 1, [3][3]int64{{1, 1, 1}, {0, 1, 1}, {0, 0, 1}}},
		{pattern.Apart, 1, "31/32", 5, [3][3]int64{{5, 5, 0}, {0, 5, 5}, {0, 0, 7}}},
		{pattern.Apart, 2, "1/2", 1, [3][3]int64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
		{pattern.Apart, 2, "1/5", 1, [3][3]int64{{2, 1, 0}, {0, 2, 1}, {0, 0, 2}}},
		{pattern.Apart, 3, "1/2", 1, [3][3]int64{{3, 3, 3}, {0, 3, 3}, {0, 0, 3}}},
		{pattern.Shifted, 2, "1/2", 1, [3][3]int64{{1, 0, 0}, {0, 3, 0}, {0, 0, 2}}},
		{pattern.Shifted, 2, "1/5", 1, [3][3]int64{{1, 1, 0}, {0, 2, 1}, {0, 0, 2}}},
	}) {
		var entries []participation.Entry
		columns := make([][]float64, 3)
		for j, column := range c.columns {
			for i, x := range column {
				if columns[j] = append(columns[j], float64(x)/float64(c.unit)); x != 0 {
					entries = append(entries, participation.Entry{Row: i, Column: j, Value: big.NewRat(x, c.unit)})
				}
			}
		}
		rate := rat(c.rate)
		law, ok := pattern.New(c.draw, c.size, rate, participation.New(3, entries), 3, rat("1"))
		if !ok {
			t.Fatal("no law")
		}
		q, _ := rate.Float64()
		patterns := patternsOf(c.draw, int(c.size), 3, q)
		for _, reversed := range []bool{false, true} {
			prod := pair.Copies(pair.Patterns{Law: law, Reversed: reversed}, 1)
			s := method.NewSolver(method.All, 0, nil)
			plan := method.Uncorrelated(s, prod, 0)
			if c.draw == pattern.Shifted {
				plan = method.Unamplified(s, prod, 0)
			}
			above, err := plan.Prepare(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, eps := range []string{"0", "1/4", "1", "3", "6"} {
				x, _ := rat(eps).Float64()
				want, add := patternsByCells(columns, patterns, math.Exp(x))
				if reversed {
					want = add
				}
				got, err := above(ctx, 40, interval.RealRat(rat(eps)))
				if hi, _ := got.Hi().Float64(); err != nil || hi < want {
					t.Errorf("%s, reversed %t: δ(%s) is at least %g, and the bound is %s (%v)", law, reversed, eps, want, got, err)
				}
			}
		}
	}
}
