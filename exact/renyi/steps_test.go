// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// What bounds the errors of a computation is tested where the errors are large: with few
// nodes, few cells and few rounds.

// TestTrapezoidWithFewNodes: any step, and any nodes beyond U and V, enclose the mean.
func TestTrapezoidWithFewNodes(t *testing.T) {
	oneMean := blend{[]interval.Real{interval.RealRat(rat("3/2"))}, []*big.Rat{ratOne}}
	x := pair.Sampled{Rate: rat("1/4"), Base: once(pair.Gaussian{Mu2: rat("4")})}
	sum, _ := logMoment(x) // by the finite sum, at integer orders
	for _, c := range []struct {
		fs   []power
		want interval.Interval
	}{
		{[]power{{oneMean, rat("1/2")}}, interval.Prec(100).Rat(rat("-9/32"))},
		{[]power{{oneMean, rat("-2")}}, interval.Prec(100).Rat(rat("27/4"))},
		{[]power{{twoMeans(x.Rate, rat("4")), rat("2")}}, sum(100, rat("2"))},
		{[]power{{twoMeans(x.Rate, rat("4")), rat("5")}}, sum(100, rat("5"))},
		// g^5·g^(−3) = g^2: sectors of negative powers count.
		{[]power{{twoMeans(x.Rate, rat("4")), rat("5")}, {twoMeans(x.Rate, rat("4")), rat("-3")}}, sum(100, rat("2"))},
	} {
		enclosed := 0
		for _, h := range []string{"1/8", "1/3", "1/2", "3/4", "1", "5/4", "3/2"} {
			for _, d := range []string{"1/2", "1", "5/4", "5"} {
				for _, cut := range []string{"1/10", "1", "3", "9"} {
					tr := newTrapezoid(64, c.fs)
					tr.h, tr.d = tr.w.Rat(rat(h)), tr.w.Rat(rat(d))
					lo, hi, _ := interval.Union(tr.low, tr.high).Rationals()
					tr.first = floor(new(big.Rat).Quo(lo.Sub(lo, rat(cut)), rat(h))).Int64()
					tr.last = floor(new(big.Rat).Quo(hi.Add(hi, rat(cut)), rat(h))).Int64() + 1
					y, ok := tr.logMean()
					if !ok {
						continue
					}
					enclosed++
					if _, ok := interval.Intersect(y, c.want); !ok {
						t.Errorf("h = %s, d = %s, cut %s: %s, want %s", h, d, cut, y, c.want)
					}
				}
			}
		}
		if enclosed == 0 {
			t.Error("no choice gives an enclosure")
		}
	}
}

// TestFewCells: one cell and more enclose the moment.
func TestFewCells(t *testing.T) {
	for _, x := range []pair.Pair{
		pair.Laplace{Shift: rat("2")},
		pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("3/2")},
	} {
		if _, ok := cells(x); !ok {
			t.Fatalf("no cells of %s", x)
		}
		want, _ := logMoment(x)
		for _, n := range []int64{1, 2, 3, 5, 16} {
			c := cellMassesOf(x)
			c.count = func(interval.Prec) int64 { return n }
			for _, a := range []string{"1/5", "1/2", "9/10", "11/10", "2", "5"} {
				y, z := c.moment(64, rat(a)), want(64, rat(a))
				if _, ok := interval.Intersect(y, z); !ok {
					t.Errorf("%d cells of %s, α = %s: %s, want %s", n, x, a, y, z)
				}
			}
		}
	}
}
