// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

func isRelationError(err error) bool { return errors.As(err, new(*RelationError)) }

// TestKeyReleaseAgainstMasses: the probability that a count is shown is the sum of the masses, or the integral of the density,
// from the threshold on.
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

// TestKeysOfARecord: of few keys each number of shared ones is an alternative, attained; of many each key is a choice.
func TestKeysOfARecord(t *testing.T) {
	e := mechanism.ThresholdedNoise{Event: mechanism.Laplace{NoiseMultiplier: rat("1")}, Threshold: rat("5"), Keys: 3}
	p, err := Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Profile(mechanism.Remove)
	if err != nil || len(b.Upper) != 4 || !b.Attained {
		t.Errorf("3 keys: %d alternatives, attained %v, %v", len(b.Upper), b.Attained, err)
	}
	e.Keys = maxKeyCases + 1
	if p, err = Resolve(e, mechanism.ReplaceSpecial); err != nil {
		t.Fatal(err)
	}
	if b, err = p.Profile(mechanism.Remove); err != nil || len(b.Upper) != 1 || b.Attained || len(b.Lower) < 2 {
		t.Errorf("many keys: %d above, %d below, attained %v, %v", len(b.Upper), len(b.Lower), b.Attained, err)
	}
	if _, err := Resolve(e, mechanism.ReplaceOne); !isRelationError(err) {
		t.Errorf("replaced: %v", err)
	}
	big := mechanism.ThresholdedNoise{Event: mechanism.DiscreteGaussian{Sigma: new(big.Rat).SetInt64(1 << 20), Sensitivity: rat("1")}, Threshold: rat("5"), Keys: 3}
	if _, err := Resolve(big, mechanism.AddOrRemoveOne); err == nil {
		t.Error("a tail of a million terms is summed")
	}
}
