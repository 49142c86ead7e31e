// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParseClaims: no input makes the decoder panic; every error names its file;
// a claim is malformed or complete; and reading twice gives the same.
func FuzzParseClaims(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(publishedDir, "*.yaml"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no published claims: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{
		gaussClaim,
		`{"version":1,"claims":[{"id":"a","event":{"class_name":"NoOpDpEvent"},"claim":{"rho":1}}]}`,
		"version: 1\nclaims: [{id: a, event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 1, hi: 2}}, claim: {renyi: [[2, 1]]}, orders: real}]",
		"version: 1\nclaims: &x [*x]\n",
		"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nversion: 1\nclaims: [*c]\n",
		"version: 1\nclaims: [{<<: {id: 1}, id: !!str 2, event: !!null , claim: {pld: f}, number_format: binary64}]",
		"%YAML 1.2\n---\nversion: 1\nclaims:\n- {id: \"\\x1b\", expect: malformed}\n...\n",
		"\ufeffversion: 1\r\nclaims:\r\n- |+\r\n  a\r\n",
		"? - ? - ? -\n", "{", "[", "\x00", "!<!> x", "*x", "--- ---", "\t- a",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"c.yaml", "c.json"} {
			claims, err := Parse(name, data, noFiles)
			var ce *ClaimError
			if err != nil {
				if !errors.As(err, &ce) || ce.File != name || len(claims) != 0 {
					t.Fatalf("%T %v with %d claims", err, err, len(claims))
				}
				continue
			}
			if len(claims) == 0 {
				t.Fatal("no claims and no error")
			}
			seen := make(map[string]bool)
			for _, c := range claims {
				if c.Line < 1 {
					t.Fatalf("claim %q on line %d", c.ID, c.Line)
				}
				if c.Err != nil {
					if !errors.As(c.Err, &ce) || ce.File != name || ce.Line < 1 {
						t.Fatalf("%T %v", c.Err, c.Err)
					}
					continue
				}
				if c.ID == "" || seen[c.ID] || c.MorePrivate == nil || c.LessPrivate == nil {
					t.Fatalf("claim %q is not complete", c.ID)
				}
				if c.Says() == "" {
					t.Fatalf("claim %q claims nothing", c.ID)
				}
				seen[c.ID] = true
			}
			again, err := Parse(name, data, noFiles)
			if err != nil || len(again) != len(claims) {
				t.Fatalf("read again: %d claims, %v", len(again), err)
			}
			for i := range again {
				if diff := cmp.Diff(text(claims[i].Err), text(again[i].Err)); diff != "" {
					t.Fatalf("read again:\n%s", diff)
				}
			}
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
