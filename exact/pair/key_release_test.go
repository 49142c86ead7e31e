// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestKeyReleaseAgainstMasses: the probability that a count is shown is the sum of the masses, or the integral of the
// density, from the threshold on.
func TestKeyReleaseAgainstMasses(t *testing.T) {
	const p = interval.Prec(80)
	sum := func(mass func(float64) float64, count, threshold, step float64) float64 {
		shown, all := 0.0, 0.0
		for i := -60 / step; i <= 60/step; i++ {
			x := (i + 0.5) * step
			if step == 1 {
				x = i
			}
			all += mass(x)
			if count+x >= threshold {
				shown += mass(x)
			}
		}
		return shown / all
	}
	for _, noise := range []struct {
		event mechanism.Event
		mass  func(x float64) float64
		count float64
		step  float64
	}{
		{mechanism.Gaussian{NoiseMultiplier: rat("2")}, func(x float64) float64 { return math.Exp(-x * x / 8) }, 1, 1.0 / 1024},
		{mechanism.Laplace{NoiseMultiplier: rat("2")}, func(x float64) float64 { return math.Exp(-math.Abs(x) / 2) }, 1, 1.0 / 1024},
		{mechanism.DiscreteLaplace{NoiseParameter: rat("3/4"), Sensitivity: 2}, func(x float64) float64 { return math.Exp(-math.Abs(x) * 0.75) }, 2, 1},
		{mechanism.DiscreteGaussian{Sigma: rat("3/2"), Sensitivity: rat("5/2")}, func(x float64) float64 { return math.Exp(-x * x / 4.5) }, 2, 1},
	} {
		for _, threshold := range []string{"-7/2", "0", "1", "2", "5/2", "3", "8"} {
			f, _ := rat(threshold).Float64()
			want := sum(noise.mass, noise.count, f, noise.step)
			k := KeyRelease{Noise: noise.event, Threshold: rat(threshold)}
			shown, hidden := k.chances(p)
			for x, want := range map[*interval.Interval]float64{&shown: want, &hidden: 1 - want} {
				lo, _ := x.Lo().Float64()
				hi, _ := x.Hi().Float64()
				if math.Abs(lo-want) > 1e-6 || hi-lo > 1e-20 {
					t.Errorf("%s: [%v, %v], want %v", k, lo, hi, want)
				}
			}
			if one := p.Add(shown, hidden); !interval.Bounds(one.Lo(), one.Hi()).Encloses(interval.Int(1)) {
				t.Errorf("%s: %s shown and %s hidden", k, shown, hidden)
			}
		}
	}
}
