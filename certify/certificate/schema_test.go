// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"os"
	"testing"

	"dpverify/internal/document"

	"github.com/google/go-cmp/cmp"
)

// The schema of certificates has their fields, in their order, and wants those that all have.
func TestSchemaHasTheFieldsOfACertificate(t *testing.T) {
	data, err := os.ReadFile("../../docs/schema/certificate.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	root, err := document.ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	names := func(n *document.Node) (out []string) {
		for _, e := range n.Entries {
			out = append(out, e.Key)
		}
		return out
	}
	cert := certificateIn(t, "event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 2}}, claim: {epsilon: 1, delta: 0.13}")
	cert.MaxMemory = 1
	written, err := cert.JSON()
	if err != nil {
		t.Fatal(err)
	}
	c, err := document.ParseJSON(written)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names(c), names(root.Get("properties"))); diff != "" {
		t.Errorf("fields differ (-certificate +schema):\n%s", diff)
	}
	var required []string
	for _, x := range root.Get("required").Items {
		required = append(required, x.Text)
	}
	if diff := cmp.Diff(certificateFields, required); diff != "" {
		t.Errorf("required fields differ (-reader +schema):\n%s", diff)
	}
}
