// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
)

// Settings affect width and cost, not soundness.
type Settings struct {
	Points int  // about how many points a lattice has
	Prec   uint // fraction bits of masses
	Cut    int  // tails of about 2^−Cut may be cut off
}

// A run is a vector of masses: entry i has the index first + i.
type run struct {
	first int64
	v     convolve.Vector
}

func (r run) times(ctx context.Context, s run, round convolve.Rounding) (run, error) {
	v, err := convolve.Window(ctx, r.v, s.v, 0, r.v.Len()+s.v.Len()-1, round)
	return run{r.first + s.first, v}, err
}

func (r run) slice(lo, hi int) run { return run{r.first + int64(lo), r.v.Slice(lo, hi)} }

// coarsen doubles the spacing. An odd entry goes to its two even neighbours in equal parts, which
// keeps the mean of the law and is larger in convex order; of groups it is a post-processing.
func (r run) coarsen(round convolve.Rounding) run {
	first, last := r.first>>1, (r.first+int64(r.v.Len()))>>1
	out := run{first, convolve.NewVector(int(last-first)+1, r.v.Prec())}
	x := new(big.Int)
	one := big.NewInt(1)
	for k := range r.v.Len() {
		if r.v.IsZero(k) {
			continue
		}
		i := r.first + int64(k)
		r.v.Load(x, k)
		if i&1 == 0 {
			out.v.Add(int(i/2-first), x)
			continue
		}
		if round == convolve.Up {
			x.Add(x, one)
		}
		x.Rsh(x, 1)
		out.v.Add(int((i-1)/2-first), x)
		out.v.Add(int((i+1)/2-first), x)
	}
	return out
}
