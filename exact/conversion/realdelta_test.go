// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// TestRealDelta: of a Gaussian, Mironov's δ over all orders is exp(−(ε − ρ)²/4ρ); no list of orders has less, and the
// ε over all orders at that δ is ε again; of a loss that is bounded by less than ε it is 0, and of ε = 0 next to 1.
func TestRealDelta(t *testing.T) {
	const w = interval.Prec(64)
	gauss := renyi.Of(pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}})
	for _, eps := range []*big.Rat{big.NewRat(1, 1), big.NewRat(7, 2), big.NewRat(12, 1)} {
		got := Mironov.RealDelta(w, gauss, w.Rat(eps))
		half := interval.Prec(128).Rat(big.NewRat(1, 2))
		want := renyi.ZCDPDelta(w, half, zero, w.Rat(eps))
		if _, ok := interval.Intersect(got.Interval, want); !ok || got.RelativeBits(64) < 30 {
			t.Errorf("δ(%s) = %s, want %s", eps.RatString(), got.Interval, want)
		}
		for _, c := range []Conversion{Mironov, CKS} {
			real := c.RealDelta(w, gauss, w.Rat(eps))
			if listed := c.Delta(w, gauss, w.Rat(eps), DefaultOrders()); listed.Hi().Cmp(real.Lo()) < 0 {
				t.Errorf("%s at %s: %s over a list, %s over all orders", c.Name, eps.RatString(), listed.Interval, real.Interval)
			}
			if real.RelativeBits(64) < 30 {
				t.Errorf("%s at %s: %s", c.Name, eps.RatString(), real.Interval)
			}
			if back := c.RealEpsilon(w, gauss, real.Upper()); back.Lo().Cmp(w.Rat(eps).Hi()) > 0 {
				t.Errorf("%s: δ(%s) = %s, where ε = %s", c.Name, eps.RatString(), real.Interval, back.Interval)
			}
		}
	}
	laplace := renyi.Of(pair.Product{{Pair: pair.Laplace{Shift: big.NewRat(1, 1)}, Count: 2}})
	if y := CKS.RealDelta(w, laplace, w.Rat(big.NewRat(21, 10))); !y.IsZero() {
		t.Errorf("beyond all losses, δ = %s", y.Interval)
	}
	if y := CKS.RealDelta(w, laplace, w.Rat(big.NewRat(1, 1))); y.RelativeBits(64) < 30 || y.Hi().Cmp(CKS.Delta(w, laplace, w.Rat(big.NewRat(1, 1)), DefaultOrders()).Hi()) > 0 {
		t.Errorf("two Laplace: δ = %s", y.Interval)
	}
	if y := Mironov.RealDelta(w, gauss, zero); y.LessEq(one) != interval.True || y.Hi().Cmp(one.Lo()) < 0 {
		t.Errorf("δ(0) = %s, which is no less than 1", y.Interval)
	}
}
