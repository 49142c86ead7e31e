// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"math"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Settings affect width and cost, not soundness.
type Settings struct {
	Work  float64 // about how many products of two numbers the moments may take
	Cut   int     // Q-masses of about 2^−Cut are not told apart
	Cells int     // about how many there are
}

// A cell has E[S^j; X in an interval], by j = 0, 1, …, and about these.
type cell struct {
	moments []double.Interval
	about   []float64
	wide    float64 // about how far they may be off, relatively
}

// cells returns those of intervals that cover the line; nil if the moments take too much work. The first two moments
// are always there if there are any.
func (m Mechanism) cells(ctx context.Context, set Settings) ([]cell, error) {
	moments := make([][]double.Interval, 0, most+1)
	for j := 0; j <= m.replicas(); j++ {
		x, err := m.counted(ctx, j, set.Work)
		if err != nil {
			return nil, err
		}
		if x == nil {
			break
		}
		moments = append(moments, x)
	}
	if len(moments) < 2 {
		return nil, nil
	}
	g := m.lay(set, len(moments[len(moments)-1])-1)
	out := make([]cell, g.n+1)
	err := convolve.Parallel(ctx, len(out), func(k int) {
		for _, by := range moments {
			sum := double.Point(0)
			for n, x := range by {
				sum = sum.Add(x.Mul(g.between(k, n)))
			}
			out[k].moments, out[k].about = append(out[k].moments, sum), append(out[k].about, sum.Mid())
			if sum.Lo > 0 {
				out[k].wide = max(out[k].wide, (sum.Hi-sum.Lo)/sum.Lo/2)
			}
		}
	})
	return out, err
}

// A grid has the numbers (first + k)·across·unit, 0 ≤ k < n; each step of a replica moves X by along·unit.
type grid struct {
	unit          double.Interval // a number
	first, n      int
	across, along int
	tails         []double.Interval // 1 − Φ at i·unit, i = 0, 1, …
}

// lay chooses a grid for up to so many steps of replicas.
func (m Mechanism) lay(set Settings, steps int) *grid {
	// τ is less than the root of Even by far more than anything is rounded here.
	tau := math.Sqrt(max(double.Of(interval.Prec(64).Rat(m.Even)).Lo, 0)) * (1 - 0x1p-40)
	reach := math.Sqrt(2 * math.Ln2 * float64(set.Cut))
	once := float64(m.Limit) * tau
	width := (2*reach + once) / float64(set.Cells)
	g, u := &grid{across: 1, unit: double.Point(width)}, width
	switch {
	case tau < width/50: // as if it did not move
	case tau < width:
		g.unit, g.along = double.Point(tau), 1
		g.across = int(width / tau)
		u = tau * float64(g.across)
	default:
		g.along = int(math.Ceil(tau / width))
		u = tau / float64(g.along)
		g.unit = double.Point(u)
	}
	g.first = -int(math.Ceil(reach / u))
	g.n = int(math.Ceil((reach+once)/u)) - g.first + 1
	last := max((g.first+g.n-1)*g.across, steps*g.along-g.first*g.across)
	const w = interval.Prec(64)
	for i := range last + 1 {
		g.tails = append(g.tails, double.Of(w.NormalSF(w.Mul(g.unit.Exact(), interval.Int(int64(i))))))
	}
	return g
}

// between encloses the chance that a normal variable of variance 1, moved by n steps, is in cell k: before the first
// number for k = 0, after the last one for k = g.n.
func (g *grid) between(k, n int) double.Interval {
	at := func(k int) int { return (g.first+k)*g.across - n*g.along }
	above := func(i int) double.Interval { // 1 − Φ
		if i < 0 {
			return double.Point(1).Sub(g.tails[-i])
		}
		return g.tails[i]
	}
	lo, hi := at(k-1), at(k)
	switch {
	case k == 0:
		return above(-hi)
	case k == g.n:
		return above(lo)
	case lo >= 0:
		return g.tails[lo].Sub(g.tails[hi]).AtLeastZero()
	case hi <= 0:
		return g.tails[-hi].Sub(g.tails[-lo]).AtLeastZero()
	}
	return double.Point(1).Sub(g.tails[-lo]).Sub(g.tails[hi])
}
