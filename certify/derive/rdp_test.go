// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// TestDerivationEndsWithItsTime: no order is computed once the time is up.
func TestDerivationEndsWithItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	f := whileTime(ctx, func(interval.Prec, renyi.Order) interval.Interval { calls++; return interval.Int(7) })
	alpha := renyi.At(big.NewRat(2, 1))
	if y := f(64, alpha); !y.Contains(big.NewFloat(7)) || !y.IsPoint() {
		t.Errorf("in time: %v", y)
	}
	cancel()
	y, err := conversion.Mironov.Epsilon(64, f, interval.Prec(64).Rat(big.NewRat(1, 1000)), conversion.DefaultOrders()), ctx.Err()
	if calls != 1 || err == nil || !y.Hi().IsInf() || y.Lo().Sign() < 0 {
		t.Errorf("after the end: %v of %d orders", y.Interval, calls)
	}
}
