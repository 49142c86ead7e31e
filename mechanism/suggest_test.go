// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"strings"
	"testing"
)

// TestUnknownFieldsAreExplained: whoever knows a field by another name is told ours, and nobody is
// told a field that the class does not have.
func TestUnknownFieldsAreExplained(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{`{"class_name":"GaussianDpEvent","sigma":1}`, `unknown field "sigma", want noise_multiplier, noise_variance; perhaps noise_multiplier, which is the scale of the noise divided by the sensitivity`},
		{`{"class_name":"GaussianDpEvent","noise_multipler":1}`, "perhaps noise_multiplier"},
		{`{"class_name":"DiscreteGaussianDpEvent","noise_multiplier":1}`, "perhaps sigma, in the units of the sensitivity"},
		{`{"class_name":"PoissonSampledDpEvent","q":0.1}`, "want sampling_probability, event; perhaps sampling_probability"},
		{`{"class_name":"SelfComposedDpEvent","steps":10}`, "perhaps count"},
		{`{"class_name":"ComposedDpEvent","event":[]}`, "perhaps events, a list"},
		{`{"class_name":"EpsilonDeltaDpEvent","eps":1}`, "perhaps epsilon"},
		{`{"class_name":"LaplaceDpEvent","colour":1}`, ""},
		{`{"class_name":"NoOpDpEvent","sigma":1}`, ""},
	} {
		_, err := DecodeEvent([]byte(c.event))
		if err == nil {
			t.Errorf("%s is taken", c.event)
			continue
		}
		if !strings.HasSuffix(err.Error(), c.want) || c.want == "" && strings.Contains(err.Error(), "perhaps") {
			t.Errorf("%s: %v, want … %s", c.event, err, c.want)
		}
	}
}
