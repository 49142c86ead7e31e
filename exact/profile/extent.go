// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// Extent returns an ε > 0 at which a profile is at most least, or far out.
func Extent(ctx context.Context, f Func, p interval.Prec, least *big.Rat) (*big.Rat, error) {
	last := interval.Int(2)
	for eps := big.NewRat(1, 64); ; eps = new(big.Rat).Add(eps, eps) {
		d, err := f(ctx, p, interval.RealRat(eps))
		if err != nil {
			return nil, err
		}
		x := d.Upper()
		if x.LessEqRat(least) == interval.True || eps.Cmp(big.NewRat(600, 1)) > 0 || eps.Cmp(big.NewRat(64, 1)) > 0 &&
			last.LessEq(x) == interval.True {
			return eps, nil
		}
		last = x
	}
}
