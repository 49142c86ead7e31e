// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestEnginesOfDiscreteGaussians: what shares no code about discrete Gaussian noise agrees on compositions of it:
// inversion over one period of the transform, exact convolution of masses on the lattice of losses, all outcomes, grids
// of losses, moments from above, and the float64 engine's grid. The definition, by outcomes
// that are written down in a test, is in props: TestDiscreteGaussiansBySummation.
func TestEnginesOfDiscreteGaussians(t *testing.T) {
	testkit.SkipShort(t)
	noise := func(variance string, shift, count int64) mechanism.Event {
		return mechanism.SelfComposed{Count: count, Event: mechanism.DiscreteGaussian{
			Variance: testkit.Rat(variance), Sensitivity: big.NewRat(shift, 1), Dimension: 1,
		}}
	}
	for _, c := range []struct {
		event mechanism.Event
		pairs []string
	}{
		{noise("1", 1, 3), []string{"enumeration / lattice-inversion", "lattice / lattice-inversion",
			"lattice-inversion / pld", "lattice-inversion / renyi"}},
		{mechanism.Composed{Events: []mechanism.Event{noise("10/11", 1, 4), noise("9/100", 2, 1)}},
			[]string{"lattice / lattice-inversion", "lattice-inversion / pld", "lattice-inversion / renyi"}},
		{mechanism.Composed{Events: []mechanism.Event{noise("1", 1, 2),
			mechanism.DiscreteLaplace{NoiseParameter: testkit.Rat("1/2"), Sensitivity: 2}}},
			[]string{"lattice / lattice-inversion", "lattice-inversion / pld"}},
	} {
		q := exact.Question{Event: c.event}
		at := []*big.Rat{testkit.Rat("-1"), testkit.Rat("1/3"), testkit.Rat("4")}
		pairs, err := Methods(t.Context(), q, at, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.pairs {
			if pairs[p] != len(at) {
				t.Errorf("%s are compared %d times, want %d", p, pairs[p], len(at))
			}
		}
		r, err := exact.Delta(t.Context(), q, at[1], 0)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := CompareMethods(t.Context(), Comparison{Question: q, Eps: at[1], Exact: r})
		if err != nil {
			t.Error(err)
		}
		for _, name := range []string{"pld"} {
			if v, ok := verdicts[name]; !ok || v == Refuted {
				t.Errorf("the float64 engine's %s is %v", name, v)
			}
		}
	}
}
