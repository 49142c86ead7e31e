// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package catalogue

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// Every example is an event of its class, and defined under the relations of the
// table and no other.
func TestClassesAreWhatTheEngineDoes(t *testing.T) {
	testkit.SkipShort(t)
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("bin,count\n0,1\n1,2\n")), nil
	}
	for _, c := range mechanism.Descriptions() {
		node, err := document.Parse([]byte(c.Example))
		if err != nil {
			t.Errorf("%s: %v", c.Class, err)
			continue
		}
		event, err := mechanism.Decoder{Open: open}.Event(node, "event")
		if err != nil || event.ClassName() != c.Class {
			t.Errorf("%s: %v", c.Class, err)
			continue
		}
		for _, rel := range mechanism.Relations() {
			_, err := exact.PrepareDraft(t.Context(), exact.Question{Event: event, Relation: rel}, exact.Instant)
			var undefined *meaning.RelationError
			switch defined := slices.Contains(c.Relations, rel); {
			case err != nil && !errors.As(err, &undefined):
				t.Errorf("%s under %s: %v", c.Class, rel, err)
			case defined != (err == nil):
				t.Errorf("%s under %s: the table says %v, the engine %v", c.Class, rel, defined, err)
			}
		}
	}
}

func TestRefusedClassesAreRefused(t *testing.T) {
	for _, name := range refusedClasses {
		_, err := mechanism.DecodeEvent([]byte(`{"class_name":"` + name + `"}`))
		var unsupported *mechanism.UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
