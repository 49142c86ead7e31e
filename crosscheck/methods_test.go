// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"errors"
	"math/big"
	"os"
	"testing"

	"dpverify/exact"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestFastMethods: every method of the fast path agrees with the exact engine, also where
// another is better. The grid is what compositions of mechanisms without a transform in closed form take; a sampled
// Gaussian has both.
func TestFastMethods(t *testing.T) {
	testkit.SkipShort(t)
	const (
		gaussian  = `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.2,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}`
		laplace   = `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.02,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":2}}`
		truncated = `{"class_name":"TruncatedGaussianEvent","sigma":10,"sensitivity":1,"radius":60}`
	)
	last := exact.Effort(0)
	if os.Getenv("DPVERIFY_LONG") != "" {
		last = 2
	}
	for _, c := range []struct {
		count  int64
		event  string
		eps    *big.Rat
		effort exact.Effort
		want   Verdict
	}{
		{50, gaussian, big.NewRat(2, 1), 1, Proved},
		{300, laplace, big.NewRat(1, 4), last, Inconclusive},
		{60, truncated, big.NewRat(1, 1), last, Inconclusive},
	}[:testkit.Cases(1, 3)] {
		e, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			t.Fatal(err)
		}
		q := exact.Question{Event: mechanism.SelfComposed{Event: e, Count: c.count}, Direction: mechanism.Remove}
		r, err := exact.Delta(context.Background(), q, c.eps, c.effort)
		if err != nil {
			t.Fatal(err)
		}
		vs, err := CompareMethods(t.Context(), Comparison{Question: q, Eps: c.eps, Exact: r})
		if err != nil {
			t.Error(err)
		}
		if v, ok := vs["pld"]; !ok || v < c.want {
			t.Errorf("%s: pld is %v, want %v", c.event, v, c.want)
		}
	}
}

// TestFastMethodRefuted: an enclosure that is not the mechanism's is a violation.
func TestFastMethodRefuted(t *testing.T) {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 1)}}
	r, err := exact.Delta(context.Background(), q, big.NewRat(1, 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = CompareMethods(t.Context(), Comparison{Question: q, Eps: big.NewRat(1001, 1000), Exact: r})
	var v *ProfileViolation
	if !errors.As(err, &v) {
		t.Errorf("error %v", err)
	}
}
