// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"slices"
	"testing"
)

func TestRoundedEvents(t *testing.T) {
	d := Decoder{Binary64: true}
	pair := `{"class_name": "FinitePairEvent", "p": %s, "q": %s}`
	mixture := `{"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1, "sensitivities": [0, 1, 2], "sampling_probs": %s}`
	for _, test := range []struct {
		src    string
		listed []string
	}{
		{fmt.Sprintf(pair, "[0.7, 0.2, 0.1]", "[0.1, 0.2, 0.7]"), []string{"event.p", "event.q"}},
		{fmt.Sprintf(pair, "[0.5, 0.5, 0]", "[0.1, 0.2, 0.7]"), []string{"event.q"}},
		{fmt.Sprintf(mixture, "[0.7, 0.2, 0.1]"), []string{"event.sampling_probs"}},
		{fmt.Sprintf(mixture, "[0.9, 0.08, 0.02]"), []string{"event.sampling_probs"}},
		{fmt.Sprintf(mixture, "[0.5, 0.25, 0.25]"), nil},
	} {
		r, err := d.RoundedEvent(parse(t, test.src), "event")
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if !slices.Equal(r.Rounded, test.listed) || Equal(r.MorePrivate, r.LessPrivate) != (test.listed == nil) {
			t.Errorf("%s: %+v, want %v rounded", test.src, r, test.listed)
		}
	}
	for _, test := range []struct{ src, want string }{
		{fmt.Sprintf(pair, "[0.75, 0.25, 0.0625]", "[1, 0, 0]"), `FinitePairEvent: sum(p) = 1.0625, want 1 up to half a unit in the last place of each number in binary64`},
		{fmt.Sprintf(mixture, "[0.7, 0.2, 0.09]"), ""},
		{fmt.Sprintf(pair, "[0, 0, 0]", "[1, 0, 0]"), `FinitePairEvent: sum(p) = 0, want 1 up to half a unit in the last place of each number in binary64`},
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1, "hi": 2}}`, `GaussianDpEvent: noise_multiplier = {lo: 1, hi: 2}, want a single number > 0`},
	} {
		_, err := d.RoundedEvent(parse(t, test.src), "event")
		if err == nil {
			t.Errorf("%s: no error", test.src)
		} else if test.want != "" {
			checkErrorText(t, err, test.want)
		}
	}
	// Without binary64 the sum is exactly 1.
	_, err := Decoder{}.RoundedEvent(parse(t, fmt.Sprintf(pair, "[0.7, 0.2, 0.09999999999999999999]", "[1, 0, 0]")), "event")
	checkErrorText(t, err, "FinitePairEvent: sum(p) = 0.99999999999999999999, want exactly 1")
}
