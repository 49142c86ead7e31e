// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestOppositeAgainstQuadrature: of few steps, δ is an integral over all outputs but one, for which it has a closed
// form: docs/oracle/opposite_allocation.py sums it by the trapezoidal rule, to eight digits or more.
func TestOppositeAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		steps            int64
		mu2, alpha, want string
	}{
		{2, "1", "1", "0.52049987781"},
		{2, "25/9", "30", "0.2643903968"},
		{3, "1/4", "2", "0.04463043956"},
		{4, "1", "4", "0.0739860726"},
		{2, "1", "4", "0.20930202505"},
		{2, "1/4", "2", "0.08316076391"},
		{3, "1", "1", "0.4398672279"},
		{3, "1", "4", "0.1192708775"},
		{4, "1/4", "2", "0.0263109862"},
	}[:testkit.Cases(2, 9)] {
		y, err := NewOpposite(rats(c.mu2)[0], c.steps).Profile()(t.Context(), 34, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(rats(c.alpha)[0])) })
		want := interval.Prec(60).Rat(rats(c.want)[0])
		const w = interval.Prec(60)
		miss := w.Div(w.Sub(y, want).Abs(), want)
		if err != nil || miss.LessRat(rats("1/50000000")[0]) != interval.True {
			t.Errorf("%d steps, μ² = %s, α = %s: %v, want %s: %v", c.steps, c.mu2, c.alpha, y, c.want, err)
		}
	}
}

// TestOppositeIsItsReverse: δ(−ε) = 1 − e^−ε + e^−ε·δ(ε), and the sum for −ε has δ(−ε) as well.
func TestOppositeIsItsReverse(t *testing.T) {
	const w = interval.Prec(300)
	for _, bits := range []interval.Prec{2, 8, 60} {
		x := NewOpposite(rats("9/4")[0], 3)
		e := w.Rat(rats("-2/3")[0])
		y, ok, err := x.delta(t.Context(), bits, func(interval.Prec) interval.Interval { return e })
		sum, also, err2 := x.sum.Price(t.Context(), bits, e)
		sum = w.Div(sum, interval.Int(3))
		_, both := interval.Intersect(y, sum)
		if !ok || !also || !both || bits == 60 && w.Sub(y, sum).Abs().LessRat(rats("1/1000000000000")[0]) != interval.True {
			t.Errorf("%d bits: %v and %v: %v %v", bits, y, sum, err, err2)
		}
	}
}

// TestOppositeDigits: the digits that are asked for come out, of values next to 1 and far below, and agree with more.
func TestOppositeDigits(t *testing.T) {
	f := NewOpposite(rats("1")[0], 10).Profile()
	for _, e := range testkit.Few(2, []int64{0, 3, 8}) {
		eps := interval.RealRat(rats("1")[0].SetInt64(e))
		few, err := f(t.Context(), 40, eps)
		more, err2 := f(t.Context(), 80, eps)
		_, both := interval.Intersect(few, more)
		if err != nil || err2 != nil || !both || few.RelativeBits(64) < 37 || more.RelativeBits(100) < 77 {
			t.Errorf("δ(%d) is %v and %v (%v, %v)", e, few, more, err, err2)
		}
	}
}
