// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

// TestVariances: noise is given by its deviation or its variance, exactly one of them, and keeps that form.
func TestVariances(t *testing.T) {
	for text, want := range map[string]string{
		`{"class_name":"GaussianDpEvent","noise_multiplier":"3/2"}`:                                      "9/4",
		`{"class_name":"GaussianDpEvent","noise_variance":"10/11"}`:                                      "10/11",
		`{"class_name":"DiscreteGaussianDpEvent","sigma":"0.3","sensitivity":"1","dimension":null}`:      "9/100",
		`{"class_name":"DiscreteGaussianDpEvent","variance":"10/11","sensitivity":"1","dimension":null}`: "10/11",
	} {
		e, err := DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got *big.Rat
		switch e := e.(type) {
		case Gaussian:
			got = e.Variance()
			if twice := e.Scaled(big.NewRat(2, 1)); twice.Variance().Cmp(new(big.Rat).Mul(got, big.NewRat(4, 1))) != 0 || (twice.NoiseVariance == nil) != (e.NoiseVariance == nil) {
				t.Errorf("twice %s is %s", text, EncodeEvent(twice))
			}
		case DiscreteGaussian:
			got = e.Sigma2()
		}
		if got.Cmp(testkit.Rat(want)) != 0 || !Equal(mustDecode(t, string(EncodeEvent(e))), e) {
			t.Errorf("%s: the variance %s, want %s; written %s", text, got.RatString(), want, EncodeEvent(e))
		}
	}
	for _, e := range []Event{
		Gaussian{}, DiscreteGaussian{Sensitivity: big.NewRat(1, 1)},
		Gaussian{NoiseMultiplier: big.NewRat(1, 1), NoiseVariance: big.NewRat(1, 1)},
		DiscreteGaussian{Sigma: big.NewRat(1, 1), Variance: big.NewRat(1, 1), Sensitivity: big.NewRat(1, 1)},
	} {
		if Validate(e) == nil {
			t.Errorf("%s is valid", EncodeEvent(e))
		}
	}
}

func mustDecode(t *testing.T, text string) Event {
	t.Helper()
	e, err := DecodeEvent([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}
