// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"testing"

	"dpverify/exact/interval"
)

// TestLogs: the terms that are carried along are those made anew, at all points.
func TestLogs(t *testing.T) {
	const fine = interval.Prec(200)
	for _, m := range [][]part{standard, {{"99/100", "0"}, {"1/100", "1"}}, {{"1/10", "-1"}, {"7/10", "1/2"}, {"1/5", "2"}}} {
		var ps []Part
		for _, p := range m {
			ps = append(ps, Part{rat(p.prob), func(p2 interval.Prec) interval.Interval { return p2.Rat(rat(p.mean)) }})
		}
		step := fine.Rat(rat("3/64"))
		w, alone := NewLogs(120, ps, step, 64), NewLogs(130, ps, step, 0)
		for i := int64(-100); i < 100; i++ {
			sum := interval.Int(0)
			at := fine.Mul(interval.Int(i), step)
			for _, c := range ps {
				mean := c.Mean(fine)
				sum = fine.Add(sum, fine.Mul(fine.Rat(c.Prob), fine.Exp(fine.Mul(mean, fine.Sub(at, fine.Scale(mean, -1))))))
			}
			want := fine.Log(sum)
			for _, got := range []interval.Interval{w.At(120, at), alone.At(120, at)} {
				if _, ok := interval.Intersect(got, want); !ok {
					t.Fatalf("%v: %v at %d, want %v", m, got, i, want)
				}
				if d := fine.Sub(got.Upper(), got.Lower()); d.LessRat(rat("1e-30")) != interval.True {
					t.Fatalf("%v: %v at %d: wide", m, got, i)
				}
			}
		}
	}
}
