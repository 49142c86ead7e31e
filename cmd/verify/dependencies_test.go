// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"os/exec"
	"slices"
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

// TestNoNetwork: the program links nothing that speaks to a network, which would be a seventh of it, and of the fonts
// of pictures the one that it draws with.
func TestNoNetwork(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	var fonts []string
	for _, name := range strings.Fields(string(deps)) {
		if slices.Contains([]string{"net/http", "crypto/tls"}, name) {
			t.Errorf("the program links %s", name)
		}
		if strings.HasPrefix(name, "codeberg.org/go-fonts/") {
			fonts = append(fonts, name)
		}
	}
	if want := []string{"codeberg.org/go-fonts/liberation/liberationsansregular"}; !slices.Equal(fonts, want) {
		t.Errorf("it links the fonts %q, want %q", fonts, want)
	}
}
