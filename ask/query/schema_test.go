// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/ask"
)

// The schema has the fields of a question that the decoder knows.
func TestSchemaHasTheFieldsOfAQuestion(t *testing.T) {
	data, err := os.ReadFile("../../docs/schema/query.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs struct {
			Question struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"question"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range s.Defs.Question.Properties {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(slices.Values(fields)), got); diff != "" {
		t.Errorf("fields differ (-decoder +schema):\n%s", diff)
	}
	var digits struct {
		AnyOf []struct {
			Maximum int `json:"maximum"`
		} `json:"anyOf"`
		Default int `json:"default"`
	}
	if err := json.Unmarshal(s.Defs.Question.Properties["digits"], &digits); err != nil {
		t.Fatal(err)
	}
	if digits.Default != ask.DefaultDigits || digits.AnyOf[0].Maximum != ask.MaxDigits {
		t.Errorf("digits: %+v", digits)
	}
}
