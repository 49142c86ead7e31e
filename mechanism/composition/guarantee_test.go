// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"math/big"
	"testing"

	"dpverify/mechanism"
)

// TestIsGuarantee: a guarantee is found among other factors and inside of samples, also of
// a composition.
func TestIsGuarantee(t *testing.T) {
	half := big.NewRat(1, 2)
	noise := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	point := mechanism.EpsilonDelta{Epsilon: half, Delta: new(big.Rat)}
	for _, c := range []struct {
		event mechanism.Event
		want  bool
	}{
		{noise, false},
		{point, true},
		{mechanism.ZCDP{Rho: half, Xi: new(big.Rat)}, true},
		{mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: half, Beta: half}}}, true},
		{mechanism.RenyiCurve{Orders: []*big.Rat{big.NewRat(2, 1)}, Values: []*big.Rat{half}}, true},
		{mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: half, Delta: half}}}, true},
		{mechanism.ExponentialMechanism{Epsilon: half}, false},
		{mechanism.NoOp{}, false},
		{mechanism.Composed{Events: []mechanism.Event{noise, point}}, true},
		{mechanism.SelfComposed{Event: mechanism.Composed{Events: []mechanism.Event{noise, noise}}, Count: 3}, false},
		{mechanism.PoissonSampled{SamplingProbability: half, Event: noise}, false},
		{mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.Composed{Events: []mechanism.Event{noise, point}}}, true},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 3, Event: mechanism.Composed{Events: []mechanism.Event{noise, mechanism.PoissonSampled{SamplingProbability: half, Event: point}}}}, true},
		{mechanism.PoissonSampled{SamplingProbability: new(big.Rat), Event: point}, false}, // of nothing
		{nil, false},
	} {
		if got := IsGuarantee(c.event); got != c.want {
			t.Errorf("%v: %v, want %v", c.event, got, c.want)
		}
	}
}
