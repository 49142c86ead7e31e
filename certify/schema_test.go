// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The schema has the fields of a claim that the decoder knows.
func TestSchemaHasTheFieldsOfAClaim(t *testing.T) {
	data, err := os.ReadFile("../docs/schema/claims.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs struct {
			Claim struct {
				Properties map[string]struct {
					Enum []Verdict `json:"enum"`
				} `json:"properties"`
				Required []string `json:"required"`
			} `json:"claim"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range s.Defs.Claim.Properties {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(slices.Values(claimFields)), got); diff != "" {
		t.Errorf("fields differ (-decoder +schema):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"id", "event", "claim"}, s.Defs.Claim.Required); diff != "" {
		t.Errorf("required fields differ:\n%s", diff)
	}
	if diff := cmp.Diff(verdicts, s.Defs.Claim.Properties["expect"].Enum); diff != "" {
		t.Errorf("verdicts differ:\n%s", diff)
	}
}
