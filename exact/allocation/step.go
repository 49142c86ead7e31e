// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A step is the base on the lattice of a statistic: cell i has the number i.
type step struct {
	d       design
	prec    uint
	q, p, r convolve.Vector   // Q-mass, P-mass and E[Y²; cell]/second, rounded down: their totals are at most 1
	second  interval.Interval // a bound of E[Y²; any cell]
	// Of cells: enclosures of the masses, of p(1 − p) and of what rounding takes from the statistic.
	qs, ps, us []double.Interval
	round      double.Interval
	meanQ      double.Interval // bounds of the mean of what rounding takes, under Q,
	meanP      double.Interval // and under P
	// Steps beyond the last cell.
	beyondP, beyondQ interval.Interval
}

// newStep cuts a base at the ends of the cells of a design, losses.
//
// On a cell (y₀, y₁] Y² ≤ (y₀ + y₁)·Y − y₀y₁, so that E[Y²; cell] ≤ (y₀ + y₁)·p − y₀y₁·q. The statistic ψ rises with y,
// as tangent < 5/6; with s = xy, |ψ″| ≤ 5x²/(1 + s)², so that it is at most w²·5x²/(8(1 + s₀)²) above its chord over a
// cell of width w.
func newStep(ctx context.Context, b *base, d design, set Settings) (*step, error) {
	w := interval.Prec(set.Prec) + 32
	d.tangent = min(max(d.tangent, 0), 0.83) // what follows needs it
	reach := b.reach(set.Cut)
	ends := d.ends(double.Of(interval.Prec(53).Log(interval.Prec(53).Rat(reach))).Hi)
	n := len(ends)
	above := make([][2]interval.Interval, n+1)
	above[0] = [2]interval.Interval{interval.Int(1), interval.Int(1)}
	if err := convolve.Parallel(ctx, n, func(i int) {
		end := double.Rat(ends[i])
		above[i+1][0], above[i+1][1] = b.tails(interval.Prec(set.Prec)+tailBits, closed.RatArg(w, end))
	}); err != nil {
		return nil, err
	}
	s := &step{d: d, prec: set.Prec, beyondP: above[n][0], beyondQ: above[n][1]}
	rs := make([]interval.Interval, n)
	vector := func(at func(i int) interval.Interval) convolve.Vector {
		v := convolve.NewVector(n, set.Prec)
		for i := range n {
			if x := interval.FloorScaled(interval.Max(interval.Int(0), at(i)), set.Prec); x.Sign() > 0 {
				v.Set(i, x)
			}
		}
		return v
	}
	y0 := interval.Int(0)
	var lastPsi, lastU double.Interval
	quarter, curve := double.Point(0.25), double.Point(d.x).Sqr().Mul(double.Int(5)).Mul(double.Point(0.125))
	for i, end := range ends {
		p, q := mass(w, above[i][0], above[i+1][0]), mass(w, above[i][1], above[i+1][1])
		y1 := fixed.Exp(w, double.Rat(end))
		dy1 := double.Of(y1)
		rs[i] = interval.Max(interval.Int(0), w.Sub(w.Mul(w.Add(y0, y1), p), w.Mul(w.Mul(y0, y1), q)))
		s.second = w.Add(s.second, rs[i].Upper())
		psi, u := d.statistic(dy1)
		both := double.Union(lastU, u)
		if a, b := double.Point(d.x).Mul(double.Of(y0)), double.Point(d.x).Mul(dy1); a.Lo <= 1 && b.Hi >= 1 {
			both = double.Union(both, quarter) // p = 1/2 is inside
		}
		number := double.Int(int64(i)).Mul(double.Point(d.spacing))
		s.round = double.Union(s.round, double.Union(lastPsi, psi).Sub(number))
		dp, dq, dr, dy := double.Of(p), double.Of(q), double.Of(rs[i]), double.Of(y0)
		width := dy1.Sub(dy)
		slope := psi.Sub(lastPsi).Div(width)
		bend := curve.Mul(width.Sqr()).Div(double.Int(1).Add(double.Point(d.x).Mul(dy)).Sqr())
		start := lastPsi.Sub(number).Add(bend)
		s.meanQ = s.meanQ.Add(start.Mul(dq)).Add(slope.Mul(double.Of(w.Sub(p, w.Mul(y0, q)))))
		s.meanP = s.meanP.Add(start.Mul(dp)).Add(slope.Mul(dr.Sub(dy.Mul(dp))))
		s.qs, s.ps, s.us = append(s.qs, dq), append(s.ps, dp), append(s.us, both)
		y0, lastPsi, lastU = y1, psi, u
	}
	s.q = vector(func(i int) interval.Interval { return mass(w, above[i][1], above[i+1][1]) })
	s.p = vector(func(i int) interval.Interval { return mass(w, above[i][0], above[i+1][0]) })
	s.r = vector(func(i int) interval.Interval { return w.Div(rs[i], s.second) })
	return s, nil
}

// inCells encloses what the masses of so many steps with the record and without add up to, where all are in cells.
func (s *step) inCells(with, without int64) interval.Interval {
	const w = interval.Prec(256)
	in := func(beyond interval.Interval, n int64) interval.Interval {
		return w.PowInt(w.Sub(interval.Int(1), beyond.Lower()), n)
	}
	return w.Mul(in(s.beyondP, with), in(s.beyondQ, without))
}

// tailBits is how many bits below the last place of a mass tails are known to.
const tailBits = 12

// A sum is what a vector of masses became: entry i has the number first + i. Its true entries are at least these.
type sum struct {
	first int64
	v     convolve.Vector
}

// times multiplies, and drops what is next to nothing at either end.
func (a sum) times(ctx context.Context, b sum) (sum, error) {
	v, err := convolve.Window(ctx, a.v, b.v, 0, a.v.Len()+b.v.Len()-1, convolve.Down)
	if err != nil {
		return sum{}, err
	}
	budget := new(big.Int).Lsh(big.NewInt(1), spare)
	lo, hi := 0, v.Len()
	x := new(big.Int)
	for total := new(big.Int); hi-lo > 1 && total.Add(total, v.Load(x, lo)).Cmp(budget) <= 0; lo++ {
	}
	for total := new(big.Int); hi-lo > 1 && total.Add(total, v.Load(x, hi-1)).Cmp(budget) <= 0; hi-- {
	}
	return sum{a.first + b.first + int64(lo), v.Slice(lo, hi)}, nil
}

// spare is log2 of what may be dropped at an end, in units of the last place.
const spare = 40

// one returns a^0.
func (a sum) one() sum {
	out := sum{0, convolve.NewVector(1, a.v.Prec())}
	out.v.Set(0, new(big.Int).Lsh(big.NewInt(1), a.v.Prec()))
	return out
}

// power returns a^n, n ≥ 0.
func (a sum) power(ctx context.Context, n int64) (sum, error) {
	out := a.one()
	for square := a; n > 0; {
		var err error
		if n&1 == 1 {
			if out, err = out.times(ctx, square); err != nil {
				return out, err
			}
		}
		if n >>= 1; n > 0 {
			if square, err = square.times(ctx, square); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// missing bounds what a sum lacks to a total.
func (a sum) missing(total interval.Interval) double.Interval {
	const w = interval.Prec(256)
	have := w.Scale(w.BigInt(a.v.Sum()), -int(a.v.Prec()))
	return double.Of(interval.Max(interval.Int(0), w.Sub(total, have))).Upper()
}
