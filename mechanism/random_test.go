// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"dpverify/internal/document"
	"dpverify/internal/testkit"
	"dpverify/internal/testkit/events"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

func node(t testing.TB, text []byte) *document.Node {
	t.Helper()
	n, err := document.ParseJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

func TestDecodeEncodeRoundTrip(t *testing.T) {
	params := gopter.DefaultTestParametersWithSeed(3)
	params.MinSuccessfulTests = testkit.Cases(500, 2000)
	properties := gopter.NewProperties(params)
	properties.Property("decoding an encoded event gives an equal event", prop.ForAll(func(c events.Case) string {
		e := c.Event
		text := mechanism.EncodeEvent(e)
		back, err := mechanism.Decoder{Open: mechanism.TestFiles}.Event(node(t, text), "event")
		switch {
		case err != nil:
			return fmt.Sprintf("%s: %v", text, err)
		case !cmp.Equal(e, back, mechanism.CompareRats):
			return fmt.Sprintf("%s: %s", text, cmp.Diff(e, back, mechanism.CompareRats))
		case !mechanism.Equal(e, back):
			return fmt.Sprintf("%s: not Equal", text)
		case string(mechanism.EncodeEvent(back)) != string(text):
			return fmt.Sprintf("%s encodes as %s next", text, mechanism.EncodeEvent(back))
		}
		if err := mechanism.Validate(e); err != nil {
			return fmt.Sprintf("%s: %v", text, err)
		}
		return ""
	}, events.Gen()))
	properties.TestingRun(t)
}

// Inside another value, too, an event is written in its tree form.
func TestMarshalJSONOfEveryClass(t *testing.T) {
	seen := map[string]bool{}
	rng := events.Rand(5)
	for len(seen) < len(mechanism.ClassNames()) {
		e := events.Random(rng, 1)
		seen[e.ClassName()] = true
		got, err := json.Marshal(map[string]any{"event": e})
		if want := fmt.Sprintf(`{"event":%s}`, mechanism.EncodeEvent(e)); err != nil || string(got) != want {
			t.Fatalf("got %s, %v\nwant %s", got, err, want)
		}
	}
}

// FuzzDecodeEvent: what decodes encodes, and decodes again to an equal event;
// errors are typed and short; corners are ordered events of the same shape;
// nothing panics.
func FuzzDecodeEvent(f *testing.F) {
	rng := events.Rand(10)
	for range 60 {
		f.Add(mechanism.EncodeEvent(events.Random(rng, 2)))
	}
	for _, seed := range []string{
		`{"class_name":"GaussianDpEvent","noise_multiplier":{"lo":"1","hi":2}}`,
		`{"class_name":"DiscreteGaussianDpEvent","sigma":1e-5,"sensitivity":"1.0","dimension":1}`,
		`{"class_name":"SelfComposedDpEvent","count":1e12,"event":{"class_name":"SelfComposedDpEvent","count":1e12,"event":{"class_name":"ZCDpEvent","rho":1}}}`,
		`{"class_name":"RepeatAndSelectDpEvent"}`, `{"class_name":"Gaussian"}`, `{}`, `[]`, `{"class_name":"NoOpDpEvent","module_name":null}`,
		`{"class_name":"RenyiCurveEvent","orders":["1e100000"],"values":["1e-100000/3"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := document.ParseJSON(data)
		if err != nil {
			return
		}
		for _, d := range []mechanism.Decoder{{Open: mechanism.TestFiles}, {Open: mechanism.TestFiles, Binary64: true}} {
			e, err := d.Event(n, "event")
			checkTyped(t, err)
			both, rangeErr := d.EventRange(n, "event")
			private, exposed := both.MorePrivate, both.LessPrivate
			checkTyped(t, rangeErr)
			if err == nil {
				if rangeErr != nil || !mechanism.Equal(private, e) || !mechanism.Equal(exposed, e) {
					t.Fatalf("%s: the range is %s, %s, %v", mechanism.EncodeEvent(e), mechanism.EncodeEvent(private), mechanism.EncodeEvent(exposed), rangeErr)
				}
			}
			if rangeErr == nil {
				checkEvent(t, private)
				checkEvent(t, exposed)
			}
		}
	})
}

func checkTyped(t *testing.T, err error) {
	var param *mechanism.ParamError
	var unsupported *mechanism.UnsupportedError
	var file *mechanism.FileError
	if err == nil {
		return
	}
	if !errors.As(err, &param) && !errors.As(err, &unsupported) && !errors.As(err, &file) {
		t.Fatalf("an error of type %T: %v", err, err)
	}
	if text := err.Error(); len(text) > 4000 || !strings.HasPrefix(text, "mechanism: ") {
		t.Fatalf("%d characters: %.200s", len(text), text)
	}
}

func checkEvent(t *testing.T, e mechanism.Event) {
	text := mechanism.EncodeEvent(e)
	n, err := document.ParseJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	back, err := mechanism.Decoder{Open: mechanism.TestFiles}.Event(n, "event")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !cmp.Equal(e, back, mechanism.CompareRats) {
		t.Fatalf("%s changes: %s", text, cmp.Diff(e, back, mechanism.CompareRats))
	}
	if err := mechanism.Validate(e); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if _, err := composition.Factors(e); err != nil {
		checkTyped(t, err)
	}
}
