// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const laplace = `{class_name: LaplaceDpEvent, noise_multiplier: 2}`

// TestArguments: a text, a path with or without @, and standard input say the same; errors name the place.
func TestArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.yaml")
	if err := os.WriteFile(path, []byte(laplace), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{laplace, " " + laplace, path, "@" + path, "-"} {
		e, err := Event(arg, strings.NewReader(laplace), false)
		if err != nil || e.ClassName() != "LaplaceDpEvent" {
			t.Errorf("%s: %v, %v", arg, e, err)
		}
	}
	for arg, want := range map[string]string{
		"@":                "want a path after @",
		"nowhere":          `EVENT = "nowhere", want {class_name: …}`,
		"@nowhere":         "nowhere",
		"{class_name: No}": "EVENT",
		"{":                "EVENT",
	} {
		if _, err := Event(arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", arg, err, want)
		}
	}
	for _, file := range []string{path, "-"} {
		s, err := File(file, strings.NewReader(laplace))
		if err != nil || string(s.Data) != laplace || (s.Name == path) != (file == path) {
			t.Errorf("%s: %+v, %v", file, s, err)
		}
	}
}
