// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"
	"testing"

	"dpverify/exact/hits"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestLittleNoise: short lines are found where hits are few and far from misses, and agree with sums over hits; they are
// as narrow as they are asked to be.
func TestLittleNoise(t *testing.T) {
	for _, c := range []struct {
		q, mu2 string
		n      int64
		eps    string
		p      interval.Prec
	}{
		{"1/100", "100", 1000, "1297", 16},
		{"1/100", "204", 1000, "2761", 22},
		{"499/1000000", "315", 417942, "49510", 30},
		{"13/1250", "184", 550461, "536607", 48},
	} {
		prod := pair.Product{{Pair: pair.Sampled{Rate: rat(c.q), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat(c.mu2)}, Count: 1}}}, Count: c.n}}
		x, ok := new(Memo).New(prod)
		if !ok || !x.littleNoise() {
			t.Fatalf("no transform of %s", prod)
		}
		eps := interval.RealRat(rat(c.eps))
		y, err := x.Short(1<<13)(t.Context(), c.p, eps)
		if err != nil || y.RelativeBits(64) < int(c.p)-4 {
			t.Errorf("%s: δ(%s) to %d bits is in %v, %v", prod, c.eps, c.p, y, err)
		}
		s, _ := hits.New(prod)
		a, _ := s.Clear(24, 40, eps(64))
		z, err := s.Delta(t.Context(), 24, a, 64, eps)
		if _, meet := interval.Intersect(y, z); err != nil || !meet {
			t.Errorf("%s: δ(%s) is in %v, and by hits in %v, %v", prod, c.eps, y, z, err)
		}
	}
	if x, _ := new(Memo).New(pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}}, Count: 9}}); x.littleNoise() {
		t.Error("σ = ½ is little noise")
	}
}
