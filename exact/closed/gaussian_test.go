// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestMillsRatioMeetsProduct: where e^ε just fits, the profile by Mills' ratio is that by the product.
func TestMillsRatioMeetsProduct(t *testing.T) {
	for _, c := range []struct{ mu2, eps string }{
		{"1", "268435456"}, {"536870912", "268435456"}, {"536900000", "268500000"}, {"1/1000", "300000000"}, {"700000000", "300000000.5"}, {"100000000000", "300000000"},
	} {
		mu2, _ := new(big.Rat).SetString(c.mu2)
		eps, _ := new(big.Rat).SetString(c.eps)
		for _, p := range []interval.Prec{3, 64, 300} {
			x := GaussianDelta(mu2)(p, interval.RealRat(eps))
			y := gaussianTails(mu2).Delta(p, interval.RealRat(eps))
			if _, ok := interval.Intersect(x, y); !ok || x.RelativeBits(400) < min(int(p), y.RelativeBits(400)) {
				t.Errorf("μ² = %s, ε = %s, %d bits: %s, want %s", c.mu2, c.eps, p, x, y)
			}
		}
	}
}
