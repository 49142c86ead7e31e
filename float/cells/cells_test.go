// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cells

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/float/closed"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/mechanism"
)

func rat(r *rand.Rand, lo, hi float64) *big.Rat {
	return new(big.Rat).SetFloat64(math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)))
}

// randomPair draws a pair of each kind that has cells.
func randomPair(r *rand.Rand) pair.Pair {
	base := []pair.Pair{pair.Gaussian{Mu2: rat(r, 0.01, 4)}, pair.Laplace{Shift: rat(r, 0.05, 4)}}[r.Intn(2)]
	switch r.Intn(5) {
	case 0:
		return pair.Truncated{Noise: mechanism.GaussianNoise, Width: rat(r, 0.5, 3), Sensitivity: rat(r, 0.2, 1), Radius: rat(r, 1, 6)}
	case 1:
		return pair.Truncated{Width: rat(r, 0.5, 3), Sensitivity: rat(r, 0.2, 1), Radius: rat(r, 1, 6)}
	case 2, 3:
		return pair.Sampled{Rate: rat(r, 0.01, 0.9), Base: pair.Product{{Pair: base, Count: 1}}, Reversed: r.Intn(2) == 0}
	}
	return base
}

// TestCellsBoundTheProfile: however few the cells, the profile of the dots is above δ and
// the one of the regrouped masses below, within their own errors, and masses of P add up
// to 1 above and to no more than 1 below.
func TestCellsBoundTheProfile(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		x := randomPair(r)
		s, ok := Of(t.Context(), x)
		f, known := closed.Of(t.Context(), pair.Product{{Pair: x, Count: 1}})
		if !ok || !known {
			t.Fatalf("%+v has no cells", x)
		}
		h := Spacing((s.Hi - s.Lo) / math.Exp(6*r.Float64()))
		c, _ := s.Cells(t.Context(), h)
		total, err, low := c.UpperInf, 0.0, c.Inf.V
		for i, m := range c.Upper {
			total += m
			err += c.UpperErr[i]
			low += c.A[i] - c.AErr[i]
			if m < 0 || c.A[i] < 0 || c.B[i] < 0 {
				t.Fatalf("%+v: a mass is negative", x)
			}
		}
		// Above 1 by what the first dot, an upper bound, is above the line from α = 0.
		if rounding := float64(len(c.Upper)) * value.U; total < 1-err-rounding || total > 1+err+1e-13 || err > 1e-10 || low > 1 {
			t.Errorf("%+v, h = %v: %v above, %v below, error %v", x, h, total, low, err)
		}
		for range 8 {
			e := s.Lo + (s.Hi-s.Lo)*r.Float64()
			want := f(value.Exact(e))
			hi, lo := c.UpperInf, c.Inf.Lo()
			for i := range c.Upper {
				p := float64(c.First+i) * h
				hi += math.Max(0, -math.Expm1(e-p)) * (c.Upper[i] + c.UpperErr[i])
				if p >= e {
					lo += c.A[i] - c.AErr[i] - math.Exp(e)*(c.B[i]+c.BErr[i])
				}
			}
			slack := float64(len(c.Upper)+8) * 4 * value.U
			if hi*(1+slack) < want.Lo() || lo > want.Hi()+slack*(1+math.Exp(e)) {
				t.Errorf("%+v, h = %v at %v: [%v, %v], want %v", x, h, e, lo, hi, want)
			}
		}
	}
}

// TestSpacing: products with integers are exact.
func TestSpacing(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 1000 {
		x := math.Exp(40*r.Float64() - 30)
		h := Spacing(x)
		if h < x || h > x*(1+0x1p-20) {
			t.Fatalf("Spacing(%v) = %v", x, h)
		}
		k := float64(r.Int63n(1 << 32))
		want := new(big.Rat).SetFloat64(h)
		if want.Mul(want, new(big.Rat).SetFloat64(k)); want.Cmp(new(big.Rat).SetFloat64(k*h)) != 0 {
			t.Fatalf("%v·%v is rounded", k, h)
		}
	}
}
