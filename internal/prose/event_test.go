// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"testing"

	"dpverify/mechanism"
)

func TestEvent(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{`{"class_name":"NoOpDpEvent"}`, "NoOp"},
		{`{"class_name":"ZCDpEvent","rho":0.5}`, "ZCDp(rho = 0.5, xi = 0)"},
		{`{"class_name":"SelfComposedDpEvent","count":1000,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/3","event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}}`,
			"1000 × PoissonSampled(sampling_probability = 1/3, Gaussian(noise_multiplier = 1))"},
		{`{"class_name":"ComposedDpEvent","events":[{"class_name":"NoOpDpEvent"},{"class_name":"LaplaceDpEvent","noise_multiplier":2}]}`,
			"Composed(NoOp, Laplace(noise_multiplier = 2))"},
		{`{"class_name":"ComposedDpEvent","events":[]}`, "Composed()"},
		{`{"module_name":"dpverify","class_name":"MatrixMechanismEvent","strategy":{"toeplitz":["1","0.5"],"steps":3},"min_separation":1,"max_participations":2,"noise_multiplier":4}`,
			"MatrixMechanism(strategy = {steps = 3, toeplitz = [1, 0.5]}, min_separation = 1, max_participations = 2, noise_multiplier = 4)"},
		{`{"class_name":"FinitePairEvent","p":["1/6","1/6","1/6","1/6","1/6","1/6"],"q":["0.5","0.5","0","0","0","0"]}`,
			"FinitePair(p = [1/6, 1/6, 1/6, 1/6, …], q = [0.5, 0.5, 0, 0, …])"},
	} {
		e, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			t.Fatal(err)
		}
		if got := Event(e); got != c.want {
			t.Errorf("%s\n%s, want\n%s", c.event, got, c.want)
		}
	}
}
