// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package accountants

import (
	"math"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestKnownAnswers: δ(1) and ε of mechanisms whose values are known, by each accountant, as near as it comes.
func TestKnownAnswers(t *testing.T) {
	gauss := mechanism.Gaussian{NoiseMultiplier: testkit.Rat("1")}
	point := mechanism.EpsilonDelta{Epsilon: testkit.Rat("0.1"), Delta: testkit.Rat("1e-8")}
	for _, c := range []struct {
		name        string
		of          Number
		want, error float64
	}{
		{"AFA, δ(1)", ByLevy(gauss).Delta(1), 0.126936737506644, 1e-12},
		{"AFA, ε", ByLevy(gauss).Epsilon(1e-5), 4.37717809568, 1e-7},
		{"Koskela, δ(1)", Koskela(1, gauss, 1<<14, 1), 0.126936737506644, 1e-3},
		{"PRV, ε", PRV(50, point, 1e-6), 3.264126, 2.5e-3},
		{"Google, ε", Google(50, point, 1e-6), 3.264126, 1e-5},
	} {
		y, err := c.of(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := y.Hi().Float64(); math.Abs(got-c.want) > c.error {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	step := mechanism.SelfComposed{Count: 1500, Event: mechanism.PoissonSampled{SamplingProbability: testkit.Rat("0.01"), Event: mechanism.Gaussian{NoiseMultiplier: testkit.Rat("2")}}}
	wide, err := Gap(step, 9.5, 512, 0.5)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if narrow, err := Gap(step, 9.5, 1024, 0.5)(t.Context()); err != nil || narrow.Hi().Cmp(wide.Lo()) >= 0 || narrow.Lo().Sign() <= 0 {
		t.Errorf("δ_max − δ_min is %v, and with twice the cells %v; %v", wide, narrow, err)
	}
	for _, bad := range []Number{Google(1, gauss, 1e-5), PRV(1, mechanism.Laplace{NoiseMultiplier: testkit.Rat("1")}, 1e-5), ByLevy(mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: testkit.Rat("1"), Sensitivity: testkit.Rat("1"), Radius: testkit.Rat("3")}).Delta(1)} {
		if y, err := bad(t.Context()); err == nil {
			t.Errorf("%v for what is not known", y)
		}
	}
}
