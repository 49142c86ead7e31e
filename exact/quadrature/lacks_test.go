// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestErrorsBetweenPoints: sums of exponentials, from nearly nothing to much, are at most what their values at a few
// points say, and nearly as large.
func TestErrorsBetweenPoints(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	for range testkit.Draws(20, 60, 200) {
		var starts, slopes []interval.Interval
		for range 1 + r.Intn(3) {
			starts = append(starts, fine.Rat(big.NewRat(r.Int63n(2000)-1500, 7)))
			slopes = append(slopes, fine.Rat(big.NewRat(r.Int63n(200)-40, 3)))
		}
		bound := func(p interval.Prec, x *big.Rat) interval.Interval {
			sum := interval.Int(0)
			for i := range starts {
				sum = p.Add(sum, p.Exp(p.Add(starts[i], p.Mul(slopes[i], p.Rat(x)))))
			}
			return sum
		}
		l := make(Lacks, 2+r.Intn(60))
		got := l.Errors(func(x *big.Rat) interval.Interval { return bound(coarse, x) })
		if len(got) != len(l) {
			t.Fatalf("%d errors of %d", len(got), len(l))
		}
		for j, e := range got {
			want := bound(fine, big.NewRat(int64(j), int64(len(l)-1)))
			if e.Hi().Cmp(want.Lo()) < 0 {
				t.Fatalf("error %d of %d is %v < %v", j, len(l), e, want)
			}
			if most := fine.Mul(want, interval.Int(40)); e.LessEq(most) != interval.True {
				t.Fatalf("error %d of %d is %v, far above %v", j, len(l), e, want)
			}
		}
	}
	if got := make(Lacks, 9).Errors(func(x *big.Rat) interval.Interval { return interval.PosInf() }); got != nil {
		t.Errorf("without bounds: %v", got)
	}
	if got := (Lacks{}).Errors(func(x *big.Rat) interval.Interval { return interval.Int(1) }); got != nil {
		t.Errorf("of no values: %v", got)
	}
}
