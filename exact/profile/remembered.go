// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// Remembered is a profile whose values at rational ε are computed once, at p bits: for who asks for the same ones
// again. It is not for several goroutines.
func Remembered(f Func, p interval.Prec) Func {
	known := make(map[string]interval.Interval)
	return func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		lo, hi, finite := eps(p).Rationals()
		if !finite || lo.Cmp(hi) != 0 {
			return f(ctx, w, eps)
		}
		key := lo.RatString()
		y, ok := known[key]
		if !ok {
			var err error
			if y, err = f(ctx, p, interval.RealRat(new(big.Rat).Set(lo))); err != nil {
				return y, err
			}
			known[key] = y
		}
		return w.Round(y), nil
	}
}
