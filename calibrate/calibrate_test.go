// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/mechanism"
)

func parse(t *testing.T, event string) *Template {
	t.Helper()
	tm, err := Parse("event.yaml", []byte(event), mechanism.Decoder{})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// The steps of randomized response: k releases of ε = 1/10 give ε = k/10 at δ = 0, so ten
// meet (1, 0) and eleven do not.
func TestSearch(t *testing.T) {
	q := Question{
		Template: parse(t, `{class_name: SelfComposedDpEvent, count: "?", event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 0}}`),
		Epsilon:  big.NewRat(1, 1), Delta: new(big.Rat), Digits: DefaultDigits, Budget: time.Minute,
	}
	f, err := Search(t.Context(), q)
	if err != nil || f.Best == nil || f.Next == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	r := NewReport(q, f)
	if r.Field != "count" || r.Best.Value != "10" || r.Best.Verdict != certify.Verified || r.Next.Value != "11" || r.Next.Verdict != certify.Refuted {
		t.Errorf("best %+v, next %+v", r.Best, r.Next)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ended, q); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestSearchChecksItsQuestion(t *testing.T) {
	tm := parse(t, `{class_name: GaussianDpEvent, noise_multiplier: "?"}`)
	one, negative := big.NewRat(1, 1), big.NewRat(-1, 1)
	for _, q := range []Question{
		{Template: tm, Delta: one, Digits: 2},
		{Template: tm, Epsilon: one, Digits: 2},
		{Template: tm, Epsilon: negative, Delta: one, Digits: 2},
		{Template: tm, Epsilon: one, Delta: one},
		{Template: tm, Epsilon: one, Delta: one, Digits: MaxDigits + 1},
	} {
		var fault *mechanism.ParamError
		if _, err := Search(t.Context(), q); !errors.As(err, &fault) {
			t.Errorf("ε = %v, δ = %v, %d digits: %v", q.Epsilon, q.Delta, q.Digits, err)
		}
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{"{", "event.yaml:"},
		{"{class_name: NoOpDpEvent}", `event.yaml: 0 fields are "?", want one`},
		{`{p: ["?", "?"]}`, `event.yaml: 2 fields are "?", want one`},
		{`{sigma: "?"}`, `event.yaml:1: sigma = "?", want one of noise_multiplier, `},
		{`"?"`, `event.yaml:1: event = "?", want one of`},
	} {
		if _, err := Parse("event.yaml", []byte(c.event), mechanism.Decoder{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.event, err, c.want)
		}
	}
}
