// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package catalogue

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// eventSchema is what this test needs of the schema of events.
type eventSchema struct {
	OneOf []struct {
		Ref string `json:"$ref"`
	} `json:"oneOf"`
	Defs map[string]struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	} `json:"$defs"`
}

// The table has the classes and fields of the schema of events.
func TestClassesAreThoseOfTheSchema(t *testing.T) {
	data, err := os.ReadFile("../../docs/schema/event.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s eventSchema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.OneOf) != len(classes) || len(classes) == 0 {
		t.Errorf("%d classes, and %d in the schema", len(classes), len(s.OneOf))
	}
	for i, c := range classes {
		if i < len(s.OneOf) && s.OneOf[i].Ref != "#/$defs/"+c.name {
			t.Errorf("class %d is %s, and %s in the schema", i, c.name, s.OneOf[i].Ref)
		}
		def := s.Defs[c.name]
		var want []string
		for name := range def.Properties {
			switch {
			case name == "module_name", name == "class_name":
			case slices.Contains(def.Required, name):
				want = append(want, name)
			default:
				want = append(want, name+"?")
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(c.fields))); diff != "" {
			t.Errorf("%s: fields differ (-schema +table):\n%s", c.name, diff)
		}
	}
}

// Every example is an event of its class, and defined under the relations of the
// table and no other.
func TestClassesAreWhatTheEngineDoes(t *testing.T) {
	testkit.SkipShort(t)
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("bin,count\n0,1\n1,2\n")), nil
	}
	for _, c := range classes {
		node, err := document.Parse([]byte(c.example))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		event, err := mechanism.Decoder{Open: open}.Event(node, "event")
		if err != nil || event.ClassName() != c.name {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, rel := range allRelations {
			_, err := exact.PrepareDraft(t.Context(), exact.Question{Event: event, Relation: rel}, exact.Instant)
			var undefined *meaning.RelationError
			switch defined := slices.Contains(c.relations, rel); {
			case err != nil && !errors.As(err, &undefined):
				t.Errorf("%s under %s: %v", c.name, rel, err)
			case defined != (err == nil):
				t.Errorf("%s under %s: the table says %v, the engine %v", c.name, rel, defined, err)
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
