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
		e, err := Event(t.Context(), arg, strings.NewReader(laplace), false)
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
		if _, err := Event(t.Context(), arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", arg, err, want)
		}
	}
	for _, file := range []string{path, "-"} {
		s, err := File(t.Context(), file, strings.NewReader(laplace))
		if err != nil || string(s.Data) != laplace || (s.Name == path) != (file == path) {
			t.Errorf("%s: %+v, %v", file, s, err)
		}
	}
}

// TestHistoriesAndClaims: what holds an event stands for it, and the errors are about what it was meant as.
func TestHistoriesAndClaims(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	claims := file("claims.yaml", "version: 1\nclaims:\n  - {id: a, event: "+laplace+", claim: {epsilon: 1, delta: 0}}\n"+
		"  - {id: b, event: "+laplace+", relation: REPLACE_ONE, claim: {epsilon: 1, delta: 0}}\n  - {id: c, claim: {epsilon: 1, delta: 0}}\n")
	one := file("one.yaml", "version: 1\nclaims: [{id: a, event: "+laplace+", claim: {epsilon: 1, delta: 0}}]")
	odd := file("a#b.yaml", laplace)
	const sampled = "SelfComposedDpEvent"
	for arg, want := range map[string]string{
		"[(1.1, 0.01, 1000)]":                                  sampled,
		file("h.json", "[[1.1, 0.01, 1000]]"):                  sampled,
		file("h.txt", "[(1.1, 0.01, 1000), (1, 1, 3)]\n"):      "ComposedDpEvent",
		file("s.json", `{"history": [[1, 1, 1]], "x": "rdp"}`): sampled,
		claims + "#a": "LaplaceDpEvent",
		one:           "LaplaceDpEvent",
		"@" + one:     "LaplaceDpEvent",
		odd:           "LaplaceDpEvent",
	} {
		if e, err := Event(t.Context(), arg, nil, false); err != nil || e.ClassName() != want {
			t.Errorf("%s: %v, %v, want %s", arg, e, err, want)
		}
	}
	for arg, want := range map[string]string{
		"[]":                             "EVENT:1: history = a list of 0, want [[noise_multiplier",
		"[[1, 2, 3]]":                    "sample_rate = 2, want in (0, 1]",
		file("t.json", "[[1, 0.1, -3]]"): "t.json:1: history[0]: steps = -3",
		claims:                           "3 claims, want PATH#ID with the id of one: a, b, c; verify certify",
		claims + "#b":                    "claims.yaml:4: the claim states relation = ",
		claims + "#c":                    "claims.yaml:5: event is missing",
		claims + "#d":                    `no claim has the id "d", want one of a, b, c`,
		odd + "#a":                       "there are no claims",
		dir + "/no.yaml#a":               "want {class_name: …}, a short form",
	} {
		if _, err := Event(t.Context(), arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", arg, err, want)
		}
	}
}
