// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"strings"
	"testing"
)

// Every module of go.mod is explained.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "v") || !strings.Contains(fields[0], ".") {
			continue
		}
		modules++
		if !strings.Contains(string(page), "| "+fields[0]+" |") {
			t.Errorf("docs/dependencies.md does not explain %s", fields[0])
		}
	}
	if modules == 0 {
		t.Error("no modules in go.mod")
	}
}
