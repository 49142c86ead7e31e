// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// wide is the precision of constants.
const wide = interval.Prec(96)

// A Table is a pair on a grid: its P-masses at losses (first + i)·Δ, and of infinite loss.
type Table struct {
	first    int
	mass     []float64
	infinite float64
}

// values encloses a profile at the points of a grid and half way between, from 2lo to 2hi, in units of Δ/2.
type values struct {
	w      interval.Prec
	delta  *big.Rat
	lo, hi int // of the grid
	h      []interval.Interval
}

// newValues encloses the values of a profile, lo ≤ −2 and hi ≥ 2.
func newValues(ctx context.Context, f profile.Func, delta *big.Rat, lo, hi int, w interval.Prec) (*values, error) {
	v := &values{w: w, delta: delta, lo: lo, hi: hi, h: make([]interval.Interval, 2*(hi-lo)+1)}
	errs := make([]error, len(v.h))
	err := convolve.Parallel(ctx, len(v.h), func(i int) {
		x := new(big.Rat).Mul(delta, big.NewRat(int64(2*lo+i), 2))
		v.h[i], errs[i] = f(ctx, w, interval.RealRat(x))
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return v, err
}

// at is the value at point k of the grid.
func (v *values) at(k int) interval.Interval { return v.h[2*(k-v.lo)] }

// above is the pair whose profile has the chords of f between the points of the grid, from the point (0, 1), and is
// constant from the last point on. It is not below f, which is convex and falls, and is 1 at 0.
//
// With ρ = e^Δ and falls d_k = f(α_{k−1}) − f(α_k), the mass at k is the change of the slope times α_k, (ρ·d_k −
// d_{k+1})/(ρ − 1) ≥ 0; the slope before the first point is (f − 1)/α. Masses are rounded up.
func (v *values) above() Table {
	w := v.w
	n := v.hi - v.lo + 1
	t := Table{first: v.lo, mass: make([]float64, n), infinite: double.Of(v.at(v.hi)).Hi}
	for i, m := range v.chords() {
		t.mass[i] = max(0, double.Of(w.Round(m)).Hi)
	}
	return t
}

// chords are the masses of the chords.
func (v *values) chords() []interval.Interval {
	w := v.w
	rho := w.Exp(w.Rat(v.delta))
	less := w.Expm1(w.Rat(v.delta))
	n := v.hi - v.lo + 1
	out := make([]interval.Interval, n)
	d := interval.Int(0) // the fall to k
	for i := n - 1; i >= 0; i-- {
		next := d // the fall to k + 1
		if i == 0 {
			out[i] = w.Sub(w.Sub(interval.Int(1), v.at(v.lo)), w.Div(next, less))
			break
		}
		d = w.Sub(v.at(v.lo+i-1), v.at(v.lo+i))
		out[i] = w.Div(w.Sub(w.Mul(rho, d), next), less)
	}
	return out
}
