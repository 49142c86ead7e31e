// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"testing"

	"dpverify/mechanism"
)

func TestSentence(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{`{"class_name":"SelfComposedDpEvent","count":14062,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"256/60000","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1.1"}}}`,
			"The mechanism is a sequence of 14,062 steps, each an answer with Gaussian noise, of standard deviation 1.1 times the bound C on what one record contributes; it is computed on a random sample, to which each record belongs with probability 8/1875 (about 0.00427), independently of the others."},
		{`{"class_name":"ComposedDpEvent","events":[{"class_name":"NoOpDpEvent"},{"class_name":"ZCDpEvent","rho":"0.00001"}]}`,
			"The mechanism is a sequence of 2 parts: (1) a step that reads no data; (2) known by its guarantee only: it is zero-concentrated differentially private with ρ = 1e-5."},
		{`{"class_name":"ComposedDpEvent","events":[]}`, "The mechanism is a sequence of no steps."},
		{`{"class_name":"SelfComposedDpEvent","count":1,"event":{"class_name":"DiscreteGaussianDpEvent","sigma":2,"sensitivity":1,"dimension":null}}`,
			"The mechanism is a sequence of 1 step, each an answer of integers (of unknown length) with discrete Gaussian noise of parameter σ = 2 on each; one record moves it by at most 1 in the Euclidean norm."},
	} {
		e, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			t.Fatal(err)
		}
		if got := Sentence(e, e); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.event, got, c.want)
		}
	}
}

// Rounded parameters are told at both ends.
func TestSentenceOfRange(t *testing.T) {
	lo, err1 := mechanism.DecodeEvent([]byte(`{"class_name":"ZCDpEvent","rho":"2.555"}`))
	hi, err2 := mechanism.DecodeEvent([]byte(`{"class_name":"ZCDpEvent","rho":"2.565"}`))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	const want = "The mechanism is known by its guarantee only: it is zero-concentrated differentially private with ρ = 2.565. Its parameters are ranges, and these are their least private ends. At the other ends it is known by its guarantee only: it is zero-concentrated differentially private with ρ = 2.555."
	if got := Sentence(lo, hi); got != want {
		t.Errorf("%s", got)
	}
}
