// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestRememberedIsTheSame: values at rational ε are computed once, at the precision of the memory; others as often as
// they are asked for.
func TestRememberedIsTheSame(t *testing.T) {
	asked := 0
	f := Remembered(func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		asked++
		return Trivial(ctx, p, eps)
	}, 100)
	log2 := func(w interval.Prec) interval.Interval { return w.Ln2().Neg() }
	for _, c := range []struct {
		eps   interval.Real
		asked int
	}{
		{interval.RealRat(big.NewRat(-1, 2)), 1}, {interval.RealRat(big.NewRat(-1, 2)), 1}, {interval.RealRat(big.NewRat(1, 2)), 2},
		{interval.RealRat(big.NewRat(-1, 2)), 2}, {log2, 3}, {log2, 4},
	} {
		y, err := f(context.Background(), 64, c.eps)
		want, _ := Trivial(context.Background(), 200, c.eps)
		if _, ok := interval.Intersect(y, want); err != nil || !ok || asked != c.asked || !want.IsZero() && y.RelativeBits(64) < 50 {
			t.Errorf("%v after %d values, want about %v after %d (%v)", y, asked, want, c.asked, err)
		}
	}
}
