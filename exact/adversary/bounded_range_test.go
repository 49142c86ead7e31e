// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// chosenRange encloses the greatest E V of pairs of range x whose t is a multiple of x/parts.
func chosenRange(w interval.Prec, x *big.Rat, parts int, eps interval.Interval, v func(interval.Interval) interval.Interval) interval.Interval {
	part := w.Rat(new(big.Rat).Quo(x, big.NewRat(int64(parts), 1)))
	all := w.Expm1(w.Rat(x).Neg())
	most := interval.Int(0)
	for i := range parts + 1 {
		up, down := w.Mul(part, interval.Int(int64(i))), w.Mul(part, interval.Int(int64(parts-i)))
		p := w.Div(w.Expm1(down.Neg()), all)
		y := w.Add(w.Mul(p, v(w.Sub(eps, up))), w.Mul(w.Sub(interval.Int(1), p), v(w.Add(eps, down))))
		most = interval.Max(most, y)
	}
	return most
}

// TestBoundedRangeHoldsPolicies: V of steps of bounded range is not below what policies have whose losses are on a much finer grid, of which the
// lower end is one; on points of the grid, between them and beside it.
func TestBoundedRangeHoldsPolicies(t *testing.T) {
	const w = interval.Prec(64)
	hockey := func(eps interval.Interval) interval.Interval {
		return interval.Max(interval.Int(0), w.Expm1(eps).Neg())
	}
	for _, c := range []struct {
		x      string
		cells  int
		lo, hi float64
	}{{"1", 4, 2, 3}, {"2", 8, -1.5, 8}, {"3", 3, 1, 2}, {"1/10", 5, 1, 1}} {
		x, _ := new(big.Rat).SetString(c.x)
		b, err := NewBoundedRange(context.Background(), x, 2, c.cells, c.lo, c.hi)
		if err != nil {
			t.Fatal(err)
		}
		one := func(eps interval.Interval) interval.Interval {
			return chosenRange(w, x, 24/c.cells*c.cells, eps, hockey)
		}
		for _, e := range []string{"-3", "-1/5", "0", "1/20", "1/7", "1/4", "7/10", "1", "19/10", "7"} {
			eps, _ := new(big.Rat).SetString(e)
			want := chosenRange(w, x, 24/c.cells*c.cells, w.Rat(eps), one)
			above, _ := b.Above(context.Background(), 64, interval.RealRat(eps))
			below, _ := b.Below(context.Background(), 64, interval.RealRat(eps))
			if above.Less(want) == interval.True {
				t.Errorf("x = %s, %d cells, ε = %s: at most %v, but a policy has %v", c.x, c.cells, e, above, want)
			}
			if interval.Point(below.Lo()).LessEq(interval.Point(want.Hi())) != interval.True {
				t.Errorf("x = %s, %d cells, ε = %s: at least %v, but policies have %v", c.x, c.cells, e, below, want)
			}
		}
	}
}

// TestBoundedRangeIsNarrow: with more cells the two sides come together as their square.
func TestBoundedRangeIsNarrow(t *testing.T) {
	x := big.NewRat(1, 2)
	for _, cells := range []int{8, 16} {
		b, err := NewBoundedRange(context.Background(), x, 20, cells, 4, 8)
		if err != nil {
			t.Fatal(err)
		}
		eps := interval.RealRat(big.NewRat(2, 1)) // a point of the grid
		above, _ := b.Above(context.Background(), 64, eps)
		below, _ := b.Below(context.Background(), 64, eps)
		const w = interval.Prec(64)
		width := w.Div(w.Sub(interval.Point(above.Hi()), interval.Point(below.Lo())), interval.Point(below.Lo()))
		if width.LessRat(big.NewRat(7, int64(cells*cells))) != interval.True {
			t.Errorf("%d cells: %v and %v are %v apart", cells, below, above, width)
		}
	}
}
