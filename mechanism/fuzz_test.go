// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/document"
)

// FuzzDecodeEvent: what decodes encodes, and decodes again to an equal event;
// errors are typed and short; corners are ordered events of the same shape;
// nothing panics.
func FuzzDecodeEvent(f *testing.F) {
	rng := newRand(10)
	for range 60 {
		f.Add(EncodeEvent(randomEvent(rng, 2)))
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
		for _, d := range []Decoder{{Open: testFiles}, {Open: testFiles, Binary64: true}} {
			e, err := d.Event(n, "event")
			checkTyped(t, err)
			both, rangeErr := d.EventRange(n, "event")
			private, exposed := both.MorePrivate, both.LessPrivate
			checkTyped(t, rangeErr)
			if err == nil {
				if rangeErr != nil || !Equal(private, e) || !Equal(exposed, e) {
					t.Fatalf("%s: the range is %s, %s, %v", EncodeEvent(e), EncodeEvent(private), EncodeEvent(exposed), rangeErr)
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
	var param *ParamError
	var unsupported *UnsupportedError
	var file *FileError
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

func checkEvent(t *testing.T, e Event) {
	text := EncodeEvent(e)
	n, err := document.ParseJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	back, err := Decoder{Open: testFiles}.Event(n, "event")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !cmp.Equal(e, back, compareRats) {
		t.Fatalf("%s changes: %s", text, cmp.Diff(e, back, compareRats))
	}
	if err := Validate(e); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if _, err := Factors(e); err != nil {
		checkTyped(t, err)
	}
}
