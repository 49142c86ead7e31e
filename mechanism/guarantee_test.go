// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
	"testing"
)

// TestIsGuarantee: a guarantee is found among other factors and inside of samples, also of
// a composition.
func TestIsGuarantee(t *testing.T) {
	half := big.NewRat(1, 2)
	noise := Gaussian{big.NewRat(1, 1)}
	point := EpsilonDelta{half, new(big.Rat)}
	for _, c := range []struct {
		event Event
		want  bool
	}{
		{noise, false},
		{point, true},
		{ZCDP{half, new(big.Rat)}, true},
		{RenyiCurve{[]*big.Rat{big.NewRat(2, 1)}, []*big.Rat{half}}, true},
		{DominatingPair{[]ProfilePoint{{half, half}}}, true},
		{ExponentialMechanism{half}, false},
		{NoOp{}, false},
		{Composed{[]Event{noise, point}}, true},
		{SelfComposed{Composed{[]Event{noise, noise}}, 3}, false},
		{PoissonSampled{half, noise}, false},
		{PoissonSampled{half, Composed{[]Event{noise, point}}}, true},
		{SampledWithoutReplacement{10, 3, Composed{[]Event{noise, PoissonSampled{half, point}}}}, true},
		{PoissonSampled{new(big.Rat), point}, false}, // of nothing
		{nil, false},
	} {
		if got := IsGuarantee(c.event); got != c.want {
			t.Errorf("%v: %v, want %v", c.event, got, c.want)
		}
	}
}
