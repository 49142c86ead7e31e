// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package masses

import (
	"context"
	"math"
	"testing"
)

// TestDistributionsAreThoseOfFloat64: cells have the masses that sums and closed forms give.
func TestDistributionsAreThoseOfFloat64(t *testing.T) {
	tables := NewTables(t.Context())
	sigma := 7.0 / 3
	z := 0.0
	for k := -100; k <= 100; k++ {
		z += math.Exp(-float64(k*k) / (2 * sigma * sigma))
	}
	sumBelow := func(m float64, mass func(k float64) float64) float64 {
		total := 0.0
		for k := -100.0; k < m; k++ {
			total += mass(k)
		}
		return total
	}
	for _, x := range []string{"-15/2", "-3/2", "-1/2", "1/2", "3/2", "9/2"} {
		c := Cut{At: rat(x)}
		v, _ := rat(x).Float64()
		for name, d := range map[string]struct {
			got  Distribution
			want float64
		}{
			"normal":          {tables.Normal(rat("1"), rat("7/3")), math.Erfc((1-v)/sigma/math.Sqrt2) / 2},
			"laplace":         {tables.Laplace(rat("1"), rat("2")), map[bool]float64{true: math.Exp((v-1)/2) / 2, false: 1 - math.Exp((1-v)/2)/2}[v < 1]},
			"discrete normal": {tables.DiscreteNormal(1, rat("49/9")), sumBelow(v, func(k float64) float64 { return math.Exp(-(k-1)*(k-1)/(2*sigma*sigma)) / z })},
			"discrete laplace": {tables.DiscreteLaplace(1, rat("1/2")), sumBelow(v, func(k float64) float64 {
				return math.Tanh(0.25) * math.Exp(-math.Abs(k-1)/2)
			})},
		} {
			if got, _ := d.got(c).Lo().Float64(); math.Abs(got-d.want) > 1e-12 {
				t.Errorf("%s: P(X < %s) = %v, want %v", name, x, got, d.want)
			}
		}
	}
}

// TestNormalSumsEndWithTheContext: sums that end early are wide, and contain those that do not.
func TestNormalSumsEndWithTheContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, variance := range []string{"1/9", "1", "49/9", "10000"} {
		short, whole := newNormalSums(ended, rat(variance)), newNormalSums(t.Context(), rat(variance))
		if len(short.tails) != 1 || len(whole.tails) < 4 {
			t.Errorf("%s: %d and %d terms", variance, len(short.tails), len(whole.tails))
		}
		if !short.all.Encloses(whole.all) {
			t.Errorf("%s: %v does not contain %v", variance, short.all, whole.all)
		}
		for k := range int64(len(whole.tails)) {
			if x := whole.from(k); !short.from(k).Encloses(x) {
				t.Errorf("%s from %d: %v does not contain %v", variance, k, short.from(k), x)
			}
		}
	}
}
