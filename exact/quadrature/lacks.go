// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"

	"dpverify/exact/interval"
)

// Lacks are the bits that values at j = 0 … n may lack, which do not become fewer with j. None may lack any if it is
// nil.
type Lacks []int

// parts is the number of parts of a line between whose ends bounds of errors are interpolated.
const parts = 8

// Errors returns upper bounds of e(j/n), j = 0 … n, where log e is convex and bound(x) is at least e(x). It is nil
// where nothing may lack, and where a bound is none.
//
// Between two points a convex function is at most its chord, which rises with the values at both.
func (l Lacks) Errors(bound func(x *big.Rat) interval.Interval) []interval.Interval {
	if len(l) < 2 {
		return nil
	}
	var logs [parts + 1]interval.Interval
	for i := range logs {
		e := upper(bound(big.NewRat(int64(i), parts)))
		if !e.IsFinite() || e.Positive() != interval.True {
			return nil
		}
		logs[i] = coarse.Log(e)
	}
	out, n := make([]interval.Interval, len(l)), len(l)-1
	for j := range out {
		i, next := j*parts/n, coarse.Rat(big.NewRat(int64(j*parts%n), int64(n)))
		y := logs[i]
		if i < parts {
			y = coarse.Add(coarse.Mul(coarse.Sub(interval.Int(1), next), y), coarse.Mul(next, logs[i+1]))
		}
		out[j] = upper(coarse.Exp(y))
	}
	return out
}
